// @ts-check
// The recipe for NestJS, with one of its releases.

import { compileRecipe } from '../lib/compile.mjs';
import { run } from '../lib/run.mjs';
import { startRedis } from '../redis/provider.mjs';
import { install } from './releases.mjs';

const CHECKS = [
  {
    name: 'a method with `@Locked` runs once at a time for one order',
    line: 'of one order, at once: 1',
  },
  {
    name: 'another order does not wait for it',
    line: 'another order meanwhile: charged: 400, held: true',
  },
  {
    name: 'a call under way when the application is closed ends under its lock',
    line: 'ended before: charged: 500, held: true',
  },
  {
    name: 'the application releases what it holds when it is closed',
    line: 'after the application: released',
  },
  { name: 'calls after that reject', line: 'ClosedError' },
];

/**
 * @param {'nest12' | 'nest11'} name
 * @returns {Promise<string[]>} what holds
 */
export async function checkNest(name) {
  const program = await compileRecipe('nest-module', await install(name));
  const server = await startRedis({ purpose: 'test' });
  try {
    const env = { REDIS_URL: server.url };
    const { code, output } = await run(process.execPath, [program], { env, timeoutMs: 30_000 });
    const lines = output.trimEnd().split('\n');
    const missing = CHECKS.find(({ line }) => !lines.includes(line));
    if (code !== 0 || missing !== undefined) {
      throw new Error(`exit code ${code}, "${missing?.line ?? ''}" is missing:\n${output}`);
    }
    return CHECKS.map((check) => check.name);
  } finally {
    await server.stop();
  }
}
