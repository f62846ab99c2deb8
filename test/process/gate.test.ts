import { afterAll, expect, test } from 'vitest';
import { rawClient, redisUrl } from '../support/redis.js';
import { expectNoChannels, expectNoResidue } from '../support/residue.js';
import { testScope } from '../support/scope.js';
import { countsOf, expectExclusion, heard, startCrowd, tell } from './crowd.js';

const LIMIT = 3;
const PROCESSES = 4;
const TASKS = 3;
const TOTAL = 150;

const scope = testScope('gate');
const raw = rawClient();

afterAll(async () => {
  await expectNoResidue(scope.prefix, { allow: [/^redlatch_requests:/] });
  await expectNoChannels(scope.prefix);
});

test.each(['semaphore', 'permits'] as const)(
  'four processes fill a gate of three again and again, and never more than that (%s)',
  async (kind) => {
    const name = scope.name();
    const client = scope.client();
    const gate =
      kind === 'semaphore' ? client.getSemaphore(name) : client.getPermitExpirableSemaphore(name);
    await gate.trySetPermits(LIMIT);
    const crowd = await startCrowd('gate', PROCESSES, () => {
      return [redisUrl(), name, kind, LIMIT, TASKS, TOTAL];
    });

    tell(crowd, { type: 'go' });
    await heard(crowd, 'done', { withinMs: 20_000 });
    const counts = await countsOf(raw, `${name}:gauge`);
    const left = await gate.availablePermits();
    await gate.delete();
    await raw.del(`${name}:gauge`, `${name}:turns`);

    expectExclusion(counts);
    expect(counts).toMatchObject({ entries: TOTAL, clashes: 0, shared: 0, peak: LIMIT });
    // Each one but the last few stayed until it was full.
    expect(counts.full).toBeGreaterThanOrEqual(TOTAL / LIMIT - 1);
    // A waiter that is not told asks by itself after 5 s.
    expect(counts.gapMs).toBeLessThan(2_500);
    expect(left).toBe(LIMIT);
  },
);
