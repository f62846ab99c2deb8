// The package as a program gets it: packed, installed in an empty folder, imported and compiled.

import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { rawClient, redisUrl, runPrefix } from '../support/redis.js';
import { runNode } from '../support/run-node.js';

const run = promisify(execFile);
const modules = resolve('node_modules');
const driver = process.env['LATCHKEY_TEST_IOREDIS'] === '5' ? 'ioredis-5' : 'ioredis';

let folder: string;
let consumer: string;
/** Paths in the tarball, without the folder that npm puts around them. */
let packed: string[];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'latchkey-package-'));
  consumer = join(folder, 'consumer');
  await mkdir(consumer);
  const pack = await run('npm', [
    'pack',
    '--json',
    '--ignore-scripts',
    '--pack-destination',
    folder,
  ]);
  const [tarball] = JSON.parse(pack.stdout) as { filename: string; files: { path: string }[] }[];
  packed = tarball?.files.map(({ path }) => path) ?? [];
  await writeFile(join(consumer, 'package.json'), '{ "private": true }');
  // Its dependencies come from this installation, so that no registry is asked.
  const parts = [driver, 'eventemitter3', '@types/node'].map((name) => join(modules, name));
  const quiet = ['--offline', '--no-audit', '--no-fund', '--no-package-lock', '--ignore-scripts'];
  const install = ['install', ...quiet, join(folder, tarball?.filename ?? ''), ...parts];
  await run('npm', install, { cwd: consumer });
});

afterAll(async () => {
  await rm(folder, { recursive: true, force: true });
});

async function runConsumer(file: string, source: string): Promise<unknown> {
  await writeFile(join(consumer, file), source);
  const env = { REDIS_URL: redisUrl() };
  const { stdout, stderr, code } = await runNode([file], { cwd: consumer, env });
  expect({ stderr, code }).toEqual({ stderr: '', code: 0 });
  return JSON.parse(stdout);
}

const classes = [
  'AcquireTimeoutError',
  'ClosedError',
  'CommandTimeoutError',
  'CoordinationError',
  'DeadlockError',
  'LeaseLostError',
  'NotHeldError',
  'OutcomeUnknownError',
  'UnexpectedReplyError',
  'WrongTypeError',
];

test('the tarball has the build, the papers, and nothing else', () => {
  expect(packed.toSorted()).toEqual(
    [
      'CHANGELOG.md',
      'LICENSE',
      'README.md',
      'dist/index.cjs',
      'dist/index.d.cts',
      'dist/index.d.ts',
      'dist/index.js',
      'package.json',
    ].toSorted(),
  );
});

test('import gives what is documented', async () => {
  const exported = await runConsumer(
    'import.mjs',
    `import * as latchkey from 'latchkey';
     console.log(JSON.stringify(Object.keys(latchkey).sort()));`,
  );

  expect(exported).toEqual(['createClient', ...classes].toSorted());
});

test('require gives the same classes as import', async () => {
  const same = await runConsumer(
    'both.cjs',
    `const required = require('latchkey');
     import('latchkey').then((imported) => {
       const same = Object.keys(imported).map((name) => [name, imported[name] === required[name]]);
       console.log(JSON.stringify(Object.fromEntries(same)));
     });`,
  );

  expect(same).toEqual(
    Object.fromEntries(['createClient', ...classes].map((name) => [name, true])),
  );
});

test('a program that requires it takes a lock', async () => {
  const name = `${runPrefix()}packed`;

  const result = await runConsumer(
    'lock.cjs',
    `const { createClient, NotHeldError } = require('latchkey');
     (async () => {
       const client = createClient();
       const lock = client.getFencedLock(${JSON.stringify(name)});
       const seen = await lock.using(async (hold) => [hold.isHeld, typeof hold.fencingToken]);
       const hold = await lock.acquire();
       await hold.release();
       const error = await hold.extend(1_000).catch((reason) => reason);
       await client.close();
       console.log(JSON.stringify([...seen, error instanceof NotHeldError, error.code]));
     })();`,
  );

  expect(result).toEqual([true, 'bigint', true, 'ERR_NOT_HELD']);
  // Its counter would stay for good.
  await rawClient().del(`redisson_lock_token:{${name}}`);
});

test('only the entry and package.json can be imported', async () => {
  const codes = await runConsumer(
    'inside.mjs',
    `const codes = [];
     for (const name of ['latchkey/dist/index.js', 'latchkey/dist/index.cjs', 'latchkey/x']) {
       codes.push(await import(name).then(() => 'ok', (error) => error.code));
     }
     const { default: meta } = await import('latchkey/package.json', { with: { type: 'json' } });
     console.log(JSON.stringify([...codes, meta.name]));`.replaceAll(/^ +/gm, ''),
  ).catch((error: unknown) => error);

  expect(codes).toEqual([
    ...Array.from({ length: 3 }, () => 'ERR_PACKAGE_PATH_NOT_EXPORTED'),
    'latchkey',
  ]);
});

test('at run time it needs its dependencies and no file: no fs, no Lua, no child process', async () => {
  const dist = join(consumer, 'node_modules/latchkey/dist');
  const files = (await readdir(dist)).filter((file) => /\.c?js$/.test(file));
  const sources = await Promise.all(
    files.map(async (file) => await readFile(join(dist, file), 'utf8')),
  );

  const imported = sources.flatMap((source) =>
    [...source.matchAll(/(?:from|import|require)\s*\(?\s*['"]([^'"]+)['"]/g)].map(
      ([, name]) => name ?? '',
    ),
  );
  const outside = new Set(imported.filter((name) => !name.startsWith('.')));

  expect([...outside].toSorted()).toEqual(
    ['eventemitter3', 'ioredis', 'node:async_hooks', 'node:crypto'].toSorted(),
  );
});

const program = `
import { createClient, LeaseLostError } from 'latchkey';
import type { Client, ClientOptions, Hold, Lock } from 'latchkey';
import { Redis } from 'ioredis';

const options: ClientOptions = { redis: new Redis({ lazyConnect: true }), leaseMs: 1_000 };
const client: Client = createClient(options);
client.on('lost', ({ error, holderId }) => {
  const reason: 'expired' | 'taken' | 'deleted' | 'unproven' = error.reason;
  console.log(reason, holderId.length);
});

export async function work(lock: Lock = client.getLock('a')): Promise<number> {
  const maybe: Hold | null = await lock.tryAcquire({ waitMs: 10, signal: AbortSignal.timeout(10) });
  try {
    const within = maybe === null ? {} : { within: maybe };
    return await lock.using(async (hold) => hold.remainingMs, within);
  } catch (error) {
    return error instanceof LeaseLostError ? 0 : 1;
  } finally {
    await maybe?.release();
    await client[Symbol.asyncDispose]();
  }
}
`;

test.each([
  ['nodenext', 'module.mts', {}],
  ['nodenext', 'common.cts', {}],
  ['bundler', 'bundled.ts', { module: 'esnext' }],
])('a strict program compiles, %s, %s', async (moduleResolution, file, more) => {
  await writeFile(join(consumer, file), program);
  const config = `tsconfig.${file}.json`;
  const compilerOptions = {
    strict: true,
    exactOptionalPropertyTypes: true,
    noEmit: true,
    target: 'es2022',
    lib: ['es2022'],
    types: ['node'],
    module: moduleResolution,
    moduleResolution,
    ...more,
  };
  await writeFile(join(consumer, config), JSON.stringify({ compilerOptions, files: [file] }));

  const tsc = join(modules, '.bin/tsc');
  const result = await runNode([tsc, '-p', config], { cwd: consumer });

  expect(result).toEqual({ stdout: '', stderr: '', code: 0 });
});
