// The demo proves something only if it can fail: judge.test.ts shows what it finds in wrong records.

import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test, type TestContext } from 'vitest';
import { rawClient } from '../support/redis.js';
import { runNode, type NodeRun } from '../support/run-node.js';
import { ownServer } from '../support/server.js';

interface Played extends NodeRun {
  readonly page: string;
  readonly still: string;
  /** How many keys it left on its server. */
  readonly left: number;
  /** The last column of the table: violations, by primitive. */
  readonly violations: Readonly<Record<string, number>>;
}

async function play(
  { onTestFinished }: Pick<TestContext, 'onTestFinished'>,
  sabotage: string,
  ...acts: readonly string[]
): Promise<Played> {
  const folder = await mkdtemp(join(tmpdir(), 'redlatch-demo-'));
  onTestFinished(async () => await rm(folder, { recursive: true }));
  const files = [join(folder, 'page.html'), join(folder, 'still.svg')] as const;
  const server = await ownServer();
  const run = await runNode(['demo/main.mjs', '--page', files[0], '--still', files[1], ...acts], {
    env: { REDIS_URL: server.url, REDIS_PROVIDER: 'url', NO_COLOR: '1', DEMO_SABOTAGE: sabotage },
    withinMs: 100_000,
  });
  const drawn = files.map(async (file) => await readFile(file, 'utf8'));
  const [page, still] = await Promise.all(drawn).catch((cause: unknown) => {
    throw new Error(`it was not played to its end: ${run.stdout}${run.stderr}`, { cause });
  });
  const rows = run.stdout.matchAll(/^│ (?!primitive)(.+?) +│.*│ +(\d+) │$/gm);
  const counts = Array.from(rows, ([, name = '', count]) => [name, Number(count)] as const);
  const violations = Object.fromEntries<number>(counts);
  const left = await rawClient(server.url).dbsize();
  return { ...run, page: page!, still: still!, left, violations };
}

test(
  'a demo ends well, and draws a page that needs nothing else',
  { timeout: 120_000 },
  async (context) => {
    const { code, stdout, stderr, page, still, left, violations } = await play(context, '');

    expect(stderr).toBe('');
    expect(stdout.split('\n').filter((line) => line.includes('✗'))).toEqual([]);
    expect(code).toBe(0);
    expect(violations).toEqual({
      Lock: 0,
      'Fair lock': 0,
      'Fenced lock': 0,
      'Read-write lock': 0,
      Semaphore: 0,
      'Permit-expirable semaphore': 0,
    });
    expect(page).toContain('34 real processes');
    expect(page).toContain('finish line: a latch of 3');
    expect(still).toContain('killed while holding');
    expect(still.length).toBeLessThanOrEqual(60_000);
    // Nothing is loaded: no script, style, image or font from elsewhere.
    expect(page).not.toMatch(/(?:src|href)\s*=\s*["']?(?!#)|@import|url\(\s*["']?(?!#|data:)/i);
    expect(left).toBe(0);
  },
);

test(
  'a demo whose workers do not lock is found out in every act',
  { timeout: 120_000 },
  async (context) => {
    const { code, stdout, page, left, violations } = await play(context, 'unlocked');

    expect(code).toBe(1);
    expect(stdout).toMatch(/✗ one holder at an instant: violated: .* were both told held/);
    expect(page).toContain('Something was violated');
    expect(Object.values(violations)).toHaveLength(6);
    expect(Object.values(violations)).not.toContain(0);
    expect(left).toBe(0);
  },
);

test(
  'a store that does not look at the tokens is found out',
  { timeout: 120_000 },
  async (context) => {
    const { code, stdout } = await play(context, 'unfenced', 'fenced-lock');

    expect(code).toBe(1);
    expect(stdout).toMatch(/✗ a fenced store takes no stale write: violated: .* was taken after/);
  },
);
