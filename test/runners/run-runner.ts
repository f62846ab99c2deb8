import { runNode } from '../support/run-node.js';

const folder = 'test/runners/fixtures';

const RUNNERS = {
  jest: [
    'node_modules/jest/bin/jest.js',
    '-c',
    `${folder}/jest.config.cjs`,
    '--no-cache',
    '--json',
  ],
  vitest: [
    'node_modules/vitest/vitest.mjs',
    'run',
    '--config',
    `${folder}/vitest.config.mjs`,
    '--reporter=json',
  ],
} as const;

/** How the tests of a runner ended. */
interface Ended {
  readonly numPassedTests: number;
  readonly testResults: readonly { readonly assertionResults: readonly AssertionResult[] }[];
}

interface AssertionResult {
  readonly status: string;
  readonly title: string;
  readonly failureMessages: readonly string[];
}

/** Runs the fixtures with a runner, in one process. `redis` is what `createClient` gets. */
export async function runRunner(
  runner: keyof typeof RUNNERS,
  prefix: string,
  redis: unknown,
  ...more: readonly string[]
): Promise<{ passed: number; failed: unknown[] }> {
  const { stdout, stderr } = await runNode([...RUNNERS[runner], ...more], {
    // As if nobody ran tests here already.
    env: { VITEST: undefined, REDLATCH_RUN: prefix, REDLATCH_REDIS: JSON.stringify(redis) },
  });
  if (!stdout.startsWith('{')) {
    return { passed: 0, failed: [stdout, stderr] };
  }
  const { numPassedTests, testResults } = JSON.parse(stdout) as Ended;
  const failed = testResults
    .flatMap(({ assertionResults }) => assertionResults)
    .filter(({ status }) => status === 'failed')
    .map(({ title, failureMessages }) => [title, ...failureMessages]);
  return { passed: numPassedTests, failed };
}
