// What the gate makes of a command that hands over what came of its checks.

import { expect, test } from 'vitest';
import { outcomesOfCommand } from '../../scripts/gate/command.mjs';
import { outcomeSince } from '../../scripts/gate/outcome.mjs';

type Outcome = ReturnType<typeof outcomeSince>;

const failure = { name: 'a test', details: 'why', repeat: 'npm test', canBeBadLuck: false };
const good = outcomeSince('good', performance.now(), { passed: 2 });
const bad = outcomeSince('bad', performance.now(), { failures: [failure] });

/** Runs a command that hands over these outcomes, and goes on with `ends`. */
async function resultOf(
  outcomes: Outcome[],
  ends: string,
  timeoutMs = 60_000,
): Promise<{ names: string[]; failures: string[] }> {
  const conclude = JSON.stringify(new URL('../../scripts/gate/conclude.mjs', import.meta.url).href);
  const program = `
    import { handOver } from ${conclude};
    ${JSON.stringify(outcomes)}.forEach(handOver);
    ${ends}`;
  const result = await outcomesOfCommand(process.execPath, ['--input-type=module', '-e', program], {
    repeat: 'npm run this',
    timeoutMs,
  });
  return {
    names: result.outcomes.map(({ name }) => name),
    failures: result.outcomes.flatMap(({ failures }) =>
      failures.map(({ name, details }) => `${name}: ${details}`),
    ),
  };
}

test('a command that has passed hands over its outcomes', async () => {
  expect(await resultOf([good], '')).toEqual({ names: ['good'], failures: [] });
});

test('a failure of its own explains why it has failed', async () => {
  expect(await resultOf([good, bad], 'process.exitCode = 1')).toEqual({
    names: ['good', 'bad'],
    failures: ['a test: why'],
  });
});

test('a command that fails without one is a failure itself', async () => {
  expect(await resultOf([good], 'process.exitCode = 3')).toEqual({
    names: ['good', 'npm run this'],
    failures: ['npm run this: exit code 3, and no failure of a check explains it'],
  });
});

test('a command that leaves no outcomes is a failure, whatever its exit code', async () => {
  expect(await resultOf([], '')).toEqual({
    names: ['npm run this'],
    failures: ['npm run this: exit code 0, and it left no outcomes'],
  });
});

test('a command that does not end in time is a failure, beside what it has handed over', async () => {
  expect(await resultOf([good], 'setInterval(() => {}, 1000)', 5_000)).toEqual({
    names: ['good', 'npm run this'],
    failures: ['npm run this: stopped after 5000 ms, and no failure of a check explains it'],
  });
});
