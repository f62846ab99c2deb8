// @ts-check
// A copy of `src` in which each function reports when it is entered.

import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, sep } from 'node:path';
import { transformSync } from 'esbuild';
import { parseSync, Visitor } from 'oxc-parser';
import { root } from '../lib/fresh.mjs';

const SOURCE = join(root, 'src');

/** Below node_modules, so that the copy finds what it imports. */
export const TRACED = join(root, 'node_modules/.cache/redlatch/traced');

/** Makes the copy anew. Functions whose body is an expression are not counted. */
export function instrument() {
  rmSync(TRACED, { recursive: true, force: true });
  for (const path of readdirSync(SOURCE, { recursive: true, encoding: 'utf8' })) {
    const file = path.replaceAll(sep, '/');
    if (file.endsWith('.ts') && !file.endsWith('.d.ts')) {
      write(file, readFileSync(join(SOURCE, path), 'utf8'));
    }
  }
  writeFileSync(join(TRACED, 'package.json'), '{ "type": "module" }\n');
}

/**
 * @param {string} file
 * @param {string} code
 */
function write(file, code) {
  const traced = isCounted(file) ? withReports(file, code) : code;
  const options = /** @type {const} */ ({ loader: 'ts', format: 'esm', target: 'node20' });
  const target = join(TRACED, file.replace(/\.ts$/u, '.js'));
  mkdirSync(dirname(target), { recursive: true });
  writeFileSync(target, transformSync(traced, options).code);
}

/**
 * Not the simulated server, nor tables that are generated.
 *
 * @param {string} file
 */
function isCounted(file) {
  return !file.startsWith('testing/') && !file.includes('generated');
}

/**
 * The code with a report at the start of each function body.
 *
 * @param {string} file
 * @param {string} code
 */
function withReports(file, code) {
  /** @type {number[]} */
  const bodies = [];
  /** @param {{ body: { type: string, start: number } | null }} node */
  const found = ({ body }) => {
    if (body !== null && ['BlockStatement', 'FunctionBody'].includes(body.type)) {
      bodies.push(body.start + 1);
    }
  };
  new Visitor({
    FunctionDeclaration: found,
    FunctionExpression: found,
    ArrowFunctionExpression: found,
  }).visit(parseSync(file, code).program);
  let traced = code;
  for (const at of bodies.toSorted((a, b) => b - a)) {
    const id = JSON.stringify(`${file}:${at}`);
    traced = `${traced.slice(0, at)};globalThis.entered?.(${id});${traced.slice(at)}`;
  }
  return traced;
}
