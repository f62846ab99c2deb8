// How a multi-lock takes its names: together, or a gapless beginning of them while it waits for the next.

import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { AcquireTimeoutError, ClosedError, type ClientEvents } from '../../../src/index.js';
import { eventually } from '../../support/eventually.js';
import { rawClient, redisUrl } from '../../support/redis.js';
import { expectNoResidue } from '../../support/residue.js';
import { testScope } from '../../support/scope.js';
import { countedTraffic, quiet } from '../../support/traffic.js';
import { held, outcome, waitsFor } from './world.js';

const scope = testScope('multi-taking');
const raw = rawClient();
/** A ticket that was given up, and the times of a line, stay for a moment. */
const records = { allow: [/redlatch_(cancelled|tickets):/] };

/** The lease of what a multi-lock has while it waits. */
const PART_MS = 1_500;

function some(count: number): [string, ...string[]] {
  return [scope.name(), ...Array.from({ length: count - 1 }, () => scope.name())];
}

test.each([2, 10, 100])('%i free names cost two commands, whatever their number', async (count) => {
  const traffic = await countedTraffic(redisUrl());
  const client = scope.client({ redis: traffic.url });
  const lock = client.getMultiLock(some(count));
  await quiet(traffic, client);
  const before = traffic.names().length;

  for (let cycle = 0; cycle < 5; cycle += 1) {
    const hold = await lock.acquire();
    await hold.release();
  }

  const sent = traffic.names().slice(before);
  expect(sent).toHaveLength(10);
  expect(sent.every((name) => name.startsWith('eval'))).toBe(true);
});

test('while a name is busy it holds those before it, and none behind it', async () => {
  const [client, other] = [scope.client(), scope.client()];
  const lock = client.getMultiLock(some(4));
  const busy = await other.getLock(lock.names[2]!).acquire();

  const acquiring = lock.acquire();
  await waitsFor(lock.names[2]);
  const meanwhile = await held(lock);
  const behind = await other.getLock(lock.names[3]!).acquire();
  await behind.release();
  await busy.release();
  const hold = await acquiring;

  expect(meanwhile).toEqual([true, true, true, false]);
  expect(await held(lock)).toEqual([true, true, true, true]);
  await hold.release();
  await expectNoResidue(scope.prefix, records);
});

test('who waits for one of its names waits behind it, and gets in after it', async () => {
  const [client, other, third] = [scope.client(), scope.client(), scope.client()];
  const lock = client.getMultiLock(some(2));
  const busy = await other.getLock(lock.names[1]!).acquire();
  const order: string[] = [];

  const multi = lock.using(() => order.push('all'));
  await waitsFor(lock.names[1]);
  const single = third.getLock(lock.names[1]!).using(() => order.push('one'));
  await waitsFor(lock.names[1], 2);
  await busy.release();
  await Promise.all([multi, single]);

  expect(order).toEqual(['all', 'one']);
});

test('tryAcquire takes all names or none', async () => {
  const [client, other] = [scope.client(), scope.client()];
  const lock = client.getMultiLock(some(3));
  const busy = await other.getLock(lock.names[2]!).acquire();

  const none = await lock.tryAcquire();
  const meanwhile = await held(lock);
  const error = await outcome(lock.acquire({ waitMs: 0 }));
  await busy.release();
  const all = await lock.tryAcquire();

  expect(none).toBeNull();
  expect(meanwhile).toEqual([false, false, true]);
  expect(error).toBeInstanceOf(AcquireTimeoutError);
  expect(error).toMatchObject({ resource: lock.name });
  expect(String(error)).toContain(`"${lock.names[2]}" was still held by somebody else`);
  expect(all?.isHeld).toBe(true);
  await all?.release();
});

test.each(['a lock', 'a multi-lock'])(
  'tryAcquire of %s takes what is free, whoever waits for it',
  async (which) => {
    const [client, stranger] = [scope.client(), rawClient()];
    const [name] = some(1);
    const lock = which === 'a lock' ? client.getLock(name) : client.getMultiLock([name]);
    // Nobody knows of its ticket: the release leaves the lock to it for a moment.
    await stranger.subscribe(`redisson_lock__channel:{${name}}`);
    const hold = await lock.acquire();

    const [, again] = await Promise.all([hold.release(), lock.tryAcquire()]);
    expect(again?.isHeld).toBe(true);
    await again?.release();
    // Somebody stands in its line, and has not asked yet.
    await raw.rpush(`redlatch_line:{${name}}`, '22222222-2222-4222-8222-222222222222:1');
    await raw.pexpire(`redlatch_line:{${name}}`, 5_000);
    const before = await lock.tryAcquire();

    expect(before?.isHeld).toBe(true);
    await before?.release();
    await raw.del(`redlatch_line:{${name}}`);
  },
);

test.each(['times out', 'is aborted', 'is closed'])(
  'a wait that %s gives back what it has',
  async (how) => {
    const [client, other] = [scope.client(), scope.client()];
    const lock = client.getMultiLock(some(3));
    const busy = await other.getLock(lock.names[1]!).acquire();
    const abort = new AbortController();

    const acquiring = outcome(
      lock.acquire({ signal: abort.signal, ...(how === 'times out' ? { waitMs: 300 } : {}) }),
    );
    await waitsFor(lock.names[1]);
    if (how === 'is aborted') {
      abort.abort('enough');
    } else if (how === 'is closed') {
      await client.close();
    }
    const error = await acquiring;

    if (how === 'is aborted') {
      expect(error).toBe('enough');
    } else {
      expect(error).toBeInstanceOf(how === 'is closed' ? ClosedError : AcquireTimeoutError);
      expect(error).toMatchObject({ resource: lock.name });
    }
    await eventually(async () => expect(await held(lock)).toEqual([false, true, false]));
    await busy.release();
    await expectNoResidue(scope.prefix, records);
  },
);

test('a name that is lost while it waits for another makes it start again', async () => {
  const [client, other] = [scope.client({ leaseMs: 300 }), scope.client()];
  const lock = client.getMultiLock(some(3));
  const busy = await other.getLock(lock.names[2]!).acquire();
  const acquiring = lock.acquire();
  await waitsFor(lock.names[2]);

  // In one step: between two, the waiter may take the name again, and then nobody lets the thief in.
  const first = lock.names[0]!;
  await raw.multi().del(first).hset(first, `${randomUUID()}:1`, 1).pexpire(first, 60_000).exec();
  await eventually(async () => expect(await held(lock)).toEqual([true, false, true]));
  await raw.multi().del(first).publish(`redisson_lock__channel:{${first}}`, '0').exec();
  await waitsFor(lock.names[2]);
  await busy.release();
  const hold = await acquiring;

  expect(hold.isHeld).toBe(true);
  expect(await held(lock)).toEqual([true, true, true]);
  await hold.release();
});

test('a name that was freed unnoticed is found with the last grant, and it starts again', async () => {
  const [client, other] = [scope.client(), scope.client()];
  const lock = client.getMultiLock(some(3));
  const busy = await other.getLock(lock.names[2]!).acquire();
  const acquiring = lock.acquire();
  await waitsFor(lock.names[2]);

  await raw.del(lock.names[1]!);
  await busy.release();
  const hold = await acquiring;

  expect(await held(lock)).toEqual([true, true, true]);
  expect(hold.isHeld).toBe(true);
  await hold.release();
  await expectNoResidue(scope.prefix, records);
});

test('a fixed lease counts from when the last name is there, and what it has is renewed till then', async () => {
  const [client, other] = [scope.client({ leaseMs: PART_MS }), scope.client()];
  const lock = client.getMultiLock(some(2));
  const busy = await other.getLock(lock.names[1]!).acquire();
  const acquiring = lock.acquire({ leaseMs: 20_000 });
  await waitsFor(lock.names[1]);
  const holder = await raw.hkeys(lock.names[0]!);
  const since = performance.now();
  await eventually(() => performance.now() - since > 2 * PART_MS);
  const stillThere = await raw.hkeys(lock.names[0]!);
  await busy.release();
  const hold = await acquiring;

  expect(stillThere).toEqual(holder);
  for (const name of lock.names) {
    expect(await raw.pttl(name)).toBeGreaterThan(15_000);
  }
  expect(hold.remainingMs).toBeGreaterThan(15_000);
  await hold.release();
});

test('a name that holds something else is refused before any is taken', async () => {
  const client = scope.client();
  const lock = client.getMultiLock(some(3));
  await raw.set(lock.names[1]!, 'no lock');

  const error = await outcome(lock.acquire());

  expect(error).toMatchObject({ code: 'ERR_WRONG_TYPE', key: lock.names[1] });
  expect(await raw.exists(lock.names[0]!, lock.names[2]!)).toBe(0);
  await raw.del(lock.names[1]!);
});

test('a wait that lasts long is reported with the name that is waited for and who has it', async () => {
  const [client, other] = [scope.client({ stalledAfterMs: 50 }), scope.client()];
  const stalled: Parameters<ClientEvents['stalled']>[0][] = [];
  client.on('stalled', (event) => stalled.push(event));
  const lock = client.getMultiLock(some(3));
  const busy = await other.getLock(lock.names[1]!).acquire();

  const acquiring = lock.acquire();
  await eventually(() => stalled.length > 0);
  await busy.release();
  await (await acquiring).release();

  const [first] = stalled;
  expect(first).toMatchObject({ resource: lock.name, kind: 'multi-lock', part: lock.names[1] });
  expect(first?.holders.map(({ holderId }) => holderId)).toEqual([busy.holderId]);
});

test('a thousand waiters for the same names cost the server what one costs', async () => {
  const traffic = await countedTraffic(redisUrl());
  const [client, other] = [scope.client({ redis: traffic.url }), scope.client()];
  const lock = client.getMultiLock(some(3));
  const busy = await other.getLock(lock.names[0]!).acquire();
  await quiet(traffic, client);
  const before = traffic.scripts();

  const abort = new AbortController();
  const waits = Array.from({ length: 1_000 }, () =>
    outcome(lock.acquire({ signal: abort.signal })),
  );
  await waitsFor(lock.names[0]);
  abort.abort('enough');
  const errors = new Set(await Promise.all(waits));

  expect([...errors]).toEqual(['enough']);
  expect(traffic.scripts() - before).toBeLessThan(10);
  await busy.release();
});
