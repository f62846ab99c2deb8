import { randomBytes } from 'node:crypto';
import type { TestProject } from 'vitest/node';
import { build } from '../../scripts/build.mjs';
import { distIsFresh } from '../../scripts/lib/fresh.mjs';
import { startRedis } from '../../scripts/redis/provider.mjs';
import { driverName } from './driver.mjs';

declare module 'vitest' {
  export interface ProvidedContext {
    redisUrl: string;
    redisKind: 'url' | 'process' | 'container';
    redisVersion: string;
    /** One random word for all keys and channels of this run. */
    run: string;
  }
}

/** Starts the one Redis that all test files share, and builds what child processes import. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  if (!distIsFresh()) {
    const { ok, output } = await build();
    if (!ok) {
      // Tests of the sources still say something; those that need dist fail by themselves.
      process.stderr.write(`dist is not built, tests that need it will fail:\n${output}\n`);
    }
  }
  const redis = await startRedis({ purpose: 'test' });
  const way = process.env['REDLATCH_TEST_WIRE'] === 'driver' ? ', commands through it' : '';
  process.stderr.write(`redis: ${redis.version} (${redis.kind}), ${driverName}${way}\n`);
  project.provide('redisUrl', redis.url);
  project.provide('redisKind', redis.kind);
  project.provide('redisVersion', redis.version);
  project.provide('run', randomBytes(4).toString('hex'));
  return async () => {
    await redis.stop();
  };
}
