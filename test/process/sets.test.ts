// Several processes that hold random sets of the same names.

import { afterAll, expect, test } from 'vitest';
import { rawClient, redisUrl } from '../support/redis.js';
import { expectNoChannels, expectNoResidue, RECORDS_OF_LINES } from '../support/residue.js';
import { testScope } from '../support/scope.js';
import { countsOf, expectExclusion, heard, startCrowd, tell } from './crowd.js';

const PROCESSES = 4;
const NAMES = 20;
const TASKS = 10;
const ROUNDS = 15;

const scope = testScope('sets');
const raw = rawClient();

afterAll(async () => {
  await expectNoResidue(scope.prefix, { allow: [RECORDS_OF_LINES] });
  await expectNoChannels(scope.prefix);
});

test.each(['plain', 'fenced'])(
  'multi-locks of random %s names let each process in, and nobody else meanwhile',
  async (which) => {
    const name = scope.name();
    const fenced = Number(which === 'fenced');
    const crowd = await startCrowd('sets', PROCESSES, () => {
      return [redisUrl(), name, NAMES, TASKS, ROUNDS, fenced];
    });

    tell(crowd, { type: 'go' });
    await heard(crowd, 'done', { withinMs: 20_000 });
    const names = Array.from({ length: NAMES }, (_, i) => `${name}-${i}`);
    const counts = await Promise.all(names.map((each) => countsOf(raw, `${each}:gauge`)));
    await raw.del(names.flatMap((each) => [`${each}:gauge`, `redisson_lock_token:{${each}}`]));

    const sum = (count: (of: (typeof counts)[0]) => number): number =>
      counts.reduce((total, each) => total + count(each), 0);
    expectExclusion(...counts);
    const entries = sum((each) => each.entries);
    expect(entries).toBeGreaterThanOrEqual(PROCESSES * TASKS * ROUNDS * 2);
    expect(sum(({ tokens }) => tokens)).toBe(fenced * entries);
    expect(sum(({ alone }) => alone)).toBe(0);
    // A waiter that is not notified asks by itself after 5 s.
    expect(Math.max(...counts.map(({ gapMs }) => gapMs))).toBeLessThan(2_500);
  },
);
