// What a turn of a contended lock costs in commands, and what is subscribed for it.

import { expect, test } from 'vitest';
import type { Client, Lock } from '../../../src/index.js';
import { fixture } from '../../contract/fixture.js';
import { eventually } from '../../support/eventually.js';
import { channelsUnder, redisUrl } from '../../support/redis.js';
import { countedTraffic, quiet, type Traffic } from '../../support/traffic.js';

const { client, name, raw } = fixture('hand-off-cost');

type Of = (of: Client, lockName: string) => Lock;

const kinds: Readonly<Record<string, Of>> = {
  lock: (of, lockName) => of.getLock(lockName),
  'fenced lock': (of, lockName) => of.getFencedLock(lockName),
  'write lock': (of, lockName) => of.getReadWriteLock(lockName).writeLock,
  'fair lock': (of, lockName) => of.getFairLock(lockName),
};

interface Cost {
  readonly scripts: number;
  readonly others: number;
}

/** All that was sent so far. */
function sent(traffics: readonly Traffic[]): Cost {
  const names = traffics.flatMap((traffic) => traffic.names());
  const scripts = names.filter((command) => command.startsWith('eval')).length;
  return { scripts, others: names.length - scripts };
}

/** Waits until each of them listens to its own channel, as a client does that holds something. */
async function listening(...clients: readonly Client[]): Promise<void> {
  const holds = await Promise.all(
    clients.map(async (each) => await each.getLock(name()).acquire()),
  );
  await eventually(async () => {
    const channels = await channelsUnder('redlatch:', raw);
    expect(channels).toEqual(expect.arrayContaining(clients.map(({ id }) => `redlatch:${id}`)));
  });
  await Promise.all(holds.map(async (hold) => await hold.release()));
}

/** What a turn costs where each client has so many waiters, in sections as short as can be. */
async function costOf(of: Of, clients: number, waiters: number, turns: number): Promise<Cost> {
  const lockName = name();
  const traffics = await Promise.all(
    Array.from({ length: clients }, async () => await countedTraffic(redisUrl())),
  );
  const all = traffics.map(({ url }) => client({ redis: url }));
  const locks = all.map((each) => of(each, lockName));
  const crowd = locks.flatMap((lock) => Array.from({ length: waiters }, () => lock));
  let inside = 0;
  const takeTurns = async (lock: Lock, count: number): Promise<void> => {
    for (let turn = 0; turn < count; turn += 1) {
      await lock.using(() => {
        inside += 1;
      });
    }
  };
  // Before the first turn: a client asks more often until it is seen to listen, and whoever waits for
  // one that is not listens to the channel of the lock too, which it leaves a second later.
  await listening(...all);
  await Promise.all(crowd.map(async (lock) => await takeTurns(lock, 10)));
  const before = sent(traffics);
  inside = 0;
  await Promise.all(crowd.map(async (lock) => await takeTurns(lock, turns)));
  const after = sent(traffics);
  await raw.del(`redisson_lock_token:{${lockName}}`);
  return {
    scripts: (after.scripts - before.scripts) / inside,
    others: (after.others - before.others) / inside,
  };
}

test.each(
  Object.keys(kinds).flatMap((kind) => [2, 4, 8].map((clients) => [kind, clients] as const)),
)(
  'a turn of a %s costs an ask, a confirmation and a release where each of %i clients has one waiter',
  async (kind, clients) => {
    const cost = await costOf(kinds[kind]!, clients, 1, 600 / clients);

    expect(cost.scripts).toBeLessThanOrEqual(3.05);
    expect(cost.others).toBeLessThanOrEqual(0.1);
  },
);

test.each(
  Object.keys(kinds)
    .filter((kind) => kind !== 'fair lock')
    .flatMap((kind) => [[kind, 1, 50] as const, [kind, 4, 25] as const]),
)(
  'most turns of a %s cost no command where each of %i clients has %i waiters',
  async (kind, clients, waiters) => {
    const cost = await costOf(kinds[kind]!, clients, waiters, 20);

    expect(cost.scripts).toBeLessThanOrEqual(0.25);
    expect(cost.others).toBeLessThanOrEqual(0.1);
  },
);

test('a turn of a fair lock costs little more than a command where one client has 50 waiters', async () => {
  const cost = await costOf(kinds['fair lock']!, 1, 50, 20);

  expect(cost.scripts).toBeLessThanOrEqual(1.25);
  expect(cost.others).toBeLessThanOrEqual(0.1);
});

test('a client that waits for many locks, which others hold, subscribes once', async () => {
  const traffic = await countedTraffic(redisUrl());
  const [holder, waiter] = [client(), client({ redis: traffic.url })];
  const names = Array.from({ length: 40 }, () => name());
  await listening(holder, waiter);
  const all = names.flatMap((each) =>
    Object.values(kinds).map((of, i) => [of, `${each}:${i}`] as const),
  );
  const held = await Promise.all(all.map(async ([of, each]) => await of(holder, each).acquire()));
  const waits = all.map(([of, each]) => of(waiter, each).acquire());
  await quiet(traffic, waiter);

  expect(traffic.names().filter((command) => command.includes('subscribe'))).toEqual(['subscribe']);

  await Promise.all(held.map(async (hold) => await hold.release()));
  const holds = await Promise.all(waits);
  await Promise.all(holds.map(async (hold) => await hold.release()));
  const tokens = all.map(([, each]) => `redisson_lock_token:{${each}}`);
  await raw.del(...tokens);
});
