// A waiter can tell its latch from the next one of the name, whatever ended it and whoever set the next.

import { afterAll, expect, test } from 'vitest';
import type { CountDownLatch } from '../../../src/index.js';
import { eventually } from '../../support/eventually.js';
import { latchChannel, listening } from '../../support/latch-channel.js';
import { startProxy } from '../../support/proxy.js';
import { rawClient, redisUrl } from '../../support/redis.js';
import { expectNoChannels, expectNoResidue } from '../../support/residue.js';
import { testScope } from '../../support/scope.js';

/** Long enough for a first look, and short enough to wait for its end. */
const TTL_MS = 400;
const WAIT_MS = 20_000;
const MINUTE_MS = 60_000;

const scope = testScope('latch-next');
const raw = rawClient();

afterAll(async () => {
  await expectNoResidue(scope.prefix, { allow: [/^redlatch_(?:requests|opened):/] });
  await expectNoChannels(scope.prefix);
});

interface Place {
  readonly latch: CountDownLatch;
  readonly name: string;
}

/** How the latch is set at first, how it ends, and how it is set again. */
type Step = (place: Place) => Promise<unknown>;

const oursFor =
  (ttlMs?: number): Step =>
  ({ latch }) =>
    latch.trySetCount(2, { ttlMs });
/** Redisson's set; it knows nothing of marks. A life is given to it by hand. */
const theirs =
  (...life: [] | ['PX', number]): Step =>
  async ({ name }) => {
    const set = raw.multi();
    await (life.length === 0 ? set.set(name, '2') : set.set(name, '2', ...life))
      .publish(latchChannel(name), '1')
      .exec();
  };
const byAge: Step = async ({ name }) => {
  await eventually(async () => (await raw.exists(name)) === 0);
};
const theirDeletion: Step = async ({ name }) => await raw.del(name);
const ourDeletion: Step = async ({ latch }) => await latch.delete();
const ourZero: Step = async ({ latch }) => {
  await Promise.all([latch.countDown(), latch.countDown()]);
};

test.each<[string, Step, Step, Step]>([
  ['ours reached its ttlMs, and ours comes next', oursFor(TTL_MS), byAge, oursFor()],
  ['ours reached its ttlMs, and one of Java comes next', oursFor(TTL_MS), byAge, theirs()],
  ['one of Java reached its life, and ours comes next', theirs('PX', TTL_MS), byAge, oursFor()],
  ['one of Java reached its life, and one of Java', theirs('PX', TTL_MS), byAge, theirs()],
  ['Java deleted ours, and ours comes next', oursFor(), theirDeletion, oursFor()],
  ['Java deleted its own, and ours comes next', theirs(), theirDeletion, oursFor()],
  ['we deleted ours, and one of Java comes next', oursFor(), ourDeletion, theirs()],
  ['we deleted one of Java, and ours comes next', theirs(), ourDeletion, oursFor()],
  ['we counted ours down, and ours comes for a while', oursFor(), ourZero, oursFor(60_000)],
  ['we counted one of Java down, and one of Java', theirs(), ourZero, theirs()],
])('its waiters go on, though they saw no end: %s', async (_, set, end, setAgain) => {
  const proxy = await startProxy({ target: redisUrl() });
  const name = scope.name();
  const place = { latch: scope.client().getCountDownLatch(name), name };
  const waiter = scope.client({ redis: proxy.url }).getCountDownLatch(name);
  await waiter.count();
  await set(place);
  const waiting = waiter.wait({ waitMs: WAIT_MS });
  await listening(raw, name);

  proxy.refuse();
  proxy.cutAll();
  await listening(raw, name, 0);
  await end(place);
  await setAgain(place);
  await proxy.accept();

  expect(await waiting).toBe(true);
  expect(await place.latch.count()).toBe(2);
  await place.latch.delete();
});

/** One who waits, and whether the wait is over. */
async function waiterOf(latch: CountDownLatch) {
  const state = { isOver: false, waiting: Promise.resolve(false) };
  state.waiting = latch.wait({ waitMs: WAIT_MS }).finally(() => {
    state.isOver = true;
  });
  await listening(raw, latch.name);
  return state;
}

async function serverMs(): Promise<number> {
  const [seconds, micros] = await raw.time();
  return Number(seconds) * 1_000 + Math.floor(Number(micros) / 1_000);
}

/** All waiters of a client look together: it is answered by the same look as they. */
async function look(latch: CountDownLatch): Promise<void> {
  expect(await latch.wait({ waitMs: 0 })).toBe(false);
}

test.each<[string, (name: string) => Promise<unknown>]>([
  ['a later end', async (name) => await raw.pexpire(name, 60_000)],
  ['no end any more', async (name) => await raw.persist(name)],
])(
  'a latch that is given %s by hand keeps its waiters beyond the first one',
  async (_, prolong) => {
    const latch = scope.client().getCountDownLatch(scope.name());
    await latch.count();
    await latch.trySetCount(1, { ttlMs: TTL_MS });
    const waiter = await waiterOf(latch);

    await prolong(latch.name);
    await look(latch);
    const firstEnd = (await serverMs()) + TTL_MS;
    await eventually(async () => (await serverMs()) > firstEnd);
    await look(latch);

    expect(waiter.isOver).toBe(false);
    await latch.countDown();
    expect(await waiter.waiting).toBe(true);
  },
);

test('a mark that is gone lets nobody go while the latch is there', async () => {
  const latch = scope.client().getCountDownLatch(scope.name());
  await latch.trySetCount(1);
  const waiter = await waiterOf(latch);

  await raw.del(`redlatch_opened:{${latch.name}}`);
  await look(latch);

  expect(waiter.isOver).toBe(false);
  await latch.delete();
  expect(await waiter.waiting).toBe(true);
});

test('the message of its own set lets nobody go, and the life of a latch no waiter early', async () => {
  const latch = scope.client().getCountDownLatch(scope.name());
  await latch.trySetCount(1, { ttlMs: 60_000 });
  const waiter = await waiterOf(latch);

  await raw.publish(latchChannel(latch.name), '1');
  await look(latch);

  expect(waiter.isOver).toBe(false);
  await latch.countDown();
  expect(await waiter.waiting).toBe(true);
});

test('a latch that is set again at once, again and again, lets go each time', async () => {
  const latch = scope.client().getCountDownLatch(scope.name());
  const setter = scope.client().getCountDownLatch(latch.name);
  await setter.trySetCount(3, { ttlMs: 100 });
  for (let round = 0; round < 8; round += 1) {
    const waiting = latch.wait({ waitMs: WAIT_MS });
    let isSet = false;
    while (!isSet) {
      isSet = await setter.trySetCount(3, { ttlMs: 100 });
    }
    expect(await waiting).toBe(true);
  }

  await setter.delete();
});

test('the mark of a latch lives as long as it, and at least ten minutes', async () => {
  const latch = scope.client().getCountDownLatch(scope.name());
  const lives: number[] = [];
  const note = async (): Promise<void> => {
    const lifeMs = await raw.pttl(`redlatch_opened:{${latch.name}}`);
    lives.push(Math.ceil(lifeMs / MINUTE_MS));
  };

  for (const ttlMs of [undefined, 5_000, 120 * MINUTE_MS]) {
    await latch.trySetCount(1, { ttlMs });
    await note();
    await latch.countDown();
    await note();
  }

  expect(lives).toEqual([30 * 24 * 60, 10, 10, 10, 120, 10]);
});
