import { tracingChannel } from 'node:diagnostics_channel';
import { Command } from 'ioredis';
import { expect, onTestFinished, test } from 'vitest';
import { ScriptCommand, type Answered } from '../../src/core/connection/script-command.js';
import { Random } from '../../src/testing/random.js';
import type { Operand } from '../../src/core/wire/script.js';

const cleaner = { error: (error: unknown) => error as Error };

function commandOf(
  name: 'eval' | 'evalsha',
  operands: readonly Operand[],
  answered: Answered = () => {},
): ScriptCommand {
  return new ScriptCommand(name, 'sha', operands, cleaner, answered);
}

/** What the driver itself would write. */
function byDriver(name: string, args: readonly Operand[]): Buffer {
  return Buffer.from(new Command(name, ['sha', ...args]).toWritable({}));
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

test.each([
  ['texts', texts],
  ['numbers', numbers],
  ['bytes', bytes],
  ['nothing', []],
  ['all of them', [...texts, ...numbers, ...bytes]],
])('it is written as the driver writes its own: %s', (_, args: readonly Operand[]) => {
  const written = commandOf('evalsha', args).toWritable({});

  expect(Buffer.from(written).equals(byDriver('evalsha', args))).toBe(true);
});

test('any arguments in any order are written as the driver writes them', () => {
  const random = new Random(1);
  const all = [...texts.slice(0, -1), ...numbers, ...bytes];
  for (let i = 0; i < 2_000; i += 1) {
    const pool = random.int(0, 1) === 0 ? all : all.slice(0, -bytes.length);
    const args = Array.from(
      { length: random.int(0, 20) },
      () => pool[random.int(0, pool.length - 1)] ?? '',
    );
    const name = random.int(0, 1) === 0 ? 'eval' : 'evalsha';

    const written = commandOf(name, args).toWritable({});

    expect(Buffer.from(written).equals(byDriver(name, args)), JSON.stringify(args)).toBe(true);
  }
});

test('texts are written as one string: several commands leave with no copy between', () => {
  expect(commandOf('evalsha', [1, 'key']).toWritable({})).toBeTypeOf('string');
});

test('a reply is text, however deep', () => {
  const told: unknown[] = [];
  const { resolve } = commandOf('evalsha', [], (reply) => told.push(reply));

  resolve(Buffer.from('één'));
  resolve([Buffer.from('a'), [null, 3, [Buffer.from('b')]]]);
  resolve(null);
  resolve(7);

  expect(told).toEqual(['één', ['a', [null, 3, ['b']]], null, 7]);
});

test('an error of the server is told at once, so that answers stay in order', () => {
  const told: unknown[] = [];
  const first = commandOf('evalsha', [], (_, error) => told.push(error?.message));
  const second = commandOf('evalsha', [], (reply) => told.push(reply));

  first.reject(Object.assign(new Error('NOSCRIPT'), { name: 'ReplyError' }));
  second.resolve(1);

  expect(told).toEqual(['NOSCRIPT', 1]);
});

test('an error of the connection is told only after its sender went on', async () => {
  const told: unknown[] = [];
  const command = commandOf('evalsha', [], (_, error) => told.push(error?.message));

  command.reject(new Error('closed'));
  expect(told).toEqual([]);
  await Promise.resolve();

  expect(told).toEqual(['closed']);
});

/** What the driver does with the promise of a command while somebody traces. */
test('with tracers it has a promise that ends with it, and that nobody has to handle', async () => {
  const channel = tracingChannel('ioredis:command');
  const subscriber = { asyncEnd: () => {} };
  channel.subscribe(subscriber as never);
  onTestFinished(() => channel.unsubscribe(subscriber as never));
  const told: unknown[] = [];
  const replied = commandOf('evalsha', [], (reply) => told.push(reply));
  const refused = commandOf('evalsha', [], (_, error) => told.push(error?.message));
  const error = Object.assign(new Error('ERR'), { name: 'ReplyError' });

  expect([replied.isTraced, refused.isTraced]).toEqual([false, false]);
  replied.resolve('yes');
  refused.reject(error);

  const unhandled: unknown[] = [];
  const listener = (reason: unknown): void => void unhandled.push(reason);
  process.on('unhandledRejection', listener);
  onTestFinished(() => void process.off('unhandledRejection', listener));
  commandOf('evalsha', []).reject(new Error('not writable'));
  await new Promise((resolve) => {
    setImmediate(resolve);
  });
  expect(unhandled).toEqual([]);
  await expect(replied.promise).resolves.toBe(undefined);
  await expect(refused.promise).rejects.toBe(error);
  expect(told).toEqual(['yes', 'ERR']);
});
