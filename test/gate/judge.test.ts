// What the gate makes of tests that fail: a failure, or a flaky test.

import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { judge, judgeStrictly, LIMITS } from '../../scripts/gate/judge.mjs';
import { failureOf, vitestOutcome } from '../../scripts/gate/outcome.mjs';

type Outcome = Awaited<ReturnType<typeof vitestOutcome>>;
type Verdict = Awaited<ReturnType<typeof judge>>;

const args = ['--config', 'test/gate/fixtures/vitest.config.ts'];

/** Where fixtures count their runs. */
const folders: string[] = [];
afterAll(() => {
  folders.forEach((folder) => rmSync(folder, { recursive: true }));
});

/** Runs fixtures together. `runs`: how often one of them has run. */
async function run(...fixtures: string[]): ReturnType<typeof runWithin> {
  return await runWithin(60_000, ...fixtures);
}

async function runWithin(
  timeoutMs: number,
  ...fixtures: string[]
): Promise<{
  outcome: Outcome;
  runs: (fixture: string) => number;
}> {
  const folder = mkdtempSync(join(tmpdir(), 'redlatch-fixtures-'));
  folders.push(folder);
  const outcome = await vitestOutcome('fixtures', {
    files: fixtures.map((name) => `test/gate/fixtures/${name}.fixture.ts`),
    args,
    env: { REDLATCH_FIXTURES: folder },
    timeoutMs,
    show: false,
  });
  return {
    outcome,
    runs: (fixture) => {
      const file = join(folder, `${fixture}.runs`);
      return existsSync(file) ? readFileSync(file, 'utf8').length : 0;
    },
  };
}

const names = (failures: Verdict['failures']): string[] => failures.map(({ name }) => name);

test('what fails each time, or every second time, or cannot be loaded, is a failure', async () => {
  const { outcome, runs } = await run('always', 'second', 'unloadable');
  const verdict = await judge([outcome], { show: false });
  const failures = new Map(verdict.failures.map((failure) => [failure.name, failure]));

  expect([...failures.keys()].toSorted()).toEqual([
    'test/gate/fixtures/always.fixture.ts: fails each time',
    'test/gate/fixtures/second.fixture.ts: fails every second time',
    'test/gate/fixtures/unloadable.fixture.ts',
  ]);
  const always = failures.get('test/gate/fixtures/always.fixture.ts: fails each time');
  expect(always?.details).toContain('expected 1 to be 2');
  expect(always?.repeat).toContain('npm test -- test/gate/fixtures/always.fixture.ts');
  expect([verdict.flaky, outcome.passed]).toEqual([[], 1]);
  expect(failures.get('test/gate/fixtures/unloadable.fixture.ts')?.details).toContain(
    'this file cannot be loaded',
  );
  // One that fails in its first run alone is not run once more: that could not make it flaky.
  expect([runs('always'), runs('second'), runs('unloadable')]).toEqual([2, 3, 2]);
});

test('a test that fails when it is not alone is flaky, and counts as passed', async () => {
  const { outcome } = await run('crowded', 'neighbour');
  const verdict = await judge([outcome], { show: false });

  expect(outcome.failures).toHaveLength(1);
  expect(names(verdict.flaky)).toEqual([
    'test/gate/fixtures/crowded.fixture.ts: fails when it is not alone',
  ]);
  expect([verdict.failures, verdict.outcomes[0]?.passed]).toEqual([[], 2]);
});

test('a rejection that nobody handles is a failure at first sight', async () => {
  const { outcome, runs } = await run('unhandled');
  const verdict = await judge([outcome], { show: false });

  expect(names(verdict.failures)).toEqual(['test/gate/fixtures/unhandled.fixture.ts']);
  expect(verdict.failures[0]?.details).toContain('nobody handles this');
  expect([outcome.passed, runs('unhandled')]).toEqual([1, 1]);
});

test('a run that hangs keeps what it has found, and names the file that has not ended', async () => {
  const { outcome } = await runWithin(20_000, 'always', 'hanging');

  expect(names(outcome.failures)).toEqual([
    'test/gate/fixtures/always.fixture.ts: fails each time',
    'outside of all files',
  ]);
  expect(outcome.failures[1]?.details).toBe(
    'vitest: stopped after 20000 ms, before the end of test/gate/fixtures/hanging.fixture.ts',
  );
  expect(outcome.failures[1]?.canBeBadLuck).toBe(false);
});

test('a product that fails everywhere is refused before all of it has failed', async () => {
  const { outcome } = await run('many');
  const { failures } = await judge([outcome], { show: false });

  const tests = outcome.failures.filter(({ isTest }) => isTest === true);

  // Vitest may count the last one twice.
  expect(tests.length).toBeGreaterThanOrEqual(29);
  expect(tests.length).toBeLessThan(200);
  expect(failures.at(-1)?.details).toMatch(/^vitest: after \d+ failures no other test was begun$/);
  expect(failures.at(-1)?.canBeBadLuck).toBe(false);
});

test('a broken promise is a failure at first sight, and so nothing else is run again', async () => {
  const { outcome, runs } = await run('broken', 'broken-behind', 'seldom');
  const verdict = await judge([outcome], { show: false });

  expect(new Map(verdict.failures.map(({ name, canBeBadLuck }) => [name, canBeBadLuck]))).toEqual(
    new Map([
      [
        'test/gate/fixtures/broken-behind.fixture.ts: fails the first time, and then a hook finds a broken promise',
        false,
      ],
      ['test/gate/fixtures/broken.fixture.ts: breaks a promise the first time', false],
      ['test/gate/fixtures/seldom.fixture.ts: fails the first time', true],
    ]),
  );
  expect(verdict.note).toBe('nothing was run again: 2 failures cannot be bad luck');
  expect([runs('broken'), runs('broken-behind'), runs('seldom')]).toEqual([1, 1, 1]);
});

test('what a failed test leaves is no broken promise of its own', async () => {
  const { outcome } = await run('left');
  const verdict = await judge([outcome], { show: false, limits: { ...LIMITS, flaky: 1 } });

  expect(names(verdict.flaky).toSorted()).toEqual([
    'test/gate/fixtures/left.fixture.ts',
    'test/gate/fixtures/left.fixture.ts: fails the first time, and leaves something',
    'test/gate/fixtures/left.fixture.ts: finds it, too',
    'test/gate/fixtures/left.fixture.ts: finds what is left',
  ]);
  expect(verdict.failures).toEqual([]);
});

test('a rejection that a failed test leaves is no failure of its own', async () => {
  const { outcome } = await run('abandoned');
  const verdict = await judge([outcome], { show: false });

  expect(names(verdict.flaky)).toContain('test/gate/fixtures/abandoned.fixture.ts');
  expect(verdict.failures).toEqual([]);
});

test('what is in virtual time or static is a failure at first sight', () => {
  const reported = { test: 'it', details: '', isTest: true, isFinal: false, isLeft: false };
  const how = { args: [], env: {}, command: 'npm test --' };
  const canBe = (file: string): boolean => failureOf({ ...reported, file }, how).canBeBadLuck;

  expect(canBe('test/unit/lease.test.ts')).toBe(false);
  expect(canBe('test/simulation/idle.test.ts')).toBe(false);
  expect(canBe('test/simulation/checkers/ends.test.ts')).toBe(false);
  expect(canBe('test/simulation/differential/fixed.test.ts')).toBe(true);
  expect(canBe('test/faults/hand-off.test.ts')).toBe(true);
});

test('too many flaky tests are failures', async () => {
  const { outcome, runs } = await run('seldom');
  const verdict = await judge([outcome], { show: false, limits: { ...LIMITS, flaky: 0 } });

  expect([verdict.failures.length, verdict.flaky]).toEqual([1, []]);
  expect(verdict.note).toBe('1 flaky tests, more than 0, are failures');
  expect(runs('seldom')).toBe(3);
});

describe('nothing is run again', () => {
  let outcome: Outcome;
  let runs: (fixture: string) => number;
  beforeAll(async () => {
    ({ outcome, runs } = await run('seldom', 'second'));
  });
  afterEach(() => {
    expect([runs('seldom'), runs('second')]).toEqual([1, 1]);
  });

  test('where tests fail in too many files', async () => {
    const verdict = await judge([outcome], { show: false, limits: { ...LIMITS, files: 1 } });

    expect(verdict.failures).toHaveLength(2);
    expect(verdict.note).toBe('nothing was run again: tests failed in 2 files, more than 1');
  });

  test('once the time for that is over', async () => {
    const verdict = await judge([outcome], { show: false, limits: { ...LIMITS, ms: 0 } });

    expect([verdict.failures.length, verdict.flaky]).toEqual([2, []]);
    expect(verdict.note).toBe('the time to run files again was over before 2 of them had passed');
  });

  test('where every failure counts', () => {
    const verdict = judgeStrictly([outcome]);

    expect([verdict.failures.length, verdict.flaky]).toEqual([2, []]);
  });
});
