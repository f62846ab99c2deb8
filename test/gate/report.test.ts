// What the gate prints in the end.

import { expect, test } from 'vitest';
import { BUDGET } from '../../scripts/gate/budget.mjs';
import { checks } from '../../scripts/gate/checks.mjs';
import { judgeStrictly } from '../../scripts/gate/judge.mjs';
import { MUTANTS } from '../../scripts/gate/mutants.mjs';
import { fromFailure, outcomeSince } from '../../scripts/gate/outcome.mjs';
import { reportLines } from '../../scripts/gate/report.mjs';
import { drawSeed, seedFrom } from '../../scripts/gate/seeds.mjs';
import { stages } from '../../scripts/lib/stages.mjs';
import { semanticMutants } from '../mutants/semantic.mjs';

const failure = (name: string) => ({
  name,
  details: Array.from({ length: 30 }, (_, i) => `line ${i} of ${name}`).join('\n'),
  repeat: `npm test -- ${name}`,
  canBeBadLuck: true,
});

const outcome = (what: Partial<ReturnType<typeof outcomeSince>>) => ({
  ...outcomeSince('build', 0, what),
  ms: 1_000,
});

test('the last line has the counts, and nothing but them', () => {
  const verdict = judgeStrictly([outcome({ passed: 7, failures: [failure('a')] })]);

  expect(reportLines(verdict, 1_000).at(-1)).toBe('7 passed, 1 failed');
});

test.each([1, 4, 15])('%i failures fit in the last 60 lines, each with its command', (count) => {
  const failures = Array.from({ length: count }, (_, i) => failure(`test/some/file-${i}.test.ts`));
  const last = reportLines(judgeStrictly([outcome({ failures })]), 1_000).slice(-60);

  for (const { name } of failures) {
    expect(last).toContain(`FAILED ${name}`);
    expect(last).toContain(`  repeat: npm test -- ${name}`);
  }
  expect(last.some((line) => line.startsWith('    line 0 of'))).toBe(count <= 10);
});

test('many failures are named by the commands that repeat them', () => {
  const failures = Array.from({ length: 400 }, (_, i) => ({
    ...failure(`test/file-${i % 20}.test.ts: test ${i}`),
    repeat: `npm test -- test/file-${i % 20}.test.ts`,
  }));
  const last = reportLines(judgeStrictly([outcome({ failures })]), 1_000).slice(-60);

  expect(last).toContain('FAILED test/file-0.test.ts: test 0, and 19 more');
  expect(last).toContain('  repeat: npm test -- test/file-14.test.ts');
  expect(last).toContain('and failures of 5 more commands');
});

test('what cannot be bad luck comes first, with few failures and with many', () => {
  const final = { ...failure('test/simulation/simulation.test.ts'), canBeBadLuck: false };
  for (const count of [3, 40]) {
    const others = Array.from({ length: count }, (_, i) => failure(`test/file-${i % 2}.test.ts`));
    const lines = reportLines(judgeStrictly([outcome({ failures: [...others, final] })]), 1_000);

    expect(lines.find((line) => line.startsWith('FAILED'))).toBe(`FAILED ${final.name}`);
  }
});

test('flaky tests and what was missing have lines of their own before the last', () => {
  const missing = [
    { name: 'Node.js 22', reason: 'E503' },
    { name: 'beside Java', reason: 'no JDK' },
  ];
  const verdict = judgeStrictly([outcome({ passed: 1, missing })]);
  const lines = reportLines({ ...verdict, flaky: [failure('test/a.test.ts: it waits')] }, 1_000);

  expect(lines.slice(-3)).toEqual([
    'FLAKY test/a.test.ts: it waits: line 0 of test/a.test.ts: it waits',
    'skipped: 2 (Node.js 22: E503; beside Java: no JDK)',
    '1 passed, 0 failed',
  ]);
});

test.each([
  [2.1, true],
  [1.9, false],
])('a check that takes %f times its share is named: %s', (times, isNamed) => {
  const ms = BUDGET['build']! * times * 1_000;
  const lines = reportLines(judgeStrictly([{ ...outcome({ passed: 1 }), ms }]), 1_000);

  expect(lines.some((line) => line.startsWith('SLOW build'))).toBe(isNamed);
});

test('every part of the gate has its share, and all of them fit', () => {
  const names = [...stages, ...checks].map(({ name }) => name);
  const suite = 'the first part of the suite';

  expect(Object.keys(BUDGET).toSorted()).toEqual([...names, suite, 'install'].toSorted());
  expect(BUDGET[suite]! + BUDGET['build']!).toBeLessThanOrEqual(240);
  // The other static checks run beside the suite, and some of the gate beside the rest of it.
  const inTurn = checks
    .filter(({ isBeside }) => isBeside !== true)
    .reduce((sum, { name }) => sum + BUDGET[name]!, BUDGET['install']!);
  expect(inTurn + 240).toBeLessThanOrEqual(18 * 60);
});

test('the mistakes that the gate makes are there, each once', () => {
  for (const id of MUTANTS) {
    const found = semanticMutants.filter((mutant) => mutant.id.startsWith(id));
    expect(found.map((mutant) => mutant.id)).toEqual([id]);
  }
  expect(MUTANTS).toHaveLength(12);
});

test('no seed is drawn under CI', () => {
  const before = process.env['CI'];
  process.env['CI'] = 'true';
  try {
    expect(drawSeed).toThrow('CI is set, so no seed is drawn: give one with --seed');
    expect(seedFrom('seed', '17')).toBe(17);
  } finally {
    if (before === undefined) {
      delete process.env['CI'];
    } else {
      process.env['CI'] = before;
    }
  }
});

test('a seed that is none is refused by its name', () => {
  expect(() => seedFrom('seed', '-1')).toThrow(/--seed must be an integer from 0 to \d+, got "-1"/);
});

test.each([
  [
    ' no error where none belongs  12\n\nFAIL the traces of lock differ\n330 passed, 1 failed',
    'FAIL the traces of lock differ',
  ],
  [
    '1/2 missed one-id (9.0 s) it errs: an error\n2/2 found  two\n\nMISSED one-id: it errs\n1 passed, 1 failed',
    'MISSED one-id: it errs',
  ],
  ["docs: building\nsrc/a.ts(1,7): error TS2322: Type 'a'", 'src/a.ts(1,7): error TS2322'],
  [
    '  x typescript(no-floating-promises): unhandled\n\nFound 0 warnings and 1 error.',
    '  x typescript(no-floating-promises)',
  ],
  ['Error: it hangs', 'Error: it hangs'],
])('what a script prints of its failure is shown from there on: %s', (output, start) => {
  expect(fromFailure(output).startsWith(start)).toBe(true);
});
