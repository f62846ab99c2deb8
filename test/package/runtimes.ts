// The installed package in every way of loading it, on every Node.js at hand.

import { execFile } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { rawClient, redisUrl, runPrefix } from '../support/redis.js';
import { runNode } from '../support/run-node.js';
import { classes, functions } from './exported.js';
import { modules, runIn, type Packed } from './packed.js';

const run = promisify(execFile);

/** Programs of Node.js: this one, and those that the environment names. */
const nodes = [
  process.execPath,
  ...(process.env['REDLATCH_TEST_NODES'] ?? '').split(delimiter).filter((path) => path !== ''),
];

/** Takes a fenced lock, gives it back, and asks for an error of ours. */
const lockProgram = (name: string): string => `
  const client = createClient();
  const lock = client.getFencedLock(${JSON.stringify(name)});
  const seen = await lock.using(async (hold) => [hold.isHeld, typeof hold.fencingToken]);
  const hold = await lock.acquire();
  await hold.release();
  const error = await hold.extend(1_000).catch((reason) => reason);
  await client.close();
  console.log(JSON.stringify([...seen, error instanceof NotHeldError, error.code]));`;

const lockResult = [true, 'bigint', true, 'ERR_NOT_HELD'];

const jestTest = (name: string): string => `
  const { createClient, NotHeldError } = require('redlatch');

  test('a lock excludes', async () => {
    const client = createClient();
    const lock = client.getLock(${JSON.stringify(name)});
    const hold = await lock.acquire();
    expect(await lock.tryAcquire()).toBe(null);
    await hold.release();
    await expect(hold.extend(1_000)).rejects.toBeInstanceOf(NotHeldError);
    await client.close();
  });`;

/** What esbuild writes, and how: ES modules need a `require` for the driver, and for us. */
const bundles = [
  ['bundle.cjs', '--format=cjs'],
  [
    'bundle.mjs',
    '--format=esm',
    `--banner:js=import{createRequire}from'node:module';const require=createRequire(import.meta.url)`,
  ],
  ['outside.mjs', '--format=esm', '--packages=external'],
] as const;

/** Writes a file of the project, in a folder for one test. */
async function writeIn(consumer: string, file: string, text: string): Promise<string> {
  await mkdir(join(consumer, file, '..'), { recursive: true });
  await writeFile(join(consumer, file), text);
  return file;
}

async function withoutCounter(name: string, task: () => Promise<void>): Promise<void> {
  await task();
  // The counter of a fenced lock stays for good.
  await rawClient().del(`redisson_lock_token:{${name}}`);
}

export function describeRuntimes(packed: () => Packed): void {
  describe.each(nodes)('%s', (node) => {
    const folder = `node-${nodes.indexOf(node)}`;
    const write = async (file: string, text: string) =>
      await writeIn(packed().consumer, `${folder}/${file}`, text);
    const result = async (file: string) => await runIn(packed().consumer, [file], node);

    test('is a Node.js that the package supports', async () => {
      const { stdout } = await run(node, ['-p', 'process.versions.node']);
      const [major = 0, minor = 0] = stdout.split('.').map(Number);

      expect(major * 1_000 + minor).toBeGreaterThanOrEqual(20_019);
    });

    test('import gives what is documented', async () => {
      const file = await write(
        'import.mjs',
        `import * as redlatch from 'redlatch';
         console.log(JSON.stringify(Object.keys(redlatch).sort()));`,
      );

      expect(await result(file)).toEqual([...functions, ...classes].toSorted());
    });

    test('require gives the same classes as import, and no others', async () => {
      const file = await write(
        'both.cjs',
        `const required = require('redlatch');
         import('redlatch').then((imported) => {
           const names = [...new Set([...Object.keys(imported), ...Object.keys(required)])];
           const same = names.map((name) => [name, imported[name] === required[name]]);
           console.log(JSON.stringify(Object.fromEntries(same)));
         });`,
      );

      expect(await result(file)).toEqual(
        Object.fromEntries([...functions, ...classes].map((name) => [name, true])),
      );
    });

    test('an error of the ES module is an instance of the class that CommonJS has', async () => {
      const name = `${runPrefix()}instance`;
      const file = await write(
        'instance.mjs',
        `import { createRequire } from 'node:module';
         import { createClient } from 'redlatch';
         const { AcquireTimeoutError } = createRequire(import.meta.url)('redlatch');
         const client = createClient();
         const lock = client.getLock(${JSON.stringify(name)});
         const hold = await lock.acquire();
         const error = await lock.acquire({ waitMs: 0 }).catch((reason) => reason);
         await client.close();
         console.log(JSON.stringify(error instanceof AcquireTimeoutError));`,
      );

      expect(await result(file)).toBe(true);
    });

    test.each([
      ['require', 'lock.cjs', (code: string) => `(async () => {${code}})();`],
      ['import', 'lock.mjs', (code: string) => code],
    ])('a program that uses %s takes a lock', async (way, file, wrap) => {
      const name = `${runPrefix()}packed-${way}`;
      const names = 'createClient, NotHeldError';
      const load =
        way === 'require'
          ? `const { ${names} } = require('redlatch');`
          : `import { ${names} } from 'redlatch';`;

      await withoutCounter(name, async () => {
        const path = await write(file, `${load}\n${wrap(lockProgram(name))}`);

        expect(await result(path)).toEqual(lockResult);
      });
    });

    test('a program that esbuild has bundled takes a lock', async () => {
      const name = `${runPrefix()}bundled`;
      const { consumer } = packed();
      const load = `import { createClient, NotHeldError } from 'redlatch';`;
      const source = await write(
        'app.mjs',
        `${load}\nvoid (async () => {${lockProgram(name)}})();`,
      );
      const options = ['--bundle', '--platform=node', '--log-level=warning'];
      const esbuild = [join(modules, 'esbuild/bin/esbuild'), source, ...options];

      await withoutCounter(name, async () => {
        for (const [outfile, ...more] of bundles) {
          const path = `${folder}/${outfile}`;
          const bundle = [...esbuild, ...more, `--outfile=${path}`];
          const built = await runNode(bundle, { cwd: consumer });

          expect(built).toEqual({ stdout: '', stderr: '', code: 0 });
          expect(await result(path)).toEqual(lockResult);
        }
      });
    });

    test('Jest runs CommonJS tests with it', async () => {
      const file = await write('lock.test.js', jestTest(`${runPrefix()}jest`));
      const jest = [join(modules, 'jest/bin/jest.js'), '--watchman=false', '--json', '--no-cache'];
      const { consumer } = packed();

      const { stdout } = await runNode([...jest, `--rootDir=${consumer}`, '--', file], {
        cwd: consumer,
        env: { REDIS_URL: redisUrl() },
        node,
      });

      expect(JSON.parse(stdout)).toMatchObject({
        success: true,
        numPassedTests: 1,
        numTotalTests: 1,
        openHandles: [],
      });
    });
  });
}
