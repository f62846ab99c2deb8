// 2,000 acquisitions and waits that are aborted at random instants, on a network with delays.

import { setTimeout as delay } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { randomFrom } from '../../scripts/lib/random.mjs';
import type { Client, Hold, Lock } from '../../src/index.js';
import { eventually } from '../support/eventually.js';
import { keysUnder, rawClient } from '../support/redis.js';
import { expectNoChannels, hasNoLease } from '../support/residue.js';
import { seed } from '../support/seed.js';
import { watchTimers } from './timers.js';
import { expectHolder, faultWorlds, take, type World, prepare } from './world.js';
import { kinds, lockKinds } from '../support/kinds/kinds.js';
import type { Grant, Kind } from '../support/kinds/kind.js';

const open = faultWorlds('abort');
/** 2,000 for each kind, and as many for re-entries and latches together. */
const ABORTS = 2_000 * (kinds.length + 1);
const BATCH = 200;
const LEFT = new Error('left');
/** So many of each kind that some are free. */
const FREE = Array.from({ length: 8 }, (_, i) => `free-${i}`);

type Random = () => number;

/** Aborts now, in a moment, or some milliseconds later. */
function abortSometime(random: Random): AbortSignal {
  const abort = new AbortController();
  const leave = (): void => {
    abort.abort(LEFT);
  };
  const when = random();
  if (when < 0.05) {
    leave();
  } else if (when < 0.1) {
    queueMicrotask(leave);
  } else if (when < 0.2) {
    setImmediate(leave);
  } else {
    setTimeout(leave, random() * (when < 0.6 ? 10 : 50));
  }
  return abort.signal;
}

interface Tally {
  aborted: number;
  granted: number;
}

/** Counts how an attempt ended; anything but its end or its abort fails the test. */
async function tallied(tally: Tally, work: Promise<Grant | boolean>): Promise<void> {
  try {
    const result = await work;
    if (typeof result !== 'boolean') {
      tally.granted += 1;
      await result.release();
    }
  } catch (error) {
    expect(error).toBe(LEFT);
    tally.aborted += 1;
  }
}

/** An object of a kind, as the client under test and as another one sees it. */
interface Thing {
  readonly kind: Kind;
  readonly name: string;
}

interface Scene {
  readonly free: readonly Thing[];
  readonly busy: readonly Thing[];
  readonly outers: readonly (readonly [Lock, Hold])[];
  readonly closedLatch: string;
  readonly openLatch: string;
}

async function setScene(world: World): Promise<Scene> {
  const { client, other, name } = world;
  const things = async (word: string): Promise<Thing[]> =>
    await Promise.all(
      kinds.map(async (kind) => {
        const thing = { kind, name: `${name}-${word}-${kind.what.replace(' ', '-')}` };
        await prepare(kind, world, thing.name);
        return thing;
      }),
    );
  const outers = lockKinds.map(async ({ what, create }) => {
    const lock = create(client, `${name}-outer-${what.replace(' ', '-')}`);
    return [lock, await take(lock)] as const;
  });
  await other.getCountDownLatch(`${name}-closed`).trySetCount(1, { ttlMs: 60_000 });
  return {
    free: (await Promise.all(FREE.map(async (each) => await things(each)))).flat(),
    busy: await things('busy'),
    outers: await Promise.all(outers),
    closedLatch: `${name}-closed`,
    openLatch: `${name}-open`,
  };
}

/** One attempt of a random kind. */
function attempt(client: Client, scene: Scene, random: Random): Promise<Grant | boolean> {
  const { free, busy, outers } = scene;
  const pick = <T>(from: readonly T[]): T => from[Math.floor(random() * from.length)]!;
  const signal = abortSometime(random);
  const which = random() * (kinds.length + 1);
  if (which < kinds.length) {
    const { kind, name } = pick(random() < 0.5 ? free : busy);
    const isPatient = random() < 0.03;
    return kind.get(client, name).acquire(isPatient ? {} : { signal });
  }
  if (random() < 0.6) {
    const [lock, outer] = pick(outers);
    return lock.acquire({ signal, within: outer });
  }
  const latch = random() < 0.8 ? scene.closedLatch : scene.openLatch;
  return client.getCountDownLatch(latch).wait({ signal });
}

/** Somebody else has the busy ones for a while, again and again. */
async function keepBusy(other: Client, { busy }: Scene, random: Random): Promise<void> {
  await Promise.all(
    busy.map(async ({ kind, name }) => {
      const grant = await kind.rival(other, name).acquire({ leaseMs: 20_000 });
      await delay(random() * 15);
      await grant.release();
    }),
  );
}

test('aborting at random instants leaves no key, no waiter, no channel and no timer', async (context) => {
  process.stderr.write(`abort storm: seed ${seed}\n`);
  const random = randomFrom(seed);
  const timers = watchTimers();
  context.onTestFinished(timers.stop);
  const world = await open(context);
  const { proxy, name, client, other } = world;
  const told = { acquired: 0, released: 0, lost: 0 };
  client.on('acquired', () => (told.acquired += 1));
  client.on('released', () => (told.released += 1));
  client.on('lost', () => (told.lost += 1));
  const scene = await setScene(world);
  const tally: Tally = { aborted: 0, granted: 0 };

  for (let i = 0; i < ABORTS; i += BATCH) {
    proxy.delay({ upMs: random() * 4, downMs: random() * 4 });
    const attempts = Array.from({ length: BATCH }, async () => {
      await tallied(tally, attempt(client, scene, random));
    });
    await Promise.all([...attempts, keepBusy(other, scene, random)]);
  }
  proxy.delay({});

  expect(tally.aborted, JSON.stringify({ seed, tally })).toBeGreaterThan(ABORTS / 10);
  expect(tally.granted, JSON.stringify({ seed, tally })).toBeGreaterThan(ABORTS / 100);
  for (const [lock, outer] of scene.outers) {
    await eventually(async () => {
      await expectHolder(lock.name, outer);
    });
    expect(outer.isHeld).toBe(true);
    await outer.release();
  }
  const outers = scene.outers.map(([{ name: each }], i) => ({ kind: lockKinds[i]!, name: each }));
  for (const { kind, name: each } of [...scene.free, ...scene.busy, ...outers]) {
    await eventually(async () => await kind.isFree(each));
    const next = await take(kind.get(other, each));
    await next.release();
  }
  await other.getCountDownLatch(scene.closedLatch).delete();
  const semaphores = new Set(
    [...scene.free, ...scene.busy].filter(({ kind }) => kind.isSemaphore).map((each) => each.name),
  );
  const left = (await keysUnder(name)).filter(
    (key) =>
      !/redlatch_(?:cancelled|requests|opened|tickets)|lock_token/u.test(key) &&
      !semaphores.has(key),
  );
  const isKept = await Promise.all(left.map(async (key) => await hasNoLease(key, rawClient())));
  expect(left.filter((_, i) => isKept[i] !== true)).toEqual([]);
  await expectNoChannels(name, { withinMs: 4_000 });
  expect(told).toEqual({
    acquired: tally.granted + outers.length,
    released: tally.granted + outers.length,
    lost: 0,
  });

  await Promise.all([client.close(), other.close()]);
  await eventually(() => {
    expect(timers.alive()).toEqual([]);
  });
}, 90_000);

test('a closed client leaves nothing that keeps the process alive', async (context) => {
  const timers = watchTimers();
  context.onTestFinished(timers.stop);
  const { proxy, name, client, other, open: start } = await open(context);
  const second = start();
  const hold = await take(client.getLock(name));
  const fixed = await take(second.getLock(`${name}-fixed`), { leaseMs: 10_000 });
  const waits = [second.getLock(name).acquire(), client.getLock(`${name}-fixed`).acquire()];
  const ended = Promise.allSettled(waits);
  expect(await second.getLock(name).tryAcquire({ waitMs: 500 })).toBeNull();
  proxy.cutAll();

  await Promise.all([client.close(), second.close(), other.close()]);

  expect((await ended).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  expect([hold.isHeld, fixed.isHeld]).toEqual([false, false]);
  await eventually(() => {
    expect(timers.alive()).toEqual([]);
  });
  await eventually(() => proxy.connections().length === 0);
});
