// The search agrees with one that tries all orders.

import { describe, expect, test } from 'vitest';
import { Random } from '../../../src/testing/random.js';
import { bruteForce } from './brute-force.js';
import { linearize, type Call, type Model } from './linearizability.js';
import { expirableModel } from './models/expirable.js';
import { latchModel } from './models/latch.js';
import { lockModel, type LockAct } from './models/lock.js';
import { readWriteModel } from './models/read-write-lock.js';
import { semaphoreModel } from './models/semaphore.js';

const MAX_STEPS = 100_000;
const mutex = lockModel({ isReentrant: false, isFenced: false });
const LAPSES = new Map([['a', 5]]);

type Some = readonly [name: string, check: (random: Random) => readonly [boolean, boolean]];

/** A model with the acts from which histories are drawn, legal or not. */
function some<State, Act>(
  name: string,
  model: Model<State, Act>,
  actOf: (random: Random, owner: string) => Act,
): Some {
  return [
    name,
    (random) => {
      const calls = Array.from({ length: random.int(2, 7) }, (): Call<Act> => {
        const from = random.int(0, 12);
        const isOptional = random.chance(0.2);
        const until = isOptional && random.chance(0.5) ? Infinity : from + random.int(0, 6);
        return { act: actOf(random, random.pick(['a', 'b', 'c'])), from, until, isOptional };
      });
      return [bruteForce(model, calls), linearize(model, calls, MAX_STEPS).verdict === 'legal'];
    },
  ];
}

const lockAct = (random: Random, owner: string): LockAct =>
  random.weighted<LockAct>([
    [4, () => ({ what: 'acquire', owner, token: random.pick([undefined, 1n, 2n, 3n]) })],
    [4, () => ({ what: 'release', owner, mayBeGone: random.chance(0.1) })],
    [1, () => ({ what: 'busy', owner })],
    [1, () => ({ what: 'force', wasHeld: random.pick([undefined, true, false]) })],
    [1, () => ({ what: 'look', isHeld: random.chance(0.5) })],
  ]);

const READ_WRITE = readWriteModel(new Map([['shared a', 5]]));
const EXPIRABLE = expirableModel(LAPSES);

const MODELS: readonly Some[] = [
  some('mutex', mutex, lockAct),
  some(
    'reentrant mutex',
    lockModel({ isReentrant: true, isFenced: false, lapses: LAPSES }),
    lockAct,
  ),
  some('fenced mutex', lockModel({ isReentrant: false, isFenced: true }), lockAct),
  some('reentrant fenced mutex', lockModel({ isReentrant: true, isFenced: true }), lockAct),
  some('read-write lock', READ_WRITE, (random, owner) => {
    const mode = random.pick(['shared', 'exclusive']);
    return random.weighted<Parameters<typeof READ_WRITE.step>[1]>([
      [4, () => ({ what: 'acquire', owner, mode })],
      [4, () => ({ what: 'release', owner, mode, mayBeGone: false })],
      [1, () => ({ what: 'busy', owner, mode })],
      [1, () => ({ what: 'force', mode, wasHeld: undefined })],
    ]);
  }),
  ...[true, false].map((hasEnds) => {
    const model = semaphoreModel(hasEnds);
    return some(`semaphore, ends: ${hasEnds}`, model, (random, owner) => {
      const amount = random.int(1, 2);
      return random.weighted<Parameters<typeof model.step>[1]>([
        [3, () => ({ what: 'set', amount })],
        [3, () => ({ what: 'acquire', owner, amount })],
        [3, () => ({ what: 'give back', owner, amount })],
        [1, () => ({ what: 'add', amount: random.pick([-1, 1]) })],
        [1, () => ({ what: 'busy', amount })],
        [1, () => ({ what: 'look', left: random.int(0, 2), hidden: 0 })],
        [1, () => ({ what: 'drain', taken: random.int(0, 2), hidden: 0 })],
        [hasEnds ? 1 : 0, () => ({ what: 'delete', wasThere: undefined })],
      ]);
    });
  }),
  some('expirable semaphore', EXPIRABLE, (random, owner) => {
    const amount = random.int(1, 2);
    return random.weighted<Parameters<typeof EXPIRABLE.step>[1]>([
      [3, () => ({ what: 'set', amount })],
      [3, () => ({ what: 'acquire', owner, amount })],
      [3, () => ({ what: 'release', owner, amount, mayBeGone: false })],
      [1, () => ({ what: 'busy', amount })],
      [1, () => ({ what: 'look', left: random.int(0, 2), hidden: 0 })],
    ]);
  }),
  some('latch', latchModel, (random) =>
    random.weighted<Parameters<typeof latchModel.step>[1]>([
      [2, () => ({ what: 'set', count: random.int(1, 2), number: random.pick([undefined, 1, 2]) })],
      [1, () => ({ what: 'lapse', number: random.int(1, 2) })],
      [3, () => ({ what: 'count down' })],
      [2, () => ({ what: 'wait', isOpen: random.chance(0.5) })],
      [1, () => ({ what: 'look', count: random.int(0, 2) })],
      [1, () => ({ what: 'was set' })],
    ]),
  ),
];

describe('it agrees with a search through all orders', () => {
  test.each(MODELS)('%s', (_, check) => {
    const random = new Random(17);
    let legal = 0;
    for (let i = 0; i < 300; i += 1) {
      const [slow, fast] = check(random);
      expect(fast, `history ${i}`).toBe(slow);
      legal += slow ? 1 : 0;
    }
    // Both answers were met.
    expect(legal).toBeGreaterThan(20);
    expect(legal).toBeLessThan(280);
  });
});
