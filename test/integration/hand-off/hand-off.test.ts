// A release that gives the lock to the next waiter, on a real server.

import { expect, onTestFinished, test } from 'vitest';
import {
  createClient,
  LeaseLostError,
  type Client,
  type Hold,
  type Lock,
} from '../../../src/index.js';
import { lineKeys } from '../../../src/core/locks/line.js';
import { lockRelease } from '../../../src/core/wire/scripts.generated.js';
import { eventually } from '../../support/eventually.js';
import { keysUnder, randomName, rawClient, redisUrl } from '../../support/redis.js';
import { expectNoResidue } from '../../support/residue.js';

const raw = rawClient();

function open(options: { leaseMs?: number } = {}): Client {
  const client = createClient({ redis: redisUrl(), handOff: 'strict', ...options });
  onTestFinished(async () => await client.close());
  return client;
}

function nameOf(word: string): string {
  const name = randomName(word);
  onTestFinished(async () => {
    await raw.del(`redisson_lock_token:{${name}}`);
    await expectNoResidue(name, { allow: [/redlatch_(tickets|line|cancelled|requests):/] });
  });
  return name;
}

const line = async (name: string): Promise<string[]> =>
  await raw.lrange(`redlatch_line:{${name}}`, 0, -1);

/** A wait of another client, which stands in the line, and is told of its grant. */
async function waits(lock: Lock, name: string, place: number): Promise<{ hold: Promise<Hold> }> {
  const hold = lock.acquire();
  hold.catch(() => undefined);
  await eventually(async () => {
    expect(await line(name)).toHaveLength(place);
    const tickets = await raw.hgetall(`redlatch_tickets:{${name}}`);
    const flags = Object.entries(tickets).filter(([id]) => id.includes(':'));
    expect(flags.map(([, ticket]) => ticket.split(' ')[2])).toEqual(Array(place).fill('1'));
  });
  return { hold };
}

const kinds: readonly (readonly [string, (client: Client, name: string) => Lock])[] = [
  ['lock', (client, name) => client.getLock(name)],
  ['fenced lock', (client, name) => client.getFencedLock(name)],
];

test.each(kinds)(
  'a %s goes to whoever waits longest, and is never free in between',
  async (_, of) => {
    const name = nameOf('in-turn');
    const [first, second, third] = [open(), open(), open()];
    const hold = await of(first, name).acquire();
    const one = await waits(of(second, name), name, 1);
    const two = await waits(of(third, name), name, 2);

    await hold.release();
    expect(Object.keys(await raw.hgetall(name)).join()).toContain(second.id);
    const next = await one.hold;
    expect(next.isHeld).toBe(true);
    await next.release();
    expect(Object.keys(await raw.hgetall(name)).join()).toContain(third.id);
    const last = await two.hold;
    await last.release();

    expect(await raw.exists(name)).toBe(0);
    const tokens = [hold, next, last].map(({ fencingToken }) => fencingToken ?? 0n);
    expect(tokens.every((token, i) => i === 0 || token === 0n || token > tokens[i - 1]!)).toBe(
      true,
    );
  },
);

test('a grant lasts for a window, and is confirmed to the whole lease at once', async () => {
  const name = nameOf('window');
  const [first, second] = [open(), open({ leaseMs: 60_000 })];
  const hold = await first.getLock(name).acquire();
  const { hold: waiting } = await waits(second.getLock(name), name, 1);

  await hold.release();
  const next = await waiting;

  expect(next.remainingMs).toBeLessThanOrEqual(20_000);
  await eventually(() => {
    expect(next.remainingMs).toBeGreaterThan(20_000);
  });
  expect(await raw.pttl(name)).toBeGreaterThan(20_000);
  await next.release();
});

test('a grant with a fixed lease has all of it, and is not prolonged', async () => {
  const name = nameOf('fixed');
  const [first, second] = [open(), open()];
  const hold = await first.getLock(name).acquire();
  const waiting = second.getLock(name).acquire({ leaseMs: 9_000 });
  await eventually(async () => expect(await line(name)).toHaveLength(1));
  await eventually(async () => {
    expect((await raw.hvals(`redlatch_tickets:{${name}}`)).join()).toContain(' 9000 1 ');
  });

  await hold.release();
  const next = await waiting;

  expect(next.remainingMs).toBeGreaterThan(8_000);
  expect(await raw.pttl(name)).toBeLessThanOrEqual(9_000);
  await next.release();
});

test('a client that is gone is passed over at once, however many there are', async () => {
  const name = nameOf('gone');
  const [first, last] = [open(), open()];
  const hold = await first.getLock(name).acquire();
  const tickets: Record<string, string> = {};
  const now = Date.now();
  for (let i = 0; i < 300; i += 1) {
    const id = `${String(i).padStart(8, '0')}-0000-4000-8000-000000000000:1`;
    tickets[id] = `${now} 10000 1 0`;
    await raw.rpush(`redlatch_line:{${name}}`, id);
  }
  await raw.hset(`redlatch_tickets:{${name}}`, tickets);
  const waiting = last.getLock(name).acquire();
  await eventually(async () => expect(await line(name)).toHaveLength(301));
  const [mine] = (await line(name)).slice(-1);
  await eventually(async () => {
    expect(await raw.hget(`redlatch_tickets:{${name}}`, mine ?? '')).toMatch(/^\d+ 10000 1 /);
  });

  await hold.release();

  expect(Object.keys(await raw.hgetall(name))).toEqual([mine]);
  await (await waiting).release();
  await raw.del(`redlatch_line:{${name}}`, `redlatch_tickets:{${name}}`);
});

test('a waiter that gives up leaves no ticket, and another one with the same lease takes it over', async () => {
  const name = nameOf('gives-up');
  const [first, second] = [open(), open()];
  const hold = await first.getLock(name).acquire();
  const lock = second.getLock(name);
  const controller = new AbortController();
  const aborted = lock.acquire({ signal: controller.signal });
  await eventually(async () => expect(await line(name)).toHaveLength(1));
  const [ticket] = await line(name);
  const other = lock.acquire();
  const fixed = lock.acquire({ leaseMs: 5_000, waitMs: 60_000 });

  controller.abort(new Error('enough'));
  await expect(aborted).rejects.toThrow('enough');
  expect(await line(name)).toEqual([ticket]);

  await hold.release();
  const next = await other;
  expect(next.holderId).toBe(ticket);
  await next.release();
  await (await fixed).release();

  expect(await keysUnder(`redlatch_line:{${name}}`, raw)).toEqual([]);
});

test('a forced release hands the lock on, and tells the holder', async () => {
  const name = nameOf('forced');
  const [first, second, third] = [open(), open(), open()];
  const hold = await first.getLock(name).acquire();
  const { hold: waiting } = await waits(second.getLock(name), name, 1);

  expect(await third.getLock(name).forceRelease()).toBe(true);

  expect((await waiting).isHeld).toBe(true);
  await eventually(() => hold.state === 'lost');
  await (await waiting).release();
});

test('a grant that nobody waits for is given back at once', async () => {
  const name = nameOf('nobody');
  const [first, second] = [open(), open()];
  const hold = await first.getLock(name).acquire();
  const { hold: waiting } = await waits(second.getLock(name), name, 1);
  const other = nameOf('unknown');
  const holderId = `${second.id}:999999`;
  await raw.hset(other, holderId, 1);
  await raw.pexpire(other, 60_000);

  await raw.publish(`redlatch:${second.id}`, `g${holderId} ${Date.now()} 10000 0 ${other}`);

  await eventually(async () => (await raw.exists(other)) === 0);
  await hold.release();
  await (await waiting).release();
});

test('a waiter with another lease takes no ticket over', async () => {
  const name = nameOf('another-lease');
  const [first, second] = [open(), open()];
  const hold = await first.getLock(name).acquire();
  const controller = new AbortController();
  const aborted = second.getLock(name).acquire({ signal: controller.signal });
  await eventually(async () => expect(await line(name)).toHaveLength(1));
  const [ticket] = await line(name);
  const fixed = second.getLock(name).acquire({ leaseMs: 5_000 });

  controller.abort(new Error('enough'));
  await expect(aborted).rejects.toThrow('enough');
  await hold.release();

  const next = await fixed;
  expect(next.holderId).not.toBe(ticket);
  expect(next.remainingMs).toBeLessThanOrEqual(5_000);
  await next.release();
});

test('a ticket that is given up while the lock is free lets the next one in', async () => {
  const name = nameOf('given-up');
  const { publish, channel } = { publish: 'PUBLISH', channel: `redisson_lock__channel:{${name}}` };
  const keys = lineKeys(name, false);
  const [mine, next] = ['1', '2'].map((n) => `${n.repeat(8)}-0000-4000-8000-000000000000:1`);
  for (const id of [mine!, next!]) {
    await raw.rpush(keys.line, id);
    await raw.hset(keys.tickets, id, `${Date.now()} 10000 0 0`);
  }
  // It was freed openly just now.
  await raw.hset(keys.tickets, 'back', Date.now() + 3);

  const [count = 0, ...operands] = lockRelease.operands(
    { ...keys, tombstone: `redlatch_cancelled:{${name}}:${mine}` },
    { holder: mine!, count: 0, tombstoneMs: 1_000, publish, channel, listens: 0 },
  );
  await raw.eval(lockRelease.source, Number(count), ...operands);

  expect(await raw.hkeys(name)).toEqual([next]);
  expect(await line(name)).toEqual([]);
  await raw.del(name);
});

test('a forced release of a free lock with a line lets the first one in, and says that it was free', async () => {
  const name = nameOf('forced-free');
  const keys = lineKeys(name, false);
  const id = `${'3'.repeat(8)}-0000-4000-8000-000000000000:1`;
  await raw.rpush(keys.line, id);
  await raw.hset(keys.tickets, id, `${Date.now()} 10000 0 0`);
  await raw.pexpire(keys.tickets, 60_000);

  expect(await open().getLock(name).forceRelease()).toBe(false);

  expect(await raw.hkeys(name)).toEqual([id]);
  await raw.del(name);
});

test('who gives up leaves the line, although the lock was overwritten with another type', async () => {
  const [holder, waiter] = [open(), open()];
  const name = randomName('overwritten');
  const hold = await holder.getLock(name).acquire({ leaseMs: 60_000 });
  const abort = new AbortController();
  const waiting = waiter.getLock(name).acquire({ signal: abort.signal });
  await eventually(async () => (await raw.llen(`redlatch_line:{${name}}`)) === 1);

  await raw.set(name, 'something else');
  abort.abort(new Error('enough'));
  await expect(waiting).rejects.toThrow('enough');

  await eventually(async () => (await raw.exists(`redlatch_line:{${name}}`)) === 0);
  await raw.del(name);
  await expect(hold.release()).rejects.toThrow(LeaseLostError);
});
