// @ts-check
// A route of Next.js that takes a lock: in the development server, while its modules are edited, and in a build.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { root } from '../lib/fresh.mjs';
import { run } from '../lib/run.mjs';
import { reservePort } from '../redis/ports.mjs';
import { startRedis } from '../redis/provider.mjs';
import { install } from './releases.mjs';

const LIMIT_MS = 180_000;
const CLIENT = 'lib/redlatch.js';
const ROUTE = 'app/lock/route.js';
const BUNDLERS = { Turbopack: '--turbopack', webpack: '--webpack' };

/** @typedef {{ folder: string, raw: Redis, env: Record<string, string> }} Place */

const BIN = 'node_modules/next/dist/bin/next';

/** @param {Place} place how many connections for commands its clients have */
async function connections({ raw }) {
  const list = String(await raw.client('LIST'));
  return list.split('\n').filter((line) => line.includes(' name=redlatch:next ')).length;
}

/**
 * Runs a server of Next.js for as long as the task.
 *
 * @template T
 * @param {Place} place
 * @param {string[]} args
 * @param {(get: () => Promise<unknown>) => Promise<T>} task
 */
async function serving({ folder, env }, args, task) {
  const { port, release } = await reservePort();
  const all = [BIN, ...args, '--hostname', '127.0.0.1', '--port', String(port)];
  const child = spawn(process.execPath, all, { cwd: folder, env: { ...process.env, ...env } });
  const exited = once(child, 'exit');
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (text) => {
      output += String(text);
    });
  }
  const end = AbortSignal.timeout(LIMIT_MS);
  const get = async () => {
    for (;;) {
      const answer = await fetch(`http://127.0.0.1:${port}/lock`, { signal: end })
        .then(async (response) => await response.json())
        .catch(() => undefined);
      if (answer !== undefined) {
        return /** @type {unknown} */ (answer);
      }
      if (end.aborted || child.exitCode !== null) {
        throw new Error(`Next.js did not answer:\n${output}`);
      }
      await setTimeout(100);
    }
  };
  try {
    return await task(get);
  } finally {
    child.kill('SIGTERM');
    await exited;
    release();
  }
}

/**
 * Edits the module of the client and the one of the route, and waits until the answer is of the new ones.
 *
 * @param {Place} place
 * @param {number} edit
 * @param {() => Promise<unknown>} get
 */
async function reload({ folder }, edit, get) {
  const [client, route] = [join(folder, CLIENT), join(folder, ROUTE)];
  writeFileSync(client, `${readFileSync(client, 'utf8')}// ${edit}\n`);
  writeFileSync(route, readFileSync(route, 'utf8').replace(/EDIT = \d+/, `EDIT = ${edit}`));
  const wanted = JSON.stringify({ isHeld: true, edit });
  const end = performance.now() + LIMIT_MS;
  while (JSON.stringify(await get()) !== wanted) {
    if (performance.now() > end) {
      throw new Error(`edit ${edit} was not served`);
    }
    await setTimeout(100);
  }
}

/** The application as it is in this repository. @param {Place} place */
function renew({ folder }) {
  for (const name of ['app', 'lib', '.next']) {
    rmSync(join(folder, name), { recursive: true, force: true });
  }
  cpSync(join(root, 'scripts/works-with/next'), folder, { recursive: true });
}

/** @param {Place} place @returns {Promise<number>} connections after two edits */
async function editing(place) {
  return await serving(place, ['dev'], async (get) => {
    await get();
    await reload(place, 1, get);
    await reload(place, 2, get);
    return await connections(place);
  });
}

/** @param {string} name @param {unknown} actual @param {unknown} expected */
function holds(name, actual, expected) {
  const [seen, wanted] = [actual, expected].map((value) => JSON.stringify(value));
  if (seen !== wanted) {
    throw new Error(`${name}: expected ${wanted}, got ${seen}`);
  }
  return name;
}

/** @param {Place} place */
async function development(place) {
  renew(place);
  const one = await editing(place);
  renew(place);
  const file = join(place.folder, CLIENT);
  writeFileSync(file, readFileSync(file, 'utf8').replace('globalThis.redlatch ??= ', ''));
  const three = await editing(place);
  return [
    holds('a client in `globalThis` is the only one after two hot reloads', one, 1),
    holds('a client in a module is one more after each hot reload', three, 3),
  ];
}

/** @param {Place} place @param {keyof typeof BUNDLERS} bundler */
async function production(place, bundler) {
  renew(place);
  const { folder, env } = place;
  const args = [BIN, 'build', BUNDLERS[bundler]];
  const { code, output } = await run(process.execPath, args, {
    cwd: folder,
    env,
    timeoutMs: LIMIT_MS,
  });
  if (code !== 0) {
    throw new Error(`next build failed:\n${output}`);
  }
  const answer = await serving(place, ['start'], async (get) => await get());
  const name = `a build of ${bundler} takes a lock, without \`serverExternalPackages\``;
  return holds(name, answer, { isHeld: true, edit: 0 });
}

/** @returns {Promise<string[]>} what holds */
export async function checkNext() {
  const folder = await install('next');
  const server = await startRedis({ purpose: 'test' });
  const raw = new Redis(server.url);
  const env = { REDIS_URL: server.url, NEXT_TELEMETRY_DISABLED: '1', NO_COLOR: '1' };
  const place = { folder, raw, env };
  try {
    return [
      ...(await development(place)),
      await production(place, 'Turbopack'),
      await production(place, 'webpack'),
    ];
  } finally {
    raw.disconnect();
    await server.stop();
  }
}
