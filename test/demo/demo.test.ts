// The demo proves something only if its checks can fail (each by itself: checks.test.ts). Each run plays in a folder of its own, so
// that the page of the last demo stays as it is.

import { cp, mkdtemp, readFile, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test, type TestContext } from 'vitest';
import { rawClient } from '../support/redis.js';
import { runNode, type NodeRun } from '../support/run-node.js';
import { ownServer } from '../support/server.js';

const root = fileURLToPath(new URL('../../', import.meta.url));

const PRIMITIVES = [
  'Lock',
  'Lock with local runs',
  'Fair lock',
  'Fenced lock',
  'Read-write lock',
  'Semaphore',
  'Permit-expirable semaphore',
];

interface Played extends NodeRun {
  /** The page it drew. */
  readonly page: string;
  /** How many keys it left on its server. */
  readonly left: number;
}

async function play(
  { onTestFinished }: Pick<TestContext, 'onTestFinished'>,
  env: NodeJS.ProcessEnv,
  ...args: readonly string[]
): Promise<Played> {
  const folder = await mkdtemp(join(tmpdir(), 'redlatch-demo-'));
  onTestFinished(async () => await rm(folder, { recursive: true }));
  await cp(join(root, 'demo'), join(folder, 'demo'), { recursive: true });
  for (const name of ['dist', 'scripts', 'node_modules', 'package.json']) {
    await symlink(join(root, name), join(folder, name));
  }
  const server = await ownServer();
  const run = await runNode([join(folder, 'demo', 'main.mjs'), ...args], {
    env: { REDIS_URL: server.url, REDIS_PROVIDER: 'url', NO_COLOR: '1', ...env },
    withinMs: 55_000,
  });
  const page = await readFile(join(folder, 'out', 'demo-timeline.html'), 'utf8');
  return { ...run, page, left: await rawClient(server.url).dbsize() };
}

/** The last column of the table: violations, by primitive. */
function violations(stdout: string): string[] {
  const rows = [...stdout.matchAll(/^│ (?!primitive)(.+?) +│.*│ +(\d+) │$/gm)];
  return rows.map(([, primitive, count]) => `${primitive}: ${count}`);
}

test(
  'a demo ends well, and draws a page that needs nothing else',
  { timeout: 60_000 },
  async (context) => {
    const folder = await mkdtemp(join(tmpdir(), 'redlatch-still-'));
    context.onTestFinished(async () => await rm(folder, { recursive: true }));
    const still = join(folder, 'still.svg');

    const { code, stdout, stderr, page, left } = await play(context, {}, '--still', still);

    expect(stderr).toBe('');
    expect(stdout.split('\n').filter((line) => line.includes('✗'))).toEqual([]);
    expect(code).toBe(0);
    expect(violations(stdout)).toEqual([...PRIMITIVES, 'Count-down latch'].map((p) => `${p}: 0`));
    expect(page).toMatch(/^<!doctype html>/i);
    expect(page).toContain('<svg');
    expect(page).toContain('start gun: a latch of 1');
    expect(page).toContain('finish line: a latch of 3');
    const picture = await readFile(still, 'utf8');
    expect(picture).toContain('killed while holding');
    expect(picture.length).toBeLessThanOrEqual(60_000);
    // Nothing is loaded: no script, style, image or font from elsewhere.
    expect(page).not.toMatch(/(?:src|href)\s*=\s*["']?(?!#)/i);
    expect(page).not.toMatch(/@import|url\(\s*["']?(?!#|data:)/i);
    expect(left).toBe(0);
  },
);

test(
  'a demo whose workers do not lock is found out in every act',
  { timeout: 60_000 },
  async (context) => {
    const { code, stdout, left } = await play(context, { DEMO_SABOTAGE: 'unlocked' });

    expect(code).toBe(1);
    expect(stdout).toContain('✗');
    for (const primitive of PRIMITIVES) {
      expect(violations(stdout)).not.toContain(`${primitive}: 0`);
    }
    expect(violations(stdout)).toContain('Count-down latch: 0');
    expect(left).toBe(0);
  },
);
