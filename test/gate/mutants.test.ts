// What the gate makes of the tests that run on a copy of the project with a mistake in it.

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { runTests } from '../../scripts/mutants/judge.mjs';

/** What comes of tests whose process prints this. */
async function outcomeOf(program: string): ReturnType<typeof runTests> {
  const root = mkdtempSync(join(tmpdir(), 'redlatch-copy-'));
  onTestFinished(() => rmSync(root, { recursive: true }));
  mkdirSync(join(root, 'scripts/mutants'), { recursive: true });
  writeFileSync(join(root, 'scripts/mutants/run-tests.mjs'), program);
  return await runTests({ root, files: [], workers: 1, stopsAtFailure: true }, 60_000);
}

test('what is printed elsewhere behind the outcome does not hide it', async () => {
  const failure = { file: 'test/a.test.ts', test: 'it', message: 'why' };
  const line = JSON.stringify(JSON.stringify({ failed: [failure] }));

  const program = `process.stdout.write(${line} + '\\n', () => console.error('server'));`;
  const outcome = await outcomeOf(program);

  expect(outcome.failed).toEqual([failure]);
});

test('tests that do not run at all are no mistake found', async () => {
  await expect(outcomeOf(`console.error('no vitest here'); process.exit(1);`)).rejects.toThrow(
    /the tests do not run: no vitest here/u,
  );
});
