// @ts-check
// Compiles lua/<primitive>/<operation>.lua into src/core/wire/scripts.generated.ts, and what the client
// has to know of lua/constants.lua into src/core/base/constants.generated.ts. lua/digests.txt has the digest of
// each script: its diff shows which scripts a change of lua/ reaches.
//
//   node scripts/generate-scripts.mjs [--check] [--lua DIR] [--out FILE] [--constants FILE]
//
// The header of each file is its type: scripts/lua/header.mjs has the grammar.
// With --check nothing is written: exit code 1 says that the file is not what lua/ compiles to.
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { compile } from './lua/compile.mjs';
import { emit, emitConstants } from './lua/emit.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const { values: options } = parseArgs({
  options: {
    check: { type: 'boolean', default: false },
    lua: { type: 'string', default: join(root, 'lua') },
    out: { type: 'string', default: join(root, 'src/core/wire/scripts.generated.ts') },
    constants: {
      type: 'string',
      default: join(root, 'src/core/base/constants.generated.ts'),
    },
  },
});

/** @param {string} folder */
function readLua(folder) {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  return new Map(
    names
      .filter((name) => name.endsWith('.lua'))
      .map((name) => [name.replaceAll(sep, '/'), readFileSync(join(folder, name), 'utf8')]),
  );
}

/** @param {readonly { name: string, sha1: string }[]} scripts */
function digestsOf(scripts) {
  return scripts.map(({ name, sha1 }) => `${sha1} ${name}\n`).join('');
}

/** @param {string} path */
function shown(path) {
  return relative(process.cwd(), path);
}

/** @returns {number} the exit code */
function main() {
  const { scripts, constants, oldest, faults } = compile(readLua(options.lua));
  for (const { file, line, message } of faults) {
    console.error(`${shown(join(options.lua, file))}:${line}: ${message}`);
  }
  if (scripts.length === 0) {
    console.error(`${shown(options.lua)} has no <primitive>/<operation>.lua`);
  }
  if (faults.length > 0 || scripts.length === 0) {
    return 1;
  }
  const outputs = new Map([
    [options.out, emit(scripts)],
    [options.constants, emitConstants(constants, oldest)],
    [join(options.lua, 'digests.txt'), digestsOf(scripts)],
  ]);
  const old = [...outputs].filter(([path, text]) => committed(path) !== text);
  if (old.length > 0 && options.check) {
    for (const [path] of old) {
      console.error(
        `${shown(path)} is not what ${shown(options.lua)} compiles to: ` +
          `run 'npm run generate' and commit the result`,
      );
    }
    return 1;
  }
  for (const [path, text] of old) {
    writeFileSync(path, text);
  }
  const state = old.length > 0 ? 'written' : 'is up to date';
  console.log(`${shown(options.out)} ${state}: ${scripts.length} scripts`);
  return 0;
}

/** @param {string} path */
function committed(path) {
  return existsSync(path) ? readFileSync(path, 'utf8').replaceAll('\r\n', '\n') : '';
}

process.exitCode = main();
