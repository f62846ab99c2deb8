// @ts-check
// Private copies of the project, in which mistakes are made. What is installed is shared by a link.

import { cpSync, existsSync, mkdtempSync, rmSync, symlinkSync, utimesSync } from 'node:fs';
import { readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { transformSync } from 'esbuild';
import { root } from '../lib/fresh.mjs';

/** What tests and scripts read. Programs that only people start are left out. */
const COPIED = [
  'api',
  'bench',
  'demo',
  'dist',
  'docs',
  'examples',
  'lua',
  'scripts',
  'src',
  'test',
  'CHANGELOG.md',
  'CONTRIBUTING.md',
  'DESIGN.md',
  'README.md',
  'SECURITY.md',
  'package.json',
  'tsconfig.json',
  'tsconfig.build.json',
  'vitest.config.ts',
];

/** Those that are still there.
 * @type {Set<Tree>} */
const trees = new Set();

process.on('exit', () => {
  for (const tree of trees) {
    tree.remove();
  }
});

/** A private copy of the project. */
export class Tree {
  /** @type {Map<string, string>} the text of each changed file before its change */
  #originals = new Map();

  constructor() {
    this.root = mkdtempSync(join(tmpdir(), 'redlatch-mutants-'));
    trees.add(this);
    for (const name of COPIED) {
      if (existsSync(join(root, name))) {
        cpSync(join(root, name), join(this.root, name), { recursive: true });
      }
    }
    symlinkSync(join(root, 'node_modules'), join(this.root, 'node_modules'));
    if (existsSync(join(this.root, 'dist/index.js'))) {
      // Tests of the sources need no build. One from the future is always fresh, so none is made.
      const future = new Date('2099-01-01');
      utimesSync(join(this.root, 'dist/index.js'), future, future);
    }
  }

  /** @param {string} file */
  read(file) {
    return readFileSync(join(this.root, file), 'utf8');
  }

  /**
   * Changes a file. Tests load what is compiled, so a source is compiled anew.
   *
   * @param {string} file
   * @param {string} text
   */
  write(file, text) {
    if (!this.#originals.has(file)) {
      this.#originals.set(file, this.read(file));
    }
    writeFileSync(join(this.root, file), text);
    const [, source] = /^src\/(.*)\.ts$/u.exec(file) ?? [];
    if (source !== undefined) {
      const { code } = transformSync(text, { loader: 'ts', sourcefile: file, target: 'es2023' });
      this.write(`dist/compiled/${source}.js`, code);
    }
  }

  /** Undoes every change. */
  restore() {
    for (const [file, text] of this.#originals) {
      writeFileSync(join(this.root, file), text);
    }
    this.#originals.clear();
  }

  remove() {
    trees.delete(this);
    rmSync(this.root, { recursive: true, force: true });
  }
}
