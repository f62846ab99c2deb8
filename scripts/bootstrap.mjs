// @ts-check
// What people run in a fresh clone: installs what the lockfile says and builds if needed, then hands
// over. Node built-ins only.

import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { dependenciesAreFresh, distIsFresh, root } from './lib/fresh.mjs';

const tasks = new Map([
  ['test', { script: 'scripts/test.mjs', needsBuild: false }],
  ['test:gate', { script: 'scripts/gate.mjs', needsBuild: true }],
  ['search', { script: 'scripts/search.mjs', needsBuild: true }],
  ['test:interop', { script: 'scripts/interop.mjs', needsBuild: false }],
  ['test:matrix', { script: 'scripts/matrix.mjs', needsBuild: true }],
  ['test:works-with', { script: 'scripts/works-with.mjs', needsBuild: true }],
  ['simulate', { script: 'scripts/simulate.mjs', needsBuild: false }],
  ['failovers', { script: 'scripts/failovers.mjs', needsBuild: true }],
  ['mutants', { script: 'scripts/mutants.mjs', needsBuild: true }],
  ['mutants:generated', { script: 'scripts/generated-mutants.mjs', needsBuild: false }],
  ['demo', { script: 'demo/main.mjs', needsBuild: true }],
  ['docs', { script: 'site/build.mjs', needsBuild: true }],
  ['bench', { script: 'bench/main.mjs', needsBuild: true }],
]);

/**
 * @param {string} command
 * @param {string[]} args
 * @returns {number} the exit code
 */
function show(command, args) {
  const result = spawnSync(command, args, { cwd: root, stdio: 'inherit' });
  if (result.error !== undefined) {
    console.error(`${command}: ${result.error.message}`);
  }
  return result.status ?? 1;
}

/** @returns {number} */
function install() {
  console.error('redlatch: installing development dependencies (npm ci)');
  // Without scripts, so without a build: a program that does not compile is a failure of its own, not
  // one of the installation.
  const args = ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];
  const npm = process.env['npm_execpath'];
  return npm !== undefined && /npm-cli\.c?js$/.test(npm)
    ? show(process.execPath, [npm, ...args])
    : show(process.platform === 'win32' ? 'npm.cmd' : 'npm', args);
}

/**
 * @param {string[]} argv
 * @returns {number} the exit code
 */
function main([name = '', ...args]) {
  const task = tasks.get(name);
  if (task === undefined) {
    console.error(`usage: node scripts/bootstrap.mjs ${[...tasks.keys()].join('|')} [arguments]`);
    return 2;
  }
  if (!existsSync(join(root, task.script))) {
    console.error(`redlatch: ${task.script} does not exist`);
    return 1;
  }
  if (!dependenciesAreFresh()) {
    const code = install();
    if (code !== 0) {
      return code;
    }
  }
  if (task.needsBuild && !distIsFresh()) {
    console.error('redlatch: building');
    const code = show(process.execPath, ['scripts/build.mjs']);
    if (code !== 0) {
      return code;
    }
  }
  return show(process.execPath, [task.script, ...args]);
}

process.exitCode = main(process.argv.slice(2));
