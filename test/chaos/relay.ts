// A latch that ends by itself and is set again at once, by us or by Java, while others wait for it.

import { setTimeout as delay } from 'node:timers/promises';
import { createClient } from '../../src/index.js';
import type { Random } from '../../src/testing/random.js';
import { latchChannel } from '../support/latch-channel.js';
import { now } from './history.js';
import type { Scene } from './scene.js';

const COUNT = 3;
/** So long before it ends the next one is asked for, again and again. */
const NEAR_MS = 3;
/** How often at once: hardly an instant is left between the end and the next one. */
const AT_ONCE = 4;

const LONGEST_MS = 300;
/** Time for one whole latch, a server that is paused, and a slow machine. */
const PATIENCE_MS = 1_000;
const STALLED_MS = 200;

type Set = (ttlMs: number) => Promise<boolean>;

/** As Redisson sets one, but for a while. */
const SET_AS_JAVA = `
  if redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2], 'NX') then
    redis.call('PUBLISH', ARGV[3], '1')
    return 1
  end
  return 0`;

function setAsJava({ names: { relay: name }, raw }: Scene): Set {
  return async (ttlMs) =>
    (await raw.eval(SET_AS_JAVA, 1, name, COUNT, ttlMs, latchChannel(name))) === 1;
}

/** Sets it until all is over: its waiters have to go on each time, though none can see it at zero. */
export async function relay(scene: Scene, random: Random, isOver: () => boolean): Promise<void> {
  const { names, observer, recorder } = scene;
  const latch = observer.getCountDownLatch(names.relay);
  const setAsOurs: Set = async (ttlMs) => await latch.trySetCount(COUNT, { ttlMs });
  // Of one kind alone: a set of the other one would free those that overlooked the end before it.
  const set = random.chance(0.5) ? setAsOurs : setAsJava(scene);
  while (!isOver()) {
    const ttlMs = random.int(60, LONGEST_MS);
    const call = recorder.begin('observer', 'observer', 'trySetCount', latch.name);
    call.delta = COUNT;
    call.lifeMs = ttlMs;
    let isSet = false;
    const ask = async (): Promise<void> => {
      while (!isSet && !isOver()) {
        isSet = (await set(ttlMs)) || isSet;
      }
    };
    await recorder.run(call, async () => {
      await Promise.all(Array.from({ length: AT_ONCE }, ask));
      return isSet;
    });
    await delay(call.outcome === 'done' ? ttlMs - NEAR_MS : NEAR_MS);
  }
}

/** Waits for it again and again, undisturbed: the first end after a look ends the wait. */
export async function watchRelay(scene: Scene, isOver: () => boolean): Promise<void> {
  const { history, names, recorder, server } = scene;
  const client = createClient({ redis: server.url });
  const latch = client.getCountDownLatch(names.relay);
  while (!isOver()) {
    const call = recorder.begin('observer', 'observer', 'wait', latch.name);
    await recorder.run(call, async () => await latch.wait({ waitMs: PATIENCE_MS }));
    if (call.outcome === 'no' && history.stalledMs(call.from, now()) < STALLED_MS) {
      const text = `a waiter slept for ${PATIENCE_MS} ms, and no latch lives for more than ${LONGEST_MS}`;
      history.violated('a wait ends with the zero', latch.name, text);
    }
    await delay(LONGEST_MS / 10);
  }
  await client.close();
}
