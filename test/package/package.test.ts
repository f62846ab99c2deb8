// The package as a program gets it: packed in a fresh clone, installed in an empty folder, loaded in
// every way and compiled under every rule.

import { cp, readdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { describeCompilers } from './compilers.js';
import { describeMinified } from './minified.js';
import { packAndInstall, runIn, type Packed } from './packed.js';
import { runNode, type NodeRun } from '../support/run-node.js';
import { describeRuntimes } from './runtimes.js';

let packed: Packed;

beforeAll(async () => {
  packed = await packAndInstall();
}, 120_000);

afterAll(async () => {
  await packed.remove();
});

/** Where the links of a packed page lead that lead to nothing in the tarball. */
async function linksToNothing(page: string): Promise<string[]> {
  const text = await readFile(join(packed.installed, page), 'utf8');
  const targets = [...text.matchAll(/\]\((?!https?:|#)(?<target>[^)#]+)[^)]*\)/gu)].map(
    ({ groups }) => join(dirname(page), groups?.['target'] ?? ''),
  );
  const found = (target: string) =>
    packed.files.some((file) => file === target || file.startsWith(`${target}/`));
  return targets.filter((target) => !found(target));
}

/** Runs the script of `prepare` and `prepack` where nothing is installed and nothing built. */
async function prepare(event: string): Promise<NodeRun> {
  const folder = join(packed.consumer, '..', `bare-${event}`);
  await cp('scripts', join(folder, 'scripts'), { recursive: true });
  await cp('package.json', join(folder, 'package.json'));
  const env = { npm_lifecycle_event: event };
  return await runNode(['scripts/prepare.mjs'], { cwd: folder, env });
}

describe('packed in a fresh clone', () => {
  test('it is built once', () => {
    expect(packed.log.match(/redlatch: building/g)).toHaveLength(1);
  });

  test('it has the build, the papers, the examples, and nothing else', () => {
    const top = new Set(packed.files.map((file) => file.replace(/\/.*/, '/')));

    expect([...top].toSorted()).toEqual([
      'CHANGELOG.md',
      'LICENSE',
      'README.md',
      'SECURITY.md',
      'dist/',
      'docs/',
      'examples/',
      'package.json',
    ]);
    expect(packed.files.filter((file) => file.startsWith('dist/')).toSorted()).toEqual([
      'dist/index.cjs',
      'dist/index.d.cts',
      'dist/index.d.ts',
      'dist/index.js',
    ]);
    expect(packed.files.filter((file) => /\.map$|tsconfig|(^|\/)\./.test(file))).toEqual([]);
  });

  test('every link of its README leads to what it has, or to a test', async () => {
    const out = await linksToNothing('README.md');

    expect(out.filter((target) => !target.startsWith('test/'))).toEqual([]);
  });

  test('the other pages lead out of it to tests only, and to the page on defects', async () => {
    const pages = packed.files.filter((file) => file.endsWith('.md'));
    const out = (await Promise.all(pages.map(linksToNothing))).flat();

    expect(out.filter((target) => !target.startsWith('test/'))).toEqual(
      out.filter((target) => target === 'docs/redisson-defects.md'),
    );
  });

  test('it names no home that the project does not have', async () => {
    const text = await readFile(join(packed.installed, 'package.json'), 'utf8');

    const fields = Object.keys(JSON.parse(text) as object);
    expect(fields.filter((field) => /^(repository|homepage|bugs)$/.test(field))).toEqual([]);
  });

  test('the README installs the tarball that packing makes', async () => {
    const text = await readFile('README.md', 'utf8');

    expect(/```sh\n(?<commands>.*?)```/su.exec(text)?.groups?.['commands']).toBe(
      `npm install ../redlatch/${packed.tarball} ioredis\n`,
    );
  });

  test('it is not published before its owner has named its author, home and repository', async () => {
    const { code, stderr } = await runNode(['scripts/refuse-publishing.mjs']);

    expect({ code, stderr }).toEqual({
      code: 1,
      stderr:
        'redlatch is not ready to be published: in package.json "repository" is missing, ' +
        '"homepage" is missing, "author" is missing, "private" is true\n',
    });
    const described = JSON.parse(await readFile('package.json', 'utf8')) as {
      private?: boolean;
      scripts?: Record<string, string>;
    };
    expect(described.private).toBe(true);
    expect(described.scripts?.['prepublishOnly']).toBe('node scripts/refuse-publishing.mjs');
  });

  test('it has at most 1,140 kB', () => {
    expect(packed.unpackedSize).toBeLessThanOrEqual(1_140_000);
  });
});

describe('without development dependencies', () => {
  test('an installation goes on, and says that nothing was built', async () => {
    const { code, stdout, stderr } = await prepare('prepare');

    expect({ code, stdout }).toEqual({ code: 0, stdout: '' });
    expect(stderr).toMatch(/^redlatch: not built, since typescript.* is not installed/);
  });

  test('packing fails', async () => {
    const { code, stdout } = await prepare('prepack');

    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
  });
});

describe('loaded by', () => {
  describeRuntimes(() => packed);
});

describe('bundled and', () => {
  describeMinified(() => packed);
});

describe('compiled', () => {
  describeCompilers(() => packed);
});

test('only the entry and package.json can be imported', async () => {
  await writeFile(
    join(packed.consumer, 'inside.mjs'),
    `const codes = [];
     for (const name of ['redlatch/dist/index.js', 'redlatch/dist/index.cjs', 'redlatch/x']) {
       codes.push(await import(name).then(() => 'ok', (error) => error.code));
     }
     const { default: meta } = await import('redlatch/package.json', { with: { type: 'json' } });
     console.log(JSON.stringify([...codes, meta.name]));`,
  );

  // That importing JSON is an experiment in Node.js 20 is said on stderr.
  const args = ['--disable-warning=ExperimentalWarning', 'inside.mjs'];
  expect(await runIn(packed.consumer, args)).toEqual([
    ...Array.from({ length: 3 }, () => 'ERR_PACKAGE_PATH_NOT_EXPORTED'),
    'redlatch',
  ]);
});

test('at run time it needs its dependencies and no file: no fs, no Lua, no child process', async () => {
  const dist = join(packed.installed, 'dist');
  const files = (await readdir(dist)).filter((file) => /\.c?js$/.test(file));
  const sources = await Promise.all(
    files.map(async (file) => await readFile(join(dist, file), 'utf8')),
  );

  const imported = sources.flatMap((source) =>
    [...source.matchAll(/(?:from|import|require)\s*\(?\s*['"]([^'"\s]+)['"]/g)].map(
      ([, name]) => name ?? '',
    ),
  );
  const outside = new Set(imported.filter((name) => !name.startsWith('.')));

  expect([...outside].toSorted()).toEqual([
    'eventemitter3',
    'ioredis',
    'node:async_hooks',
    'node:crypto',
    'node:diagnostics_channel',
    // For a server that does not answer: what it says over a plain connection, and over TLS.
    'node:net',
    'node:perf_hooks',
    'node:timers',
    'node:tls',
    // Whether NODE_DEBUG has redlatch.
    'node:util',
    'node:vm',
    'redis-parser',
  ]);
});
