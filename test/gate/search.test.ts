// How a search goes through its checks, and what it says of what it finds.

import { expect, test } from 'vitest';
import type { Outcome } from '../../scripts/gate/outcome.mjs';
import { outcomeSince } from '../../scripts/gate/outcome.mjs';
import { searchChecks } from '../../scripts/search/checks.mjs';
import { findingsPage, notReached, slicesTable } from '../../scripts/search/report.mjs';
import { inOrderOf, repeated, search, type SearchCheck } from '../../scripts/search/run.mjs';

/** A check that notes the seeds of its rounds, of which some find something. */
function check(
  name: string,
  { roundS = 0, finds = [] as number[], takesMs = 20, seeds: used = 1 } = {},
): SearchCheck & { begun: number[] } {
  const begun: number[] = [];
  return {
    name,
    roundS,
    seeds: used,
    begun,
    run: async ({ seed }): Promise<Outcome> => {
      const startedAt = performance.now();
      await new Promise((resolve) => {
        setTimeout(resolve, takesMs);
      });
      begun.push(seed);
      const failure = {
        name: `${name} ${seed}`,
        details: 'it is wrong',
        repeat: `repeat ${name}`,
        canBeBadLuck: false,
      };
      const failures = finds.includes(seed) ? [failure] : [];
      return outcomeSince(name, startedAt, { passed: 1, failures });
    },
  };
}

test('each check is the first once, over as many commits as there are checks', () => {
  const orders = [0, 1, 2, 3].map((commits) => inOrderOf(['a', 'b', 'c'], commits).join(''));

  expect(orders).toEqual(['abc', 'bca', 'cab', 'abc']);
});

test('a check runs rounds with new seeds until its slice is over, also after a finding', async () => {
  const [one, two] = [check('one', { finds: [70, 71] }), check('two')];

  const { slices, findings } = await search([one, two], { ms: 400, seed: 70 });

  expect(one.begun.slice(0, 3)).toEqual([70, 71, 72]);
  expect(two.begun[0]).toBe(70);
  expect(findings.map(({ seed, failure }) => [seed, failure.name])).toEqual([
    [70, 'one 70'],
    [71, 'one 71'],
  ]);
  expect(slices.map(({ name, findings: count }) => [name, count])).toEqual([
    ['one', 2],
    ['two', 0],
  ]);
});

test('a round begins with the seed behind those of the round before', async () => {
  const chaos = check('chaos', { seeds: 16 });

  await search([chaos], { ms: 150, seed: 100 });

  expect(chaos.begun.slice(0, 3)).toEqual([100, 116, 132]);
});

test('a repetition that is cut off says nothing', async () => {
  const waits = program(0);
  const again = { ...waits.failure.again, args: ['--eval', 'setTimeout(() => {}, 60_000)'] };
  const [finding] = await repeated([{ ...waits, failure: { ...waits.failure, again } }], 500);

  expect([finding!.failed, finding!.repeated]).toEqual([0, 0]);
});

test('a check for which too little time is left is named as not reached', async () => {
  const checks = [check('short'), check('long', { roundS: 60 }), check('last')];

  const { slices } = await search(checks, { ms: 300, seed: 1 });

  expect(notReached(slices)).toEqual(['long']);
  expect(slicesTable(slices)).toMatch(/long.*not reached/);
  expect(checks[2]!.begun.length).toBeGreaterThan(0);
});

test('a check that runs none of its tests is named, and has one round', async () => {
  const name = 'an earlier build';
  const empty: SearchCheck = {
    name,
    roundS: 0,
    run: async () => await Promise.resolve(outcomeSince(name, performance.now())),
  };

  const { slices } = await search([empty], { ms: 200, seed: 1 });

  expect(slices).toMatchObject([{ rounds: 1, missing: ['none of its tests was run'] }]);
});

test('what is found is kept after each slice', async () => {
  const kept: number[] = [];
  const checks = [check('one', { finds: [5] }), check('two', { finds: [5] })];

  await search(checks, { ms: 100, seed: 5, keep: (findings) => kept.push(findings.length) });

  expect(kept).toEqual([1, 2]);
});

test('an error of a check is a finding, and the search goes on', async () => {
  const broken: SearchCheck = {
    name: 'broken',
    roundS: 60,
    run: async () => await Promise.reject(new Error('no such program')),
  };
  const last = check('last');

  const { findings } = await search([{ ...broken, roundS: 0.1 }, last], { ms: 200, seed: 1 });

  expect(findings[0]?.failure.details).toContain('no such program');
  expect(last.begun.length).toBeGreaterThan(0);
});

/** A program that fails, or that passes. */
const program = (code: number) => ({
  check: 'one',
  seed: 7,
  failed: 0,
  repeated: 0,
  failure: {
    name: `exit ${code}`,
    details: Array.from({ length: 60 }, (_, i) => `line ${i + 1}`).join('\n'),
    repeat: `node --eval 'process.exit(${code})'`,
    canBeBadLuck: false,
    again: { tool: 'node' as const, args: ['--eval', `process.exit(${code})`], env: {} },
  },
});

test('a finding is repeated five times alone, and the page says how often it came again', async () => {
  const findings = await repeated([program(1), program(0)], 60_000);
  const page = findingsPage(findings, 'abc1234');

  expect(findings.map(({ failed, repeated: times }) => [failed, times])).toEqual([
    [5, 5],
    [0, 5],
  ]);
  expect(page).toMatch(/^# 2 findings on abc1234\n/);
  expect(page).toContain('- check: one\n- seed: 7\n- commit: abc1234\n');
  expect(page).toContain('- alone: failed again 5 of 5 times\n');
  expect(page).toContain("- repeat: `node --eval 'process.exit(0)'`\n");
  expect([page.includes('line 40\n'), page.includes('line 41\n')]).toEqual([true, false]);
});

test('nothing is repeated once the time for that is over', async () => {
  const [finding] = await repeated([program(1)], 0);

  expect([finding!.failed, finding!.repeated]).toEqual([0, 0]);
  expect(findingsPage([finding!], 'abc1234')).toContain('- alone: not repeated\n');
});

test('the checks of the search have names of their own', () => {
  const names = searchChecks.map(({ name }) => name);

  expect(new Set(names).size).toBe(names.length);
});
