// The declarations of the installed package, under every rule by which TypeScript finds them.

import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { rawClient, runPrefix } from '../support/redis.js';
import { runNode } from '../support/run-node.js';
import { modules, runIn, type Packed } from './packed.js';

const program = `
import { createClient, LeaseLostError, NotHeldError } from 'redlatch';
import type { Client, ClientOptions, FencedHold, Hold, Lock } from 'redlatch';
import { Redis } from 'ioredis';

const template = new Redis(process.env['REDIS_URL'] ?? '', { lazyConnect: true });
const options: ClientOptions = { redis: template, leaseMs: 1_000 };
const client: Client = createClient(options);
client.on('lost', ({ error, holderId }) => {
  const reason: 'expired' | 'taken' | 'deleted' | 'unproven' = error.reason;
  console.log(reason, holderId.length);
});

export async function work(lock: Lock): Promise<number> {
  const maybe: Hold | null = await lock.tryAcquire({ waitMs: 5_000, signal: new AbortController().signal });
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

async function main(): Promise<void> {
  const fenced = client.getFencedLock('NAME');
  const hold: FencedHold = await fenced.acquire();
  const token: bigint = hold.fencingToken;
  await hold.release();
  const error: unknown = await hold.extend(1_000).catch((reason: unknown) => reason);
  const left = await work(client.getLock('NAME-2'));
  template.disconnect();
  console.log(JSON.stringify([typeof token, error instanceof NotHeldError, left > 1]));
}

void main();
`;

/** Compiler, rule, kind of modules, and the extensions of the programs. */
const settings = [
  ['typescript-5', 'node10', 'commonjs', ['cts']],
  ['typescript-5', 'node16', 'node16', ['cts', 'mts']],
  ['typescript', 'node16', 'node16', ['cts', 'mts']],
  ['typescript', 'nodenext', 'nodenext', ['cts', 'mts']],
  ['typescript', 'bundler', 'esnext', ['mts']],
] as const;

export function describeCompilers(packed: () => Packed): void {
  test.concurrent.each(settings)(
    'a strict program compiles and runs: %s, %s, modules %s, %j',
    { timeout: 60_000 },
    async (compiler, moduleResolution, module, extensions) => {
      const { consumer } = packed();
      const id = `${compiler}-${moduleResolution}`;
      const name = (extension: string) => `${runPrefix()}${id}-${extension}`;
      for (const extension of extensions) {
        const text = program.replaceAll('NAME', name(extension));
        await writeFile(join(consumer, `${id}.${extension}`), text);
      }
      const compilerOptions = {
        strict: true,
        exactOptionalPropertyTypes: true,
        skipLibCheck: false,
        noEmitOnError: true,
        target: 'es2022',
        lib: ['es2022'],
        types: ['node'],
        module,
        moduleResolution,
      };
      const config = `tsconfig.${id}.json`;
      const files = extensions.map((extension) => `${id}.${extension}`);
      await writeFile(join(consumer, config), JSON.stringify({ compilerOptions, files }));

      const tsc = [join(modules, compiler, 'bin/tsc'), '-p', config];
      const compiled = await runNode(tsc, { cwd: consumer, withinMs: 50_000 });

      expect(compiled).toEqual({ stdout: '', stderr: '', code: 0 });
      for (const extension of extensions) {
        const output = `${id}.${extension.replace('ts', 'js')}`;
        expect(await runIn(consumer, [output])).toEqual(['bigint', true, true]);
        // The counter of a fenced lock stays for good.
        await rawClient().del(`redisson_lock_token:{${name(extension)}}`);
      }
    },
  );

  test('the compiler that builds is the newer one', async () => {
    const text = await readFile('package.json', 'utf8');
    const { devDependencies } = JSON.parse(text) as { devDependencies: Record<string, string> };

    // Both have a program of that name, and whichever was installed last may take the place.
    const { stdout } = await runNode(['node_modules/.bin/tsc', '--version']);
    expect(stdout).toBe(`Version ${devDependencies['typescript']}\n`);
  });
}
