import { Duplex } from 'node:stream';
import { Command } from 'ioredis';
import { describe, expect, test } from 'vitest';
import { headOf, Wire } from '../../src/core/connection/wire.js';
import { Random } from '../../src/testing/random.js';

type Told = readonly [reply: unknown, error?: string];

/** A wire on a socket whose other side is the test. */
function stage(count: number) {
  const writes: Buffer[] = [];
  let end: Error | null | undefined;
  const stream = new Duplex({
    read: () => {},
    write: (chunk: Buffer, _encoding, done) => {
      writes.push(chunk);
      done();
    },
    destroy: (error, done) => {
      end = error;
      done(null);
    },
  });
  const wire = new Wire(stream, (error) => new Error(`cleaned ${error.message}`));
  const told: Told[] = [];
  const ask = (): void =>
    wire.send(headOf(['evalsha', 'sha']), [told.length], (reply, error) => {
      told.push(error === undefined ? [reply] : [reply, error.message]);
    });
  for (let i = 0; i < count; i += 1) {
    ask();
  }
  // The bytes arrive as from a socket, at once.
  const arrive = (bytes: Buffer | string): void => void stream.emit('data', Buffer.from(bytes));
  return { wire, stream, writes, told, ask, arrive, ended: () => end };
}

/** What the driver itself would write. */
function byDriver(name: string, args: readonly (string | number | Buffer)[]): Buffer {
  return Buffer.from(new Command(name, [...args]).toWritable({}));
}

/** What the wire writes. */
async function written(name: string, args: readonly unknown[]): Promise<Buffer> {
  const { wire, writes } = stage(0);
  wire.send(headOf([name]), args, () => {});
  await new Promise(setImmediate);
  return Buffer.concat(writes);
}

const texts = [
  '',
  'a',
  'ünïcode',
  '漢字',
  '🔒',
  '\r\n$3\r\n',
  'lone \uD800',
  '\0',
  'x'.repeat(70_000),
];
const numbers = [0, -1, 7, 1_234_567_890_123, 0.5, Number.MAX_SAFE_INTEGER];
const bytes = [Buffer.alloc(0), Buffer.from([0, 255, 13, 10]), Buffer.from('ü')];

describe('a command', () => {
  test.each([
    ['texts', texts],
    ['numbers', numbers],
    ['bytes', bytes],
    ['nothing', []],
    ['all of them', [...texts, ...numbers, ...bytes]],
  ])('is written as the driver writes it: %s', async (_, args) => {
    expect((await written('evalsha', args)).equals(byDriver('evalsha', args))).toBe(true);
  });

  test('with any arguments in any order is written as the driver writes it', async () => {
    const random = new Random(1);
    const ascii = texts.filter(
      (text) => text.length < 100 && Buffer.byteLength(text) === text.length,
    );
    const unicode = texts.filter((text) => Buffer.byteLength(text) > text.length);
    const pools: readonly (readonly (string | number | Buffer)[])[] = [
      [...ascii, ...numbers],
      [...ascii, ...unicode, ...numbers],
      [...ascii, ...bytes],
    ];
    for (let i = 0; i < 2_000; i += 1) {
      const pool = random.pick(pools);
      const args = Array.from({ length: random.int(0, 20) }, () => random.pick(pool));
      const name = random.pick(['eval', 'evalsha']);

      const isSame = (await written(name, args)).equals(byDriver(name, args));
      expect(isSame, JSON.stringify(args)).toBe(true);
    }
  });

  test('leaves in one write with all others of its turn, in their order', async () => {
    const { wire, writes, ask } = stage(2);
    wire.send(headOf(['ping', 'ü']), [], () => {});
    wire.send(headOf(['ping']), ['ü'], () => {});
    wire.send(headOf(['ping']), [Buffer.from([255])], () => {});
    ask();
    await new Promise(setImmediate);

    expect(writes).toEqual([
      Buffer.concat([
        byDriver('evalsha', ['sha', 0]),
        byDriver('evalsha', ['sha', 0]),
        byDriver('ping', ['ü']),
        byDriver('ping', ['ü']),
        byDriver('ping', [Buffer.from([255])]),
        byDriver('evalsha', ['sha', 0]),
      ]),
    ]);
  });

  test('that cannot be written ends the connection, of which its caller hears then', async () => {
    const { wire, stream, told, ended } = stage(1);
    stream.write = () => {
      throw new Error('no room');
    };
    await new Promise(setImmediate);

    expect([ended()?.message, told]).toEqual(['no room', []]);
    wire.close(new Error('over'));
    expect(told).toEqual([[undefined, 'over']]);
  });

  test('is not written to a connection that is closed', async () => {
    const { wire, writes, told } = stage(1);

    wire.close(new Error('over'));
    await new Promise(setImmediate);

    expect([writes, told]).toEqual([[], [[undefined, 'over']]]);
  });
});

/** A reply as it travels, and as it is told. */
type Reply = readonly [bytes: string, value: unknown];

const integer = (value: number): Reply => [`:${value}\r\n`, value];

function replyOf(random: Random, depth = 0): Reply {
  const text = random.pick(['', 'a', 'één', '🔒', '\r\n', '-ERR', 'x'.repeat(random.int(1, 300))]);
  return random.weighted<Reply>([
    [3, () => [`$${Buffer.byteLength(text)}\r\n${text}\r\n`, text]],
    [2, () => integer(random.pick([0, -5, 17e11]))],
    [1, () => ['+OK\r\n', 'OK']],
    [1, () => ['$-1\r\n', null]],
    [1, () => ['*-1\r\n', null]],
    [
      depth < 3 ? 2 : 0,
      () => {
        const parts = Array.from({ length: random.int(0, 4) }, () => replyOf(random, depth + 1));
        const inner = parts.map(([part]) => part).join('');
        return [`*${parts.length}\r\n${inner}`, parts.map(([, value]) => value)];
      },
    ],
  ]);
}

test('a flush writes the commands of the turn so far, and those after it leave together', async () => {
  const { wire, writes, ask } = stage(2);

  wire.flush();
  const flushed = writes.length;
  ask();
  ask();
  await new Promise(setImmediate);

  expect([flushed, writes.length]).toEqual([1, 2]);
});

describe('replies', () => {
  test('are told in order, wherever the bytes are split', () => {
    const random = new Random(7);
    for (let i = 0; i < 300; i += 1) {
      const replies = Array.from({ length: random.int(1, 8) }, (): readonly [string, Told] => {
        if (random.chance(0.15)) {
          return ['-NOSCRIPT no such script\r\n', [undefined, 'cleaned NOSCRIPT no such script']];
        }
        const [text, value] = replyOf(random);
        return [text, [value]];
      });
      const all = Buffer.from(replies.map(([text]) => text).join(''));
      const { told, arrive, ended } = stage(replies.length);

      const most = random.pick([1, 3, 50, all.length]);
      for (let at = 0; at < all.length;) {
        const next = at + random.int(1, most);
        arrive(all.subarray(at, next));
        at = next;
      }

      expect(told).toEqual(replies.map(([, outcome]) => outcome));
      expect(ended()).toBeUndefined();
    }
  });

  test('are told in order where they are split at every byte', () => {
    const all = Buffer.from(
      '*3\r\n$5\r\na\r\né\r\n*2\r\n:-7\r\n$-1\r\n+OK\r\n-ERR é\r\n$0\r\n\r\n',
    );
    for (let at = 1; at < all.length; at += 1) {
      const { told, arrive } = stage(3);
      arrive(all.subarray(0, at));
      arrive(all.subarray(at));

      expect(told).toEqual([[['a\r\né', [-7, null], 'OK']], [undefined, 'cleaned ERR é'], ['']]);
    }
  });

  test('that are large come whole', () => {
    const { told, arrive } = stage(3);
    const large = 'é'.repeat(3_000_000);
    const all = Buffer.from(
      `$${large.length * 2}\r\n${large}\r\n*1\r\n$${large.length * 2}\r\n${large}\r\n:1\r\n`,
    );
    for (let at = 0; at < all.length; at += 65_536) {
      arrive(all.subarray(at, at + 65_536));
    }

    expect(told).toHaveLength(3);
    // Such texts would be unreadable in a message about a difference.
    const isLarge = told.map(([reply]) => String(reply) === large);
    expect([isLarge, told[2]]).toEqual([[true, true, false], [1]]);
  });

  test('are told in order while more is asked', () => {
    const { told, ask, arrive } = stage(5_000);
    for (let i = 0; i < 20_000; i += 1) {
      arrive(`:${i}\r\n`);
      if (i < 15_000) {
        ask();
      }
    }

    expect(told).toEqual(Array.from({ length: 20_000 }, (_, i) => [i]));
  });

  test.each([
    ['a reply that nobody asked for', ':1\r\n:2\r\n:3\r\n'],
    ['bytes that are no reply', ':1\r\nHTTP/1.1 400\r\n\r\n:3\r\n'],
  ])('end the connection after %s, and nobody gets what follows', (_, all) => {
    const isMore = all.startsWith(':1\r\n:2');
    const { wire, told, arrive, ended } = stage(isMore ? 2 : 3);

    arrive(all);
    arrive(':4\r\n');

    expect(told).toEqual(isMore ? [[1], [2]] : [[1]]);
    expect(ended()).toBeInstanceOf(Error);
    wire.close(new Error('over'));
    expect(told.slice(isMore ? 2 : 1)).toEqual(
      isMore
        ? []
        : [
            [undefined, 'over'],
            [undefined, 'over'],
          ],
    );
  });

  test('that are cut off are told to nobody: their callers hear of the end', () => {
    const { wire, told, arrive } = stage(2);

    arrive(':1\r\n*2\r\n:1\r\n$5\r\nab');
    wire.close(new Error('over'));
    arrive('cde\r\n');

    expect(told).toEqual([[1], [undefined, 'over']]);
  });
});
