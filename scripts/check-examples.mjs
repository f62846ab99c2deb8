// @ts-check
// Compiles everything that readers copy, as a strict program of theirs would: the examples, and the
// blocks of JavaScript and TypeScript in the documents. A block that imports the package stands for
// itself; what surrounds one that does not is said below.
//
//   node scripts/check-examples.mjs [DOCUMENT...]
//
// DOCUMENT  these documents only, and no examples

import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, relative, resolve, sep } from 'node:path';
import { root } from './lib/fresh.mjs';
import { runTool } from './lib/run.mjs';

/** In the package, so that its name leads to itself; ignored by git and by the other tools. */
const folder = join(root, 'temp', `examples-${process.pid}`);

/** Names that fragments use without saying where they come from. */
const SURROUNDINGS = `
declare const client: import('redlatch').Client;
declare const lock: import('redlatch').Lock;
declare const signal: AbortSignal;
declare const log: { warn(what: object | string): void };
declare function work(signal: AbortSignal): Promise<void>;
`;

const compilerOptions = {
  target: 'es2022',
  lib: ['es2022', 'esnext.disposable'],
  module: 'nodenext',
  moduleResolution: 'nodenext',
  moduleDetection: 'force',
  types: ['node'],
  strict: true,
  exactOptionalPropertyTypes: true,
  allowJs: true,
  checkJs: true,
  noEmit: true,
};

/** @param {string} below @param {string} ending */
function filesBelow(below, ending) {
  const names = readdirSync(join(root, below), { recursive: true, encoding: 'utf8' });
  return names.filter((name) => name.endsWith(ending)).map((name) => join(root, below, name));
}

/**
 * @param {string} text of a document
 * @returns {{ line: number, extension: string, code: string }[]} its blocks, and the lines they are on
 */
function blocksIn(text) {
  const blocks = text.matchAll(/^```(?<language>js|ts)\n(?<code>.*?)^```$/gmsu);
  return [...blocks].map(({ index, groups }) => ({
    line: text.slice(0, index).split('\n').length + 1,
    extension: groups?.['language'] === 'ts' ? 'mts' : 'mjs',
    code: groups?.['code'] ?? '',
  }));
}

/**
 * Writes each block to a file in which it is on the same lines as in its document.
 *
 * @param {string} document
 * @returns {{ path: string, document: string, isWhole: boolean }[]}
 */
function writeBlocks(document) {
  const shown = relative(root, document);
  return blocksIn(readFileSync(document, 'utf8')).map(({ line, extension, code }) => {
    const path = join(folder, `${shown.replaceAll(/[^\w.]/g, '-')}.${line}.${extension}`);
    writeFileSync(path, `${'\n'.repeat(line - 1)}${code}`);
    return { path, document: shown, isWhole: /from 'redlatch'/.test(code) };
  });
}

/**
 * @param {string} name of the configuration
 * @param {string[]} files
 * @returns {Promise<import('./lib/run.mjs').RunResult>}
 */
async function compile(name, files) {
  if (files.length === 0) {
    return { code: 0, output: '', timedOut: false };
  }
  const config = join(folder, `${name}.json`);
  writeFileSync(config, JSON.stringify({ compilerOptions, files }));
  return await runTool('tsc', ['-p', config, '--pretty', 'false']);
}

/**
 * @param {string[]} chosen documents
 * @returns {Promise<boolean>} whether all compile
 */
async function main(chosen) {
  const documents = [join(root, 'README.md'), ...filesBelow('docs', '.md')];
  const examples = chosen.length > 0 ? [] : filesBelow('examples', '.mjs');
  const blocks = (chosen.length > 0 ? chosen.map((each) => resolve(each)) : documents).flatMap(
    writeBlocks,
  );
  const whole = blocks.filter(({ isWhole }) => isWhole).map(({ path }) => path);
  const parts = blocks.filter(({ isWhole }) => !isWhole).map(({ path }) => path);
  const surroundings = join(folder, 'surroundings.d.ts');
  writeFileSync(surroundings, SURROUNDINGS);
  const results = [
    await compile('whole', [...examples, ...whole]),
    // Apart: what surrounds fragments is known everywhere in their program.
    await compile('fragments', parts.length === 0 ? [] : [surroundings, ...parts]),
  ];
  let output = results.map((result) => result.output).join('');
  for (const { path, document } of blocks) {
    output = output.replaceAll(relative(root, path).replaceAll(sep, '/'), document);
  }
  process.stdout.write(output);
  const counts = `${examples.length} examples, ${whole.length} snippets, ${parts.length} fragments`;
  console.log(counts);
  return results.every(({ code }) => code === 0) && examples.length + blocks.length > 0;
}

mkdirSync(folder, { recursive: true });
try {
  process.exitCode = (await main(process.argv.slice(2))) ? 0 : 1;
} finally {
  rmSync(folder, { recursive: true, force: true });
}
