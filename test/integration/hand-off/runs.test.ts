// A client that keeps a lock for its own waiters for a while, on a real server.

import { expect, onTestFinished, test } from 'vitest';
import {
  createClient,
  LeaseLostError,
  type Client,
  type Hold,
  type Lock,
} from '../../../src/index.js';
import { eventually } from '../../support/eventually.js';
import { randomName, rawClient, redisUrl } from '../../support/redis.js';
import { expectNoResidue } from '../../support/residue.js';

const raw = rawClient();

function open(): Client {
  const client = createClient({ redis: redisUrl(), handOff: 'direct' });
  onTestFinished(async () => await client.close());
  return client;
}

function nameOf(word: string): string {
  const name = randomName(word);
  onTestFinished(async () => {
    await expectNoResidue(name, {
      allow: [/redlatch_(tickets|line|writers|beats|cancelled|requests):/],
    });
  });
  return name;
}

/** The holder ids that the lock has on the server. */
const holders = async (name: string): Promise<string[]> =>
  (await raw.hkeys(name)).flatMap((field) =>
    field === 'mode' ? [] : [field.replace(':write', '')],
  );

/** So many that wait for a lock that is held. */
function waiters(lock: Lock, count: number): Promise<Hold>[] {
  return Array.from({ length: count }, () => lock.acquire());
}

const kinds = [
  {
    kind: 'lock',
    of: (client: Client, name: string): Lock => client.getLock(name),
    lengthOf: async (name: string) => await raw.llen(`redlatch_line:{${name}}`),
  },
  {
    kind: 'write lock',
    of: (client: Client, name: string): Lock => client.getReadWriteLock(name).writeLock,
    lengthOf: async (name: string) => await raw.zcard(`redlatch_writers:{${name}}`),
  },
];

test.each(kinds)(
  'the holds of a run follow one another under one holder id, each outermost, with its own events ($kind)',
  async ({ of }) => {
    const name = nameOf('run');
    const client = open();
    const told: string[] = [];
    client.on('acquired', ({ holderId }) => told.push(`acquired ${holderId}`));
    client.on('released', ({ holderId }) => told.push(`released ${holderId}`));
    const first = await of(client, name).acquire();
    const waiting = waiters(of(client, name), 3);
    const holds = [first];
    for (const next of waiting) {
      const before = holds.at(-1)!;
      await before.release();
      const hold = await next;
      expect([before.state, before.isHeld, hold.state, hold.depth]).toEqual([
        'released',
        false,
        'held',
        1,
      ]);
      holds.push(hold);
    }
    await holds.at(-1)!.release();

    const ids = holds.map(({ holderId }) => holderId);
    expect(told).toEqual(ids.flatMap((id) => [`acquired ${id}`, `released ${id}`]));
    expect(await holders(name)).toEqual([]);
  },
);

test.each(kinds)('a run of many holds costs few commands ($kind)', async ({ of }) => {
  const name = nameOf('many');
  const client = open();
  const ids = new Set<string>();
  let inside = 0;
  const section = async (waiting: Promise<Hold>): Promise<void> => {
    const hold = await waiting;
    inside += 1;
    expect(inside).toBe(1);
    ids.add(hold.holderId);
    await Promise.resolve();
    inside -= 1;
    await hold.release();
  };

  await Promise.all(waiters(of(client, name), 500).map(section));

  // Each has a holder id of its own where the lock goes to the server and back for each.
  expect(ids.size).toBeLessThan(250);
});

test.each(kinds)('a hold that was passed on re-enters in its own scope ($kind)', async ({ of }) => {
  const name = nameOf('scope');
  const client = open();
  const lock = of(client, name);
  const first = await lock.acquire();
  const second = lock.using(async (outer) => {
    const inner = await lock.acquire();
    expect([inner.depth, inner.holderId]).toEqual([2, outer.holderId]);
    await inner.release();
    expect(outer.isHeld).toBe(true);
  });
  const third = lock.acquire();

  await first.release();
  await second;

  await (await third).release();
  expect(await holders(name)).toEqual([]);
});

test.each(kinds)('another client gets in while a run goes on for ever ($kind)', async ({ of }) => {
  const name = nameOf('stranger');
  const [greedy, stranger] = [open(), open()];
  const end = new AbortController();
  let grants = 0;
  const again = async (): Promise<void> => {
    while (!end.signal.aborted) {
      const hold = await of(greedy, name).acquire();
      grants += 1;
      await hold.release();
    }
  };
  const loops = Array.from({ length: 20 }, again);
  await eventually(() => grants > 1_000);

  for (let i = 0; i < 5; i += 1) {
    const hold = await of(stranger, name).acquire({ waitMs: 5_000 });
    expect(await holders(name)).toEqual([hold.holderId]);
    await hold.release();
  }

  end.abort();
  await Promise.all(loops);
});

test.each(kinds)(
  'a holder is told once that others wait, and not if it was told of its grant ($kind)',
  async ({ of, lengthOf }) => {
    const name = nameOf('told');
    const [first, second, third] = [open(), open(), open()];
    const [subscriber, told] = [rawClient(), [] as string[]];
    subscriber.on('pmessage', (_pattern, channel: string, message: string) => {
      if (message.startsWith('w') && message.endsWith(name)) {
        told.push(channel);
      }
    });
    await subscriber.psubscribe('redlatch:*');
    // A waiter whose channel was not seen to be listened to asks again, and its holder may hear that.
    const line = async (place: number): Promise<void> => {
      await eventually(async () => (await lengthOf(name)) === place);
      await eventually(async () => {
        const tickets = Object.entries(await raw.hgetall(`redlatch_tickets:{${name}}`));
        return tickets.every(([id, ticket]) => !id.includes(':') || / 1 \d$/.test(ticket));
      });
    };
    const hold = await of(first, name).acquire();
    await eventually(async () => (await raw.pubsub('NUMSUB', `redlatch:${first.id}`))[1] === 1);

    const two = of(second, name).acquire();
    await line(1);
    const three = of(third, name).acquire();
    await line(2);
    await hold.release();
    const again = of(first, name).acquire();
    await line(2);
    await (await two).release();
    await (await three).release();
    await (await again).release();

    expect(told).toEqual([`redlatch:${first.id}`]);
  },
);

test.each(kinds)(
  'a waiter that gives up at the moment of the pass is left out ($kind)',
  async ({ of }) => {
    const name = nameOf('abort');
    const client = open();
    const hold = await of(client, name).acquire();
    const controller = new AbortController();
    const aborted = of(client, name).acquire({ signal: controller.signal });
    const [next] = waiters(of(client, name), 1);

    const releasing = hold.release();
    controller.abort(new Error('enough'));

    await expect(aborted).rejects.toThrow('enough');
    await releasing;
    await (await next)!.release();
    expect(await holders(name)).toEqual([]);
  },
);

test.each(kinds)(
  'a lock that is freed by force in a run is lost for the holds of the run, and goes on ($kind)',
  async ({ of }) => {
    const name = nameOf('forced');
    const [client, other] = [open(), open()];
    const lost: string[] = [];
    client.on('lost', ({ holderId }) => lost.push(holderId));
    const first = await of(client, name).acquire();
    const [second] = waiters(of(client, name), 1);
    await first.release();
    const hold = await second!;

    await of(other, name).forceRelease();

    await expect(hold.release()).rejects.toThrow(LeaseLostError);
    // Of the first one too, if it was passed on, and no answer has proven it since.
    expect(lost.at(-1)).toBe(hold.holderId);
    const next = await of(client, name).acquire();
    expect(await holders(name)).toEqual([next.holderId]);
    await next.release();
  },
);

test.each(kinds)(
  'a client that closes in a run releases what it holds, and grants nothing ($kind)',
  async ({ of }) => {
    const name = nameOf('close');
    const client = open();
    const first = await of(client, name).acquire();
    const waiting = waiters(of(client, name), 5);
    const all = Promise.allSettled(waiting);
    await first.release();
    const hold = await waiting[0]!;

    await client.close();

    const rest = (await all).slice(1);
    expect(rest.map(({ status }) => status)).toEqual(Array(4).fill('rejected'));
    expect([hold.isHeld, await holders(name)]).toEqual([false, []]);
  },
);

test.each(kinds)('a waiter with a fixed lease gets a lease of its own ($kind)', async ({ of }) => {
  const name = nameOf('fixed');
  const client = open();
  const first = await of(client, name).acquire();
  const fixed = of(client, name).acquire({ leaseMs: 9_000 });
  const [last] = waiters(of(client, name), 1);

  await first.release();
  const hold = await fixed;

  expect(hold.holderId).not.toBe(first.holderId);
  expect(hold.remainingMs).toBeLessThanOrEqual(9_000);
  await hold.release();
  expect((await last)!.holderId).not.toBe(hold.holderId);
  await (await last)!.release();
});

test.each(kinds)(
  'a hold that was extended, or re-entered, is not passed on ($kind)',
  async ({ of }) => {
    const name = nameOf('extended');
    const client = open();
    const first = await of(client, name).acquire();
    const [second, third] = waiters(of(client, name), 2);

    await first.extend(60_000);
    await first.release();
    const hold = await second!;
    expect(hold.holderId).not.toBe(first.holderId);
    await hold.run(async () => await (await of(client, name).acquire()).release());
    await hold.release();

    expect((await third)!.holderId).not.toBe(hold.holderId);
    await (await third)!.release();
  },
);

test('after a run the name is free for another kind of object', async () => {
  const name = nameOf('name');
  const client = open();

  await Promise.all(
    waiters(client.getLock(name), 100).map(async (waiting) => await (await waiting).release()),
  );

  await (await client.getFairLock(name).acquire()).release();
});
