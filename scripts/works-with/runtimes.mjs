// @ts-check
// Bun and Deno: the same program on each, over TCP and over TLS, with a process of Node.js as its partner.

import { randomUUID } from 'node:crypto';
import { cpSync, existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { createClient } from '../../dist/index.js';
import { root } from '../lib/fresh.mjs';
import { run } from '../lib/run.mjs';
import { startRedis } from '../redis/provider.mjs';
import { install } from './releases.mjs';

const LIMIT_MS = 60_000;
const LAST = /^it ends /;

/**
 * Npm has the program in a package for each platform.
 *
 * @param {'bun' | 'deno'} name
 * @param {string} folder
 */
function programIn(name, folder) {
  const scope = join(folder, 'node_modules', name === 'bun' ? '@oven' : '@deno');
  const places = readdirSync(scope).flatMap((each) => [
    join(scope, each, 'bin', name),
    join(scope, each, name),
  ]);
  const program = places.find((place) => existsSync(place));
  if (program === undefined) {
    throw new Error(`${name} has no program for this platform`);
  }
  return program;
}

/** @param {() => Promise<boolean>} check */
async function until(check) {
  while (!(await check())) {
    await setTimeout(10);
  }
}

/**
 * What Node.js does in `programs/runtime.mjs`.
 *
 * @param {import('../../dist/index.js').Client} client
 * @param {Redis} raw
 * @param {string} prefix
 */
async function partner(client, raw, prefix) {
  const shared = client.getLock(`${prefix}:hand-over`);
  await until(async () => await shared.isLocked());
  const hold = await shared.acquire();
  await new Promise((resolve) => {
    hold.onContended(() => resolve(undefined));
  });
  await hold.release();

  const forced = client.getLock(`${prefix}:forced`);
  await until(async () => await forced.forceRelease());

  const latch = client.getCountDownLatch(`${prefix}:latch`);
  await until(async () => (await latch.count()) === 1);
  await latch.countDown();

  const cuts = client.getCountDownLatch(`${prefix}:cuts`);
  await until(async () => (await cuts.count()) === 1);
  const list = String(await raw.client('LIST'));
  for (const [, id = ''] of list.matchAll(/id=(\d+) .* name=redlatch:runtime /g)) {
    await raw.client('KILL', 'ID', id);
  }
  await cuts.countDown();
}

/** @param {import('../redis/provider.mjs').Redis} server */
const optionsOf = ({ host, port, caFile }) => ({
  host,
  port,
  ...(caFile === undefined ? {} : { tls: { ca: readFileSync(caFile, 'utf8') } }),
});

/**
 * @param {string} program
 * @param {string[]} args
 * @param {{ tls: boolean, end: 'close' | 'leave' }} how
 */
async function runOnce(program, args, { tls, end }) {
  const server = await startRedis({ purpose: 'test', tls });
  const redis = optionsOf(server);
  const raw = new Redis(redis);
  const client = createClient({ redis });
  const prefix = `works-with:${randomUUID()}`;
  const partnered = partner(client, raw, prefix).catch(() => undefined);
  try {
    const all = [...args, prefix, JSON.stringify(redis), end];
    const env = { NO_COLOR: '1', DENO_NO_UPDATE_CHECK: '1' };
    const { code, output } = await run(program, all, { env, timeoutMs: LIMIT_MS });
    const lines = output.trimEnd().split('\n');
    if (code !== 0 || !lines.some((line) => LAST.test(line))) {
      throw new Error(`exit code ${code}:\n${output}`);
    }
    return lines;
  } finally {
    await client.close();
    raw.disconnect();
    await partnered;
    await server.stop();
  }
}

/**
 * @param {'bun' | 'deno'} name
 * @returns {Promise<string[]>} what holds
 */
export async function checkRuntime(name) {
  const folder = await install(name);
  const file = join(folder, 'runtime.mjs');
  cpSync(join(root, 'scripts/works-with/programs/runtime.mjs'), file);
  const args =
    name === 'deno' ? ['run', '--no-prompt', '--allow-net', '--allow-env', file] : [file];
  const program = programIn(name, folder);
  const [plain, encrypted] = await Promise.all([
    runOnce(program, args, { tls: false, end: 'close' }),
    runOnce(program, args, { tls: true, end: 'leave' }),
  ]);
  if (plain.slice(0, -1).join() !== encrypted.slice(0, -1).join()) {
    throw new Error(`over TLS something else holds:\n${encrypted.join('\n')}`);
  }
  return [...plain, 'the same over TLS', ...encrypted.slice(-1)];
}
