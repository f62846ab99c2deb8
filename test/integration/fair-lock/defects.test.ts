// What Redisson's fair lock does wrong and this one does not, by the id in the defect register.

import { expect, test } from 'vitest';
import { AcquireTimeoutError, LeaseLostError } from '../../../src/index.js';
import { fixture, rejection } from '../../contract/fixture.js';
import { eventually } from '../../support/eventually.js';
import { messagesOn } from '../../support/messages.js';
import { redisUrl } from '../../support/redis.js';
import { countedTraffic } from '../../support/traffic.js';
import { AHEAD_MS, clientsOf, DEAD, FairView, JAVA, PATIENCE_MS } from './fair.js';

const { name, raw } = fixture('fair-defects');

test.concurrent('Q1: behind a head that leaves a free lock untaken, a waiter asks rarely', async (context) => {
  const client = clientsOf(context);
  const view = new FairView(raw, name());
  await view.enter(`${JAVA}:1`);
  const traffic = await countedTraffic(redisUrl());
  const lock = client({ redis: traffic.url }).getFairLock(view.name);

  const error = await rejection(lock.acquire({ waitMs: 2_500 }));

  expect(error).toBeInstanceOf(AcquireTimeoutError);
  expect(await view.queued(1)).toEqual([`${JAVA}:1`]);
  // One attempt, one to queue, one every 1.3 s, one about who has it, and one to leave.
  expect(traffic.scripts()).toBeGreaterThanOrEqual(4);
  expect(traffic.scripts()).toBeLessThanOrEqual(7);
  await view.clear();
});

test.concurrent('Q2: any number of dead waiters at the head cost no time once they count as dead', async (context) => {
  const client = clientsOf(context);
  const view = new FairView(raw, name());
  for (let i = 0; i < 250; i += 1) {
    await view.enter(`${DEAD}:${i}`, { scoreInMs: 100 * PATIENCE_MS, beatAgoMs: 4_000 });
  }
  const startedAt = performance.now();

  const hold = await client().getFairLock(view.name).acquire();

  expect(performance.now() - startedAt).toBeLessThan(2_500);
  expect(await view.waiting()).toEqual([]);
  await hold.release();
});

test.concurrent('Q2: waiters that died just now cost 4 s together', async (context) => {
  const client = clientsOf(context);
  const view = new FairView(raw, name());
  for (let i = 0; i < 3; i += 1) {
    const holderId = `${DEAD.slice(0, 35)}${i}:1`;
    await view.enter(holderId, { scoreInMs: 100 * PATIENCE_MS, beatAgoMs: 0 });
  }
  const startedAt = performance.now();

  const hold = await client().getFairLock(view.name).acquire();
  const waitedMs = performance.now() - startedAt;

  expect(waitedMs).toBeGreaterThan(3_500);
  expect(waitedMs).toBeLessThan(5_000);
  await hold.release();
});

test.concurrent('Q3: a waiter that is heard of is never evicted, whatever its score', async (context) => {
  const client = clientsOf(context);
  const view = new FairView(raw, name());
  const holder = client();
  const hold = await holder.getFairLock(view.name).acquire();
  const waiting = client().getFairLock(view.name).acquire();
  const [holderId = ''] = await view.queued(1);
  const other = client().getFairLock(view.name).acquire();
  await view.queued(2);

  // As a client does whose clock is ahead, were it to shift scores.
  await raw.zadd(view.timeouts, 1, holderId);
  await hold.release();
  const next = await Promise.race([waiting, other]);

  expect(next.holderId).toBe(holderId);
  await next.release();
  await (await other).release();
});

test.concurrent('Q4: a waiter renews its score before Java could take it for dead', async (context) => {
  const client = clientsOf(context);
  const view = new FairView(raw, name());
  const hold = await client().getFairLock(view.name).acquire({ leaseMs: 20_000 });
  const lock = client().getFairLock(view.name);
  const waits = [lock.acquire(), lock.acquire()];
  const waiting = await view.queued(2);
  const scoresOf = async (): Promise<number[]> =>
    await Promise.all(waiting.map(async (holderId) => await view.score(holderId)));

  // By then Java would have dropped both, had they stayed as they came.
  const last = Math.max(...(await scoresOf()));
  const lefts: number[] = [];
  await eventually(
    async () => {
      const scores = await scoresOf();
      const now = await view.now();
      lefts.push(...scores.map((score) => score - now));
      return now > last;
    },
    { withinMs: 4 * AHEAD_MS },
  );

  expect(Math.min(...lefts)).toBeGreaterThan(0);
  expect(Math.max(...lefts)).toBeLessThanOrEqual(AHEAD_MS);
  expect(await view.waiting()).toEqual(waiting);
  await hold.release();
  for (const wait of waits) {
    await (await wait).release();
  }
});

test.concurrent('Q5: when dropping a dead head leaves another one, that one is told', async (context) => {
  const client = clientsOf(context);
  const view = new FairView(raw, name());
  await view.enter(`${JAVA}:1`, { scoreInMs: -1 });
  await view.enter(`${JAVA}:2`);
  const messages = await messagesOn(`${view.channel}:${JAVA}:2`, { context });

  const barging = await client().getFairLock(view.name).tryAcquire();
  await eventually(() => messages.length > 0);

  expect(barging).toBeNull();
  expect(await view.waiting()).toEqual([`${JAVA}:2`]);
  expect(messages).toEqual(['0']);
  await view.clear();
});

test.concurrent('Q5: a head that leaves a free lock tells the next one', async (context) => {
  const client = clientsOf(context);
  const view = new FairView(raw, name());
  await view.hold(`${JAVA}:9`, 60_000);
  const abort = new AbortController();
  const waiting = client().getFairLock(view.name).acquire({ signal: abort.signal });
  waiting.catch(() => undefined);
  const [holderId = ''] = await view.queued(1);
  await view.enter(`${JAVA}:1`);
  const messages = await messagesOn(`${view.channel}:${JAVA}:1`, { context });

  // Right after it asked, so that it does not get in.
  const beat = async (): Promise<string | null> =>
    await raw.zscore(view.beats, holderId.slice(0, 36));
  const before = await beat();
  await eventually(async () => (await beat()) !== before);
  await view.free();
  abort.abort(new Error('left'));

  await expect(waiting).rejects.toThrow('left');
  await eventually(() => messages.length > 0);
  expect(messages).toEqual(['0']);
  expect(await view.waiting()).toEqual([`${JAVA}:1`]);
  await view.clear();
});

test.concurrent('Q6: an attempt that does not wait leaves no entry, and a wait that ends takes its own', async (context) => {
  const client = clientsOf(context);
  const view = new FairView(raw, name());
  const hold = await client().getFairLock(view.name).acquire();
  const lock = client().getFairLock(view.name);
  const seen = async (): Promise<number> => await raw.exists(view.queue, view.timeouts);

  const tried = [await lock.tryAcquire(), await lock.tryAcquire({ waitMs: 0 })];
  const afterTrying = await seen();
  const waiting = lock.tryAcquire({ waitMs: 300 });
  await view.queued(1);
  const during = await seen();
  const waited = await waiting;
  await view.queued(0);

  expect([...tried, waited]).toEqual([null, null, null]);
  expect([afterTrying, during, await seen()]).toEqual([0, 2, 0]);
  await hold.release();
});

test.concurrent('Q7: nobody else is shifted by a grant or by a waiter that leaves', async (context) => {
  const client = clientsOf(context);
  const view = new FairView(raw, name());
  const lock = client().getFairLock(view.name);
  const hold = await lock.acquire();
  const abort = new AbortController();
  const waits = [lock.acquire(), lock.acquire({ signal: abort.signal }), lock.acquire()];
  const [head = ''] = await view.queued(3);
  await view.enter(`${JAVA}:1`);
  const before = await raw.zrange(view.timeouts, '0', '-1', 'WITHSCORES');
  const scores = new Map(before.flatMap((holderId, i) => [[holderId, before[i + 1]]]));

  abort.abort(new Error('left'));
  await rejection(waits[1] ?? Promise.resolve());
  await hold.release();
  const first = await waits[0];
  const [second = '', ...others] = await view.queued(2);

  expect(first?.holderId).toBe(head);
  expect(others).toEqual([`${JAVA}:1`]);
  expect(await raw.zscore(view.timeouts, second)).toBe(scores.get(second));
  expect(await raw.zscore(view.timeouts, `${JAVA}:1`)).toBe(scores.get(`${JAVA}:1`));
  await first?.release();
  await (await waits[2])?.release();
  await view.clear();
});

test.concurrent('Q8: a head without a score does not block the queue', async (context) => {
  const client = clientsOf(context);
  const view = new FairView(raw, name());
  await raw.rpush(view.queue, `${JAVA}:1`, `${JAVA}:2`);

  const hold = await client().getFairLock(view.name).tryAcquire();

  expect(hold).not.toBeNull();
  expect(await raw.exists(view.queue)).toBe(0);
  await hold?.release();
});

test.concurrent('Q8: waiters survive the loss of the scores, or of the queue', async (context) => {
  const client = clientsOf(context);
  const view = new FairView(raw, name());
  const hold = await client().getFairLock(view.name).acquire();
  const waits = [client().getFairLock(view.name).acquire()];
  const [first = ''] = await view.queued(1);
  waits.push(client().getFairLock(view.name).acquire());
  const [, second = ''] = await view.queued(2);

  await raw.del(view.timeouts);
  // Each comes back with the next ask of its waiter.
  await eventually(async () => (await raw.zcard(view.timeouts)) === 2, { withinMs: 15_000 });
  const afterScores = await view.waiting();
  await raw.del(view.queue);
  const afterQueue = await view.queued(2);

  expect(afterScores).toEqual([first, second]);
  expect(afterQueue.toSorted()).toEqual([first, second].toSorted());
  await hold.release();
  await Promise.all(
    waits.map(async (wait) => {
      await (await wait).release();
    }),
  );
});

test.concurrent('Q9: releasing a lock that expired is told as a loss', async (context) => {
  const client = clientsOf(context);
  const view = new FairView(raw, name());
  const hold = await client().getFairLock(view.name).acquire({ leaseMs: 60_000 });

  await view.free();
  const error = await rejection(hold.release());

  expect(error).toBeInstanceOf(LeaseLostError);
});

test.concurrent('a waiter of Java ahead is waited for, and told when it is its turn', async (context) => {
  const client = clientsOf(context);
  const view = new FairView(raw, name());
  const hold = await client().getFairLock(view.name).acquire();
  await view.enter(`${JAVA}:1`, { scoreInMs: 30_000 + PATIENCE_MS });
  const waiting = client().getFairLock(view.name).acquire();
  const [, holderId = ''] = await view.queued(2);
  const messages = await messagesOn(`${view.channel}:${JAVA}:1`, { context });

  await hold.release();
  await eventually(() => messages.length > 0);
  // As Java takes and frees it: in one step each. Whoever waits may ask in between.
  await view.take(`${JAVA}:1`, 30_000, holderId);
  const score = await view.score(holderId);
  await raw.multi().del(view.name).publish(`${view.channel}:${holderId}`, '0').exec();
  const next = await waiting;
  // After the shift that comes with Java's grant it is still no dead one to Java.
  expect(score).toBeGreaterThan(await view.now());
  // A waiter that asks while the lock is free tells the head once more.
  expect(new Set(messages)).toEqual(new Set(['0']));
  expect(next.holderId).toBe(holderId);
  await next.release();
});
