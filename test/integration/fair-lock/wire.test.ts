// What a fair lock writes, seen from the server.

import { expect, test } from 'vitest';
import { fairLockAcquire } from '../../../src/core/wire/scripts.generated.js';
import { fairKeys } from '../../../src/core/locks/fair-line.js';
import { fixture } from '../../contract/fixture.js';
import { eventually } from '../../support/eventually.js';
import { keysUnder } from '../../support/redis.js';
import { AHEAD_MS, DEAD, FairView, JAVA, PATIENCE_MS } from './fair.js';

const { client, name, raw } = fixture('fair-wire');

test.each([
  ['plain', (base: string) => base],
  ['tagged', (base: string) => `a:{${base}}:b`],
])('waiters of a %s name stand in the queue with a score each', async (_, form) => {
  const view = new FairView(raw, form(name()));
  // Each turn under a holder id of its own.
  const lock = client({ handOff: 'strict' }).getFairLock(view.name);
  const first = await lock.acquire({ leaseMs: 60_000 });
  const before = await view.now();

  const waits = [lock.acquire(), lock.acquire()];
  const waiting = await view.queued(2);

  const after = await view.now();
  const scores = await Promise.all(waiting.map((holderId) => view.score(holderId)));
  const scored = await raw.zrange(view.timeouts, '0', '-1');
  const keys = await keysUnder(view.name, raw);
  const [queueTtl, timeoutsTtl] = await Promise.all([
    raw.pttl(view.queue),
    raw.pttl(view.timeouts),
  ]);
  await first.release();
  const served = [];
  for (const wait of waits) {
    const hold = await wait;
    served.push(hold.holderId);
    await hold.release();
  }
  expect(await raw.exists(view.name)).toBe(0);
  expect(served).toEqual(waiting);
  expect(scored).toEqual(waiting);
  expect(keys).toEqual([view.name, view.queue, view.timeouts, view.beats, view.tickets].toSorted());
  // Nobody of Java is before them, whatever the lease: they are renewed as long as they live.
  for (const score of scores) {
    expect(score).toBeGreaterThanOrEqual(before + AHEAD_MS);
    expect(score).toBeLessThanOrEqual(after + AHEAD_MS);
  }
  for (const ttlMs of [queueTtl, timeoutsTtl]) {
    expect(ttlMs).toBeGreaterThan(590_000);
    expect(ttlMs).toBeLessThanOrEqual(600_000 + AHEAD_MS);
  }
});

test('a forced release is told to the head', async () => {
  const view = new FairView(raw, name());
  const other = client();
  const hold = await other.getFairLock(view.name).acquire();
  const waiting = client().getFairLock(view.name).acquire();
  await view.queued(1);

  const forced = await other.getFairLock(view.name).forceRelease();
  const next = await waiting;

  expect(forced).toBe(true);
  expect(hold.isHeld).toBe(false);
  await next.release();
});

test.each([
  ['of the default patience', 30_000 + PATIENCE_MS, 30_000 + 2 * PATIENCE_MS + AHEAD_MS],
  ['that are more patient', 20 * PATIENCE_MS, 21 * PATIENCE_MS + AHEAD_MS],
])(
  'a score outlasts what the grants of two Java waiters %s take from it, and is renewed to that',
  async (_, javaMs, enoughMs) => {
    const view = new FairView(raw, name());
    const hold = await client().getFairLock(view.name).acquire();
    const before = await view.now();
    await view.enter(`${JAVA}:1`, { scoreInMs: javaMs });
    await view.enter(`${JAVA}:2`, { scoreInMs: javaMs + PATIENCE_MS });
    const waiting = client().getFairLock(view.name).acquire();

    const [, , holderId = ''] = await view.queued(3);
    const first = await view.score(holderId);
    const after = await view.now();
    await view.evict(`${JAVA}:1`);
    await view.evict(`${JAVA}:2`);
    await eventually(async () => (await view.score(holderId)) !== first);
    const second = await view.score(holderId);

    expect(first).toBeGreaterThanOrEqual(before + enoughMs);
    expect(first).toBeLessThanOrEqual(after + enoughMs);
    expect(second).toBeGreaterThanOrEqual(after + AHEAD_MS);
    expect(second).toBeLessThanOrEqual((await view.now()) + AHEAD_MS);
    await hold.release();
    await (await waiting).release();
  },
);

test('an entry behind a hundred others outlasts them all, and is renewed when it has come up', async () => {
  const view = new FairView(raw, name());
  const lock = client().getFairLock(view.name);
  const hold = await lock.acquire();
  const abort = new AbortController();
  const { signal } = abort;
  const leaving = Array.from({ length: 100 }, async () => await lock.acquire({ signal }));
  const all = Promise.allSettled(leaving);
  const waits = [lock.acquire(), lock.acquire()];
  const places = await view.queued(102);
  const before = await view.now();
  const scores = await Promise.all(places.slice(98).map((holderId) => view.score(holderId)));

  abort.abort(new Error('left'));
  await all;
  const [, last = ''] = await view.queued(2);
  await eventually(async () => (await view.score(last)) <= (await view.now()) + AHEAD_MS);

  const after = await view.now();
  // Nobody renews it there, and all who stand before it may be served until the next beat.
  expect(scores.slice(0, 2).every((score) => score < before + PATIENCE_MS)).toBe(true);
  expect(scores.slice(2).every((score) => score > before + 0.9 * PATIENCE_MS)).toBe(true);
  // One does not add to the other.
  expect(scores.slice(2).every((score) => score <= after + PATIENCE_MS + AHEAD_MS)).toBe(true);
  await hold.release();
  for (const wait of waits) {
    await (await wait).release();
  }
});

/** A thousand grants take a second, and many on a machine that is busy. */
const LONG = { withinMs: 30_000 };

test('scores do not grow while the queue is never empty', async () => {
  const view = new FairView(raw, name());
  const lock = client().getFairLock(view.name);
  const first = await lock.acquire();
  let grants = 0;
  const work = async (): Promise<void> => {
    for (let i = 0; i < 250; i += 1) {
      const hold = await lock.acquire();
      grants += 1;
      await hold.release();
    }
  };
  const workers = [work(), work(), work(), work()];
  await view.queued(4);
  let highest = 0;
  await first.release();

  const looking = eventually(async () => {
    const [last = ''] = await raw.zrange(view.timeouts, '-1', '-1');
    const left = (await view.score(last)) - (await view.now());
    highest = Math.max(highest, Number.isNaN(left) ? 0 : left);
    return grants >= 900;
  }, LONG);
  await Promise.all([looking, ...workers]);

  expect(grants).toBe(1_000);
  expect(highest).toBeGreaterThan(0);
  expect(highest).toBeLessThanOrEqual(AHEAD_MS);
});

test('queue and scores lose their TTL when only Java is left in them', async () => {
  const view = new FairView(raw, name());
  const lock = client().getFairLock(view.name);
  const hold = await lock.acquire();
  const abort = new AbortController();
  const waiting = lock.acquire({ signal: abort.signal });
  await view.queued(1);
  await view.enter(`${JAVA}:1`);
  expect(await raw.pttl(view.queue)).toBeGreaterThan(0);

  abort.abort(new Error('left'));
  await expect(waiting).rejects.toThrow('left');

  expect(await view.queued(1)).toEqual([`${JAVA}:1`]);
  expect(await raw.pttl(view.queue)).toBe(-1);
  expect(await raw.pttl(view.timeouts)).toBe(-1);
  await hold.release();
  await view.clear();
});

/** Runs the script of an acquisition for one holder. */
function asking(view: FairView, holder: string): (position: string) => Promise<unknown> {
  const { source, operands } = fairLockAcquire;
  const keys = { ...fairKeys(view.name), tombstone: tombstoneOf(view, holder) };
  const told = { publish: 'PUBLISH', channel: view.channel };
  return async (position) => {
    const args = { holder, count: 1, leaseMs: 5_000, position, windowMs: 0, ...told };
    const [count, ...rest] = operands(keys, args);
    return await raw.eval(source, Number(count), ...rest);
  };
}

const tombstoneOf = ({ queue }: FairView, holder: string): string =>
  `${queue.replace('redisson_lock_queue', 'redlatch_cancelled')}:${holder}`;

test('a burnt holder id neither takes the lock nor queues', async () => {
  const view = new FairView(raw, name());
  const holder = `${JAVA}:7`;
  const ask = asking(view, holder);
  await raw.set(tombstoneOf(view, holder), 1, 'PX', 60_000);

  const whenFree = await ask('queue');
  await view.hold(`${JAVA}:1`, 60_000);
  const whenHeld = [await ask('queue'), await ask('front')];

  expect([whenFree, ...whenHeld]).toEqual(['-3', '-3', '-3']);
  expect(await view.waiting()).toEqual([]);
  await view.clear();
});

test('a waiter whose score is lost between two of its asks stays in the queue once', async () => {
  const view = new FairView(raw, name());
  const holders = [`${DEAD}:1`, `${DEAD}:2`];
  const asks = holders.map((holder) => asking(view, holder));
  await view.hold(`${JAVA}:1`, 60_000);
  for (const ask of asks) {
    await ask('queue');
  }

  await raw.del(view.timeouts);
  await asks[0]?.('front');

  expect(await view.waiting()).toEqual(holders);
  expect(await raw.zcard(view.timeouts)).toBe(2);
  await view.clear();
});

test('a queue of which only Java is left loses the TTL that ours had given it', async () => {
  const view = new FairView(raw, name());
  const hold = await client().getFairLock(view.name).acquire();
  await view.enter(`${DEAD}:1`, { beatAgoMs: 4_000 });
  await view.enter(`${JAVA}:1`);
  await raw.pexpire(view.queue, 600_000);
  await raw.pexpire(view.timeouts, 600_000);

  await hold.release();

  expect(await view.waiting()).toEqual([`${JAVA}:1`]);
  expect([await raw.pttl(view.queue), await raw.pttl(view.timeouts)]).toEqual([-1, -1]);
  await view.clear();
});

test('an entry that a failover has brought back goes with the hold that it has lost', async () => {
  const view = new FairView(raw, name());
  const hold = await client({ leaseMs: 600 }).getFairLock(view.name).acquire();

  await view.free();
  await view.enter(hold.holderId, { beatAgoMs: 0 });

  await eventually(async () => (await view.waiting()).length === 0);
  expect(hold.state).toBe('lost');
  await view.clear();
});
