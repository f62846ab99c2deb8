// @ts-check
// A private copy of the server program from the distribution's own repository (Debian, Ubuntu): no
// root, no service, nothing outside node_modules/.cache/redis. Debian's redis-tools contains the
// server program; it serves when started under the name redis-server.

import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, rename, rm, stat, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { fetched } from '../gate/fetch.mjs';

/** A program that took too long was `killed`.
 * @typedef {Error & { killed?: boolean, cause?: Stopped }} Stopped */

const execute = promisify(execFile);
const cache = fileURLToPath(new URL('../../node_modules/.cache/redis/', import.meta.url));
const home = join(cache, 'debian');
const limitMs = 180_000;

/**
 * @param {string} command
 * @param {string[]} args
 * @param {string} [cwd]
 * @returns {Promise<string>}
 */
async function sh(command, args, cwd = cache) {
  const { stdout } = await execute(command, args, {
    cwd,
    timeout: limitMs,
    maxBuffer: 16 * 1024 * 1024,
    env: { ...process.env, LC_ALL: 'C', DEBIAN_FRONTEND: 'noninteractive' },
  });
  return stdout;
}

/** @returns {Promise<import('./binary.mjs').Binary>} */
async function installed() {
  const libraries = await readdir(join(home, 'usr/lib'), { recursive: true, withFileTypes: true });
  const folders = libraries
    .filter((entry) => /\.so(\.|$)/.test(entry.name))
    .map((entry) => entry.parentPath);
  const inherited = process.env['LD_LIBRARY_PATH'] ?? '';
  const path = [...new Set(folders), ...(inherited === '' ? [] : [inherited])].join(':');
  return { path: join(home, 'bin/redis-server'), env: { LD_LIBRARY_PATH: path } };
}

/**
 * Downloads redis-tools and the libraries it names into `folder`.
 *
 * @param {string} folder
 * @param {string[]} options for apt
 * @returns {Promise<void>}
 */
async function download(folder, options) {
  const depends = await sh('apt-cache', [...options, 'depends', 'redis-tools']);
  // The C library must be the system's own; the rest is taken along, since slim images lack some.
  const libraries = [...depends.matchAll(/^ *\|?Depends: (lib[a-z0-9.+-]+)$/gm)]
    .map(([, name]) => String(name))
    .filter((name) => name !== 'libc6');
  await sh('apt-get', [...options, 'download', 'redis-tools', ...libraries], folder);
}

/**
 * @param {string} folder an empty folder
 * @returns {Promise<void>}
 */
async function downloadWithFallback(folder) {
  // As root, apt would warn that its own user cannot write here.
  const options = ['-qq', '-o', 'APT::Sandbox::User='];
  try {
    await download(folder, options);
  } catch {
    // Never updated, or so long ago that the files are gone: use lists of our own.
    const lists = join(folder, 'lists');
    const archives = join(folder, 'archives');
    await mkdir(join(lists, 'partial'), { recursive: true });
    await mkdir(join(archives, 'partial'), { recursive: true });
    const own = [...options, '-o', `Dir::State::lists=${lists}`, '-o', `Dir::Cache=${archives}`];
    // One unreachable third-party source must not stop us; the download itself will tell.
    const updating = await sh('apt-get', [...own, 'update']).catch(String);
    await download(folder, own).catch((/** @type {unknown} */ error) => {
      throw new Error(`${String(error)}\n${updating}`, { cause: error });
    });
  }
}

/** @returns {Promise<void>} */
async function install() {
  const work = await mkdtemp(join(cache, 'work-'));
  try {
    const packages = join(work, 'packages');
    const tree = join(work, 'tree');
    await mkdir(packages);
    await mkdir(join(tree, 'bin'), { recursive: true });
    await fetched(
      'redis-tools',
      async () =>
        await downloadWithFallback(packages).then(
          () => ({ code: 0, output: '' }),
          // Its message has what the program has printed.
          (/** @type {Stopped} */ error) => ({
            code: 1,
            output: String(error),
            timedOut: error.killed === true || error.cause?.killed === true,
          }),
        ),
    );
    for (const name of await readdir(packages)) {
      if (name.endsWith('.deb')) {
        await sh('dpkg-deb', ['-x', join(packages, name), tree]);
      }
    }
    for (const name of ['redis-server', 'redis-sentinel']) {
      await symlink('../usr/bin/redis-check-rdb', join(tree, 'bin', name));
    }
    // Atomic, so that whoever sees the folder sees a complete one.
    await rename(tree, home);
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}

/**
 * Runs the task while no other process of this checkout does: the lock is a folder.
 *
 * @param {() => Promise<void>} task
 * @returns {Promise<void>}
 */
async function alone(task) {
  const lock = join(cache, 'lock');
  const end = Date.now() + limitMs;
  for (;;) {
    try {
      await mkdir(lock);
      break;
    } catch (error) {
      const age = await stat(lock).then(
        (found) => Date.now() - found.mtimeMs,
        () => 0,
      );
      if (age > limitMs) {
        await rm(lock, { recursive: true, force: true });
      } else if (Date.now() > end) {
        throw error;
      }
      await new Promise((resolve) => {
        setTimeout(resolve, 100);
      });
    }
  }
  try {
    await task();
  } finally {
    await rm(lock, { recursive: true, force: true });
  }
}

/**
 * The private copy, fetched on first use. Undefined where there is no apt.
 *
 * @returns {Promise<import('./binary.mjs').Binary | undefined>}
 */
export async function debianCopy() {
  if (existsSync(join(home, 'bin/redis-server'))) {
    return await installed();
  }
  if (!existsSync('/usr/bin/apt-get') || !existsSync('/usr/bin/dpkg-deb')) {
    return undefined;
  }
  await mkdir(cache, { recursive: true });
  process.stderr.write('redis: fetching a private copy of redis-tools (once, a few seconds)\n');
  await alone(async () => {
    if (!existsSync(home)) {
      await install();
    }
  });
  return await installed();
}
