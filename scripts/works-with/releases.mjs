// @ts-check
// The releases that docs/works-with.md names. Each is installed the first time.

import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../lib/fresh.mjs';
import { run } from '../lib/run.mjs';

/** @typedef {Record<string, string>} Versions */
const { devDependencies, dependencies } =
  /** @type {{ devDependencies: Versions, dependencies: Versions }} */ (
    JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  );

/** The page names the first package of each. */
export const RELEASES = {
  bun: { bun: '1.4.5' },
  deno: { deno: '2.9.6' },
  nest12: nest('12.5.1'),
  nest11: nest('11.2.10'),
  next: { next: '16.4.6', react: '19.3.1', 'react-dom': '19.3.1' },
};

/** @typedef {keyof typeof RELEASES} Name */

/** @param {string} version */
function nest(version) {
  const rest = { '@nestjs/common': version, 'reflect-metadata': '0.2.2', rxjs: '7.8.2' };
  return { '@nestjs/core': version, ...rest };
}

/** @param {Name} name */
export const versionOf = (name) => Object.values(RELEASES[name])[0] ?? '';

/** What every program needs beside this package. */
const OURS = { ...dependencies, ioredis: devDependencies['ioredis'] };

/**
 * Installs a release, and this package as it is built now.
 *
 * @param {Name} name
 * @returns {Promise<string>} the folder
 */
export async function install(name) {
  // Not below node_modules: bundlers take what is there for compiled, and do not watch it.
  const folder = join(root, 'out/works-with', name);
  const wanted = JSON.stringify({ ...RELEASES[name], ...OURS });
  const mark = join(folder, 'installed.json');
  if (!existsSync(mark) || readFileSync(mark, 'utf8') !== wanted) {
    console.log(`fetching ${name} ${versionOf(name)}`);
    rmSync(folder, { recursive: true, force: true });
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, 'package.json'), '{ "private": true, "type": "module" }');
    const packages = Object.entries({ ...RELEASES[name], ...OURS });
    // Their scripts only put a program in its place.
    const quiet = ['--ignore-scripts', '--no-audit', '--no-fund', '--no-save', '--loglevel=error'];
    const args = ['install', ...quiet, ...packages.map((each) => each.join('@'))];
    const { code, output } = await run('npm', args, { cwd: folder, timeoutMs: 240_000 });
    if (code !== 0) {
      throw new Error(`${name} was not installed:\n${output}`);
    }
    writeFileSync(mark, wanted);
  }
  const own = join(folder, 'node_modules/redlatch');
  rmSync(own, { recursive: true, force: true });
  for (const file of ['package.json', 'dist/index.js', 'dist/index.cjs', 'dist/index.d.ts']) {
    cpSync(join(root, file), join(own, file));
  }
  return folder;
}
