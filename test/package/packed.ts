// The tarball, packed from what git would clone, and an empty project that has installed it.

import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'vitest';
import { driverPackage } from '../support/driver.mjs';
import { redisUrl } from '../support/redis.js';
import { runNode } from '../support/run-node.js';

const run = promisify(execFile);

/** The installed packages of this repository. */
export const modules: string = resolve('node_modules');

export interface Packed {
  /** The name of the tarball. */
  readonly tarball: string;
  /** Paths in the tarball, without the folder that npm puts around them. */
  readonly files: readonly string[];
  readonly unpackedSize: number;
  /** What the scripts said that npm ran before it packed. */
  readonly log: string;
  /** The folder of a project that has installed the tarball, and nothing else but what it needs. */
  readonly consumer: string;
  /** The installed package in it. */
  readonly installed: string;
  remove(): Promise<void>;
}

/** Copies what git knows of, and what is new and not ignored, as it is on the disk now. */
async function copyTree(target: string): Promise<void> {
  // Whoever owns the folder: nothing is run from its configuration.
  const git = [
    '-c',
    'safe.directory=*',
    'ls-files',
    '-z',
    '-co',
    '--exclude-standard',
    '--deduplicate',
  ];
  const { stdout } = await run('git', git, { maxBuffer: 2 ** 24 });
  const { stdout: gone } = await run('git', ['-c', 'safe.directory=*', 'ls-files', '-z', '-d']);
  const deleted = new Set(gone.split('\0'));
  for (const file of stdout.split('\0').filter((name) => name !== '' && !deleted.has(name))) {
    await mkdir(dirname(join(target, file)), { recursive: true });
    await cp(file, join(target, file));
  }
}

/** What the package depends on, with the driver that this run tests, and what its types need. */
async function dependencies(): Promise<string[]> {
  const described = JSON.parse(await readFile('package.json', 'utf8')) as {
    dependencies: Record<string, string>;
  };
  const others = Object.keys(described.dependencies).filter((name) => name !== 'ioredis');
  return [driverPackage, ...others, '@types/node'];
}

/** Packs as `npm pack` does in a fresh clone, where nothing is built, and installs the tarball. */
export async function packAndInstall(): Promise<Packed> {
  const folder = await mkdtemp(join(tmpdir(), 'redlatch-package-'));
  try {
    return await packIn(folder);
  } catch (error) {
    await rm(folder, { recursive: true, force: true });
    throw error;
  }
}

async function packIn(folder: string): Promise<Packed> {
  const clone = join(folder, 'clone');
  const consumer = join(folder, 'consumer');
  await copyTree(clone);
  await symlink(modules, join(clone, 'node_modules'));
  const pack = await run('npm', ['pack', '--json', '--pack-destination', folder], { cwd: clone });
  const [tarball] = JSON.parse(pack.stdout) as {
    filename: string;
    unpackedSize: number;
    files: { path: string }[];
  }[];
  await mkdir(consumer);
  await writeFile(join(consumer, 'package.json'), '{ "private": true }');
  // Its dependencies come from this installation, so that no registry is asked.
  const parts = (await dependencies()).map((name) => join(modules, name));
  const quiet = ['--offline', '--no-audit', '--no-fund', '--no-package-lock', '--ignore-scripts'];
  const install = ['install', ...quiet, join(folder, tarball?.filename ?? ''), ...parts];
  await run('npm', install, { cwd: consumer });
  return {
    tarball: tarball?.filename ?? '',
    files: tarball?.files.map(({ path }) => path) ?? [],
    unpackedSize: tarball?.unpackedSize ?? Infinity,
    log: pack.stderr,
    consumer,
    installed: join(consumer, 'node_modules/redlatch'),
    remove: async () => await rm(folder, { recursive: true, force: true }),
  };
}

/**
 * Runs a program of the project that must succeed without a word on stderr.
 *
 * @param node the program to run it, default this one
 * @returns what it has printed, as JSON
 */
export async function runIn(consumer: string, args: string[], node?: string): Promise<unknown> {
  const env = { REDIS_URL: redisUrl() };
  const { stdout, stderr, code } = await runNode(args, { cwd: consumer, env, node });
  expect({ stderr, code }).toEqual({ stderr: '', code: 0 });
  return JSON.parse(stdout);
}
