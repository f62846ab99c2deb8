// What goes wrong while a client passes a lock on among its own waiters: each of them, and the waiter of
// another client, gets its turn alone, and nothing is left behind.

import { describe, expect, test } from 'vitest';
import { LeaseLostError, type Client, type Hold, type Lock } from '../../src/index.js';
import {
  fairLockRelease,
  lockRelease,
  rwlockReleaseWrite,
} from '../../src/core/wire/scripts.generated.js';
import { promised } from '../support/broken-promise.js';
import { eventually } from '../support/eventually.js';
import type { WireScript } from '../support/kinds/kind.js';
import { rawClient } from '../support/redis.js';
import { ownServer } from '../support/server.js';
import { toldOf } from '../support/told.js';
import { cutReply, faultWorlds, isSubscriber, type World } from './world.js';

interface Kind {
  readonly kind: string;
  readonly of: (client: Client, name: string) => Lock;
  readonly release: WireScript;
}

const KINDS: readonly Kind[] = [
  { kind: 'lock', of: (client, name) => client.getLock(name), release: lockRelease },
  { kind: 'fenced lock', of: (client, name) => client.getFencedLock(name), release: lockRelease },
  {
    kind: 'write lock',
    of: (client, name) => client.getReadWriteLock(name).writeLock,
    release: rwlockReleaseWrite,
  },
  { kind: 'fair lock', of: (client, name) => client.getFairLock(name), release: fairLockRelease },
];
const WAITERS = 6;
/** How long a run lasts at most. */
const RUN_MS_MAX = 10;

const server = await ownServer();
const raw = rawClient(server.url);
const open = faultWorlds('runs');

interface Turns {
  readonly holds: readonly Hold[];
  readonly order: readonly string[];
  readonly lost: number;
  /** It has gone wrong. */
  readonly wentWrong: boolean;
}

/**
 * Some waiters of one client and then one of another wait in the line, and are let in. In the second
 * section of the first run something goes wrong, after which there may be so many owners at once.
 */
async function turns(
  world: World,
  { of }: Kind,
  goesWrong: () => Promise<void> | void,
  ownersAfter = 1,
): Promise<Turns> {
  const { client, name, other } = world;
  const first = await of(world.open(), name).acquire();
  const holds: Hold[] = [];
  const order: string[] = [];
  let [inside, lost, wentWrong] = [0, 0, false];
  const section = async (hold: Hold, who: string): Promise<void> => {
    inside += 1;
    promised('no more are in than there may be', () =>
      expect(inside).toBeLessThanOrEqual(wentWrong ? ownersAfter : 1),
    );
    const isPassed = holds.at(-1)?.holderId === hold.holderId;
    holds.push(hold);
    order.push(who);
    if (isPassed && !wentWrong) {
      wentWrong = true;
      await goesWrong();
    }
    inside -= 1;
  };
  const turn = async (by: Client, who: string): Promise<void> => {
    try {
      await of(by, name).using(async (hold) => await section(hold, who));
    } catch (error) {
      if (!(error instanceof LeaseLostError)) {
        throw error;
      }
      lost += 1;
    }
  };
  // Both know that they are told.
  const all = Array.from({ length: WAITERS }, () => turn(client, 'own'));
  await eventually(async () => (await toldOf(name, raw)) >= 1);
  const before = await toldOf(name, raw);
  all.push(turn(other, 'other'));
  const done = Promise.all(all);
  done.catch(() => undefined);
  await eventually(async () => (await toldOf(name, raw)) > before);
  await first.release();
  await done;
  return { holds, order, lost, wentWrong };
}

function expectAll({ holds, order, wentWrong }: Turns): void {
  expect(wentWrong).toBe(true);
  expect(order.toSorted()).toEqual(['other', ...Array<string>(WAITERS).fill('own')]);
  const tokens = holds.flatMap(({ fencingToken }) => fencingToken ?? []);
  promised('tokens grow', () =>
    expect(tokens.filter((token, i) => i > 0 && token <= tokens[i - 1]!)).toEqual([]),
  );
}

async function expectNothing({ name }: World): Promise<void> {
  await eventually(async () => {
    expect(await raw.exists(name)).toBe(0);
  });
  await raw.del(`redisson_lock_token:{${name}}`);
}

describe.each(KINDS)('a run of a $kind', (kind) => {
  test('lets everybody in alone where the server has forgotten its scripts', async (context) => {
    const world = await open(context, {}, server.url);

    const done = await turns(world, kind, async () => void (await raw.script('FLUSH')));

    expectAll(done);
    expect(done.lost).toBe(0);
    await expectNothing(world);
  });

  test('lets everybody in alone where the answer to its release is lost', async (context) => {
    const world = await open(context, {}, server.url);
    let replayed = Promise.resolve();

    const done = await turns(world, kind, () => {
      const { ran, replay } = cutReply(world.proxy, kind.release);
      replayed = ran().then(replay);
    });

    await replayed;
    expectAll(done);
    expect(done.lost).toBe(0);
    await expectNothing(world);
  });

  test('lets everybody in alone where Redis is gone for a while', async (context) => {
    const world = await open(context, {}, server.url);

    const done = await turns(world, kind, () => {
      world.down();
      setTimeout(() => void world.up(), 300);
    });

    expectAll(done);
    expect(done.lost).toBe(0);
    await expectNothing(world);
  });

  test('lets everybody in alone where its client hears no messages for a while', async (context) => {
    const world = await open(context, {}, server.url);

    const done = await turns(world, kind, () => {
      world.proxy.cutAll(isSubscriber);
    });

    expectAll(done);
    expect(done.lost).toBe(0);
    await expectNothing(world);
  });

  test('is lost where the server loses its data, and everybody gets in', async (context) => {
    const world = await open(context, {}, server.url);

    // The other client may find the lock free before this one knows that it is lost.
    const done = await turns(world, kind, async () => void (await raw.flushall()), 2);

    expectAll(done);
    expect(done.lost).toBeGreaterThan(0);
    await expectNothing(world);
  });
});

test('the loss that the release of a run shows is told of each hold that it may concern, also where the run is over because it lasted long enough', async (context) => {
  const { client, name } = await open(context, {}, server.url);
  const lock = client.getLock(name);
  const lost: string[] = [];
  client.on('lost', ({ error }) => lost.push(error.reason));
  const [last, third] = await passedOn(lock);

  await raw.del(name);
  // Without a turn of the event loop, in which the lease would be looked at.
  const until = performance.now() + RUN_MS_MAX;
  let now = until - RUN_MS_MAX;
  while (now < until) {
    now = performance.now();
  }

  await expect(last.release()).rejects.toBeInstanceOf(LeaseLostError);
  expect(lost).toEqual(['deleted', 'deleted']);
  await (await third).release();
});

/** A hold to which another one was passed on, and the wait behind it. A run ends by the clock: where this
 * process stood still, another one is made. */
async function passedOn(lock: Lock): Promise<[Hold, Promise<Hold>]> {
  const first = await lock.acquire();
  const second = lock.acquire();
  const third = lock.acquire();
  await first.release();
  const last = await second;
  if (last.holderId === first.holderId) {
    return [last, third];
  }
  await last.release();
  await (await third).release();
  return await passedOn(lock);
}
