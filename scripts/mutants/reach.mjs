// @ts-check
// Which tests reach which function and which script, and how long they take: found out once, in a
// copy of the project whose functions tell that they were called.

import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { root } from '../lib/fresh.mjs';
import { runTests } from './judge.mjs';
import { Tree } from './tree.mjs';
import { functionsIn, treeOf } from './walk.mjs';

/** Tests that say something about the sources, alone on the machine or not. The others look at the
 * build, at several processes or at measured times. */
const FOLDERS = [
  'unit',
  'contract',
  'integration',
  'property',
  'faults',
  'connections',
  'simulation',
];

const SETUP = `
import { writeFileSync } from 'node:fs';
import { afterAll, expect } from 'vitest';
globalThis.redlatchReach = new Set();
afterAll(() => {
  const file = expect.getState().testPath;
  const name = process.env.REDLATCH_REACH + '/' + file.replaceAll('/', '+') + '.json';
  writeFileSync(name, JSON.stringify({ file, reached: [...globalThis.redlatchReach] }));
});
`;

/** @param {string} id */
const telling = (id) => `globalThis.redlatchReach?.add(${JSON.stringify(id)})`;

/**
 * @param {string} file
 * @param {string} text
 */
function instrument(file, text) {
  /** @type {{ at: number, insert: string }[]} */
  const inserts = [];
  for (const [node, name] of functionsIn(treeOf(file, text))) {
    const body = /** @type {import('./walk.mjs').Node} */ (node['body']);
    const tell = telling(`${file}#${name}`);
    if (body.type === 'BlockStatement') {
      inserts.push({ at: body.start + 1, insert: ` ${tell};` });
    } else if (body.type !== 'FunctionBody') {
      inserts.push({ at: body.start, insert: `(${tell}, ` }, { at: body.end, insert: ')' });
    } else {
      inserts.push({ at: body.start + 1, insert: ` ${tell};` });
    }
  }
  let changed = text;
  for (const { at, insert } of inserts.toSorted((one, other) => other.at - one.at)) {
    changed = changed.slice(0, at) + insert + changed.slice(at);
  }
  return changed;
}

/** @param {string} text the generated module */
function instrumentScripts(text) {
  let name = '';
  return text
    .split('\n')
    .map((line) => {
      name = /^ {2}name: '(.*)',$/.exec(line)?.[1] ?? name;
      return line.replace(
        /^( {2}operands: \(.*?\) => )(.*),$/,
        (_, start, body) => `${start}(${telling(`lua/${name}.lua`)}, ${body}),`,
      );
    })
    .join('\n');
}

/** @param {string} folder
 * @param {string} ending */
export function filesBelow(folder, ending) {
  return readdirSync(join(root, folder), { encoding: 'utf8', recursive: true })
    .filter((name) => name.endsWith(ending))
    .map((name) => `${folder}/${name.replaceAll('\\', '/')}`)
    .toSorted();
}

/** Runs the tests, and returns for each what it has reached.
 * @returns {Promise<Record<string, { ms: number, reached: string[] }>>} */
export async function observe() {
  const tree = new Tree();
  const results = mkdtempSync(join(tmpdir(), 'redlatch-reach-'));
  try {
    for (const file of filesBelow('src', '.ts')) {
      const text = tree.read(file);
      const isScripts = file.endsWith('/scripts.generated.ts');
      tree.write(file, isScripts ? instrumentScripts(text) : instrument(file, text));
    }
    const setup = join(tree.root, 'test/mutants/reach-setup.ts');
    mkdirSync(dirname(setup), { recursive: true });
    writeFileSync(setup, SETUP);
    const files = FOLDERS.flatMap((folder) => filesBelow(`test/${folder}`, '.test.ts'));
    process.env['REDLATCH_REACH'] = results;
    const outcome = await runTests(
      { root: tree.root, files, workers: 3, stopsAtFailure: false, setupFiles: [setup] },
      20 * 60_000,
    );
    for (const { file, test, message } of outcome.failed) {
      console.log(`failed: ${file}: ${test}: ${message.split('\n')[0]}`);
    }
    /** @type {Record<string, { ms: number, reached: string[] }>} */
    const found = {};
    for (const name of readdirSync(results)) {
      const { file, reached } = /** @type {{ file: string, reached: string[] }} */ (
        JSON.parse(readFileSync(join(results, name), 'utf8'))
      );
      const test = file.slice(tree.root.length + 1);
      found[test] = { ms: outcome.files[test] ?? 0, reached };
    }
    return found;
  } finally {
    tree.remove();
    rmSync(results, { recursive: true, force: true });
  }
}
