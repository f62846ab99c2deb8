// Every public type and function has an example, and each is a strict program.

import { mkdtemp, mkdir, rm, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { runTool } from '../../scripts/lib/run.mjs';
import { examplesIn, exportsOf, type Exported } from './exports.js';

const exported = exportsOf('src/index.ts');
const names = exported.map(({ name }) => name);

/** What examples use without saying where it comes from, unless they declare it. */
const SURROUNDINGS = [
  ['Redis', "import { Cluster, Redis } from 'ioredis';"],
  ['client', "declare const client: import('redlatch').Client;"],
  ['lock', "declare const lock: import('redlatch').Lock;"],
  ['work', 'declare function work(signal: AbortSignal): Promise<void>;'],
  ['save', 'declare function save(what: { token: bigint }): Promise<void>;'],
] as const;

const compilerOptions = {
  target: 'es2022',
  lib: ['es2023', 'esnext.disposable'],
  module: 'nodenext',
  moduleResolution: 'nodenext',
  moduleDetection: 'force',
  // What is built: its sources have been checked.
  paths: { redlatch: [resolve('dist/index.d.ts')] },
  types: ['node'],
  strict: true,
  exactOptionalPropertyTypes: true,
  noUncheckedIndexedAccess: true,
  skipLibCheck: true,
  noEmit: true,
};

let folder: string;

beforeAll(async () => {
  // Below the package, so that the types of Node.js are found.
  await mkdir('temp', { recursive: true });
  folder = await mkdtemp(join('temp', 'jsdoc-'));
});

afterAll(async () => {
  await rm(folder, { recursive: true, force: true });
});

/** An example with what is around it: it may use all that the package exports. */
function programOf(code: string): string {
  const used = names.filter((name) => new RegExp(`\\b${name}\\b`, 'u').test(code));
  const around = SURROUNDINGS.filter(
    ([name]) => !new RegExp(`\\b(?:const|using) ${name}\\b`, 'u').test(code),
  );
  const imports = used.length === 0 ? '' : `import { ${used.join(', ')} } from 'redlatch';\n`;
  return `${imports}${around.map(([, line]) => line).join('\n')}\n${code}`;
}

/** What the compiler has to say about the examples. */
async function compile(those: readonly Exported[]): Promise<string> {
  const files = await Promise.all(
    those.flatMap(({ name, comment }) =>
      examplesIn(comment).map(async (code, i) => {
        const file = `${name}-${i}.mts`;
        await writeFile(join(folder, file), programOf(code));
        return file;
      }),
    ),
  );
  const config = join(folder, 'tsconfig.json');
  await writeFile(config, JSON.stringify({ compilerOptions, files }));
  const { output } = await runTool('tsc', ['-p', config, '--pretty', 'false']);
  return output;
}

test('every public type and function has an example', () => {
  const without = exported.filter(({ comment }) => examplesIn(comment).length === 0);

  expect(without.map(({ name, file }) => `${name} in ${file}`)).toEqual([]);
  expect(names).toEqual(expect.arrayContaining(['createClient', 'FencedLock', 'LeaseLostError']));
});

test('a type without an example is found', async () => {
  const index = join(folder, 'index.ts');
  const own =
    '/** Has one.\n *\n * @example\n * ```ts\n * let it: One;\n * ```\n */\nexport type One = 1;\n';
  await writeFile(join(folder, 'own.ts'), `${own}\n/** Has none. */\nexport interface Two {}\n`);
  await writeFile(index, "export type { One, Two } from './own.js';\n");

  const found = exportsOf(index).map(({ name, comment }) => [name, examplesIn(comment)]);

  expect(found).toEqual([
    ['One', ['let it: One;\n']],
    ['Two', []],
  ]);
});

test(
  'the examples of all of them compile, and one that is wrong is found',
  { timeout: 60_000 },
  async () => {
    const comment = '@example\n```ts\nconst hold: Hold = await lock.tryAcquire();\n```';

    const output = await compile([...exported, { name: 'Wrong', file: '', comment }]);
    const errors = output.split('\n').filter((line) => line.includes('error TS'));

    expect(errors).toEqual([
      expect.stringMatching(/Wrong-0\.mts\(\d+,\d+\): error TS2322: Type 'Hold \| null'/u),
    ]);
  },
);
