// A model that ends holds where they are in the way agrees with one that has an act for each end.

import { expect, test } from 'vitest';
import { Random } from '../../../src/testing/random.js';
import { bruteForce } from './brute-force.js';
import { linearize, type Call, type Model } from './linearizability.js';
import { expirableModel } from './models/expirable.js';
import { lockModel, type LockAct } from './models/lock.js';
import { readWriteModel } from './models/read-write-lock.js';

const MAX_STEPS = 100_000;
const LAPSES = new Map([['a', 5]]);
const READ_WRITE = readWriteModel(new Map([['shared a', 5]]));
const EXPIRABLE = expirableModel(LAPSES);

const END = { what: 'end' } as const;

type Ends<Act> = Act | { readonly what: 'end' };

/** The acts of an owner `a` that end from 5 on, as often as it was granted something. */
function withEnds<State, Act>(
  model: Model<State, Act>,
  release: Act,
  calls: readonly Call<Act>[],
): boolean {
  const ending: Model<State, Ends<Act>> = {
    initial: model.initial,
    key: (state) => model.key(state),
    step: (state, act, until) => {
      if (act !== END) {
        return model.step(state, act as Act, until);
      }
      let left = model.step(state, release, until);
      for (let next = left; next !== undefined; next = model.step(next, release, until)) {
        left = next;
      }
      return left;
    },
  };
  const end = { act: END, from: 5, until: Number.POSITIVE_INFINITY, isOptional: true };
  return bruteForce(ending, [...calls, ...calls.slice(1).map(() => ({ ...end }))]);
}
/** Overlapping calls of three owners. */
function callsOf<Act>(random: Random, actOf: (owner: string) => Act): Call<Act>[] {
  return Array.from({ length: random.int(2, 4) }, () => {
    const from = random.int(0, 10);
    const until = from + random.int(0, 5);
    return { act: actOf(random.pick(['a', 'a', 'b', 'c'])), from, until, isOptional: false };
  });
}

function agree(check: (random: Random) => readonly [boolean, boolean]): void {
  const random = new Random(29);
  let legal = 0;
  for (let i = 0; i < 300; i += 1) {
    const [slow, fast] = check(random);
    expect(fast, `history ${i}`).toBe(slow);
    legal += slow ? 1 : 0;
  }
  expect(legal).toBeGreaterThan(20);
}

test('mutex', () => {
  const options = { isReentrant: true, isFenced: false };
  agree((random) => {
    const calls = callsOf(random, (owner) =>
      random.weighted<LockAct>([
        [5, () => ({ what: 'acquire', owner, token: undefined })],
        [2, () => ({ what: 'release', owner, mayBeGone: false })],
        [1, () => ({ what: 'busy', owner })],
        [1, () => ({ what: 'look', isHeld: random.chance(0.5) })],
      ]),
    );
    const gone = { what: 'release', owner: 'a', mayBeGone: false } as const;
    const fast = linearize(lockModel({ ...options, lapses: LAPSES }), calls, MAX_STEPS);
    return [withEnds(lockModel(options), gone, calls), fast.verdict === 'legal'];
  });
});

test('read-write lock', () => {
  agree((random) => {
    const calls = callsOf(random, (owner) => {
      const mode = random.pick(['shared', 'exclusive']);
      return random.weighted<Parameters<typeof READ_WRITE.step>[1]>([
        [5, () => ({ what: 'acquire', owner, mode })],
        [2, () => ({ what: 'release', owner, mode, mayBeGone: false })],
        [1, () => ({ what: 'busy', owner, mode })],
      ]);
    });
    const gone = { what: 'release', owner: 'a', mode: 'shared', mayBeGone: false } as const;
    const fast = linearize(READ_WRITE, calls, MAX_STEPS);
    return [withEnds(readWriteModel(), gone, calls), fast.verdict === 'legal'];
  });
});

test('expirable semaphore', () => {
  agree((random) => {
    const calls = callsOf(random, (owner) =>
      random.weighted<Parameters<typeof EXPIRABLE.step>[1]>([
        [5, () => ({ what: 'acquire', owner, amount: 1 })],
        [2, () => ({ what: 'release', owner, amount: 1, mayBeGone: false })],
        [1, () => ({ what: 'busy', amount: 1 })],
      ]),
    );
    const set = {
      act: { what: 'set', amount: 1 },
      from: 0,
      until: 0,
      isOptional: false,
    } as const;
    const gone = { what: 'release', owner: 'a', amount: 1, mayBeGone: false } as const;
    const all = [
      set,
      ...calls.map((one) => ({ ...one, from: one.from + 1, until: one.until + 1 })),
    ];
    const fast = linearize(EXPIRABLE, all, MAX_STEPS);
    return [withEnds(expirableModel(), gone, all), fast.verdict === 'legal'];
  });
});
