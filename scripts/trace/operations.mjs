// @ts-check
// The operations whose way through the files is measured, each with its default settings.

import { once } from 'node:events';
import { join } from 'node:path';
import { fork } from 'node:child_process';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { TRACED } from './instrument.mjs';
import { routeOf } from './route.mjs';

/** Milliseconds within which another process has started and waits. */
const PATIENCE_MS = 10_000;

/** @typedef {typeof import('../../src/index.js')} Package */
/** @typedef {import('../../src/index.js').Client} Client */
/** @typedef {{ url: string, raw: import('ioredis').Redis }} Server  its address, and a connection to it */
/** @typedef {(name: string, route: string[]) => void} Report */

/** @returns {Promise<Package>} */
export async function tracedPackage() {
  return /** @type {Package} */ (await import(pathToFileURL(join(TRACED, 'index.js')).href));
}

/**
 * @param {Report} report
 * @param {string} what
 * @param {{ acquire(): Promise<{ release(): Promise<void> }> }} object
 */
async function cycle(report, what, object) {
  const first = await object.acquire();
  await first.release();
  const acquired = await routeOf(async () => await object.acquire());
  report(`${what}: acquire`, acquired.route);
  const released = await routeOf(async () => await acquired.value.release());
  report(`${what}: release`, released.route);
}

/**
 * @param {Client} client
 * @param {Report} report
 */
async function alone(client, report) {
  await cycle(report, 'lock', client.getLock('trace:lock'));
  await cycle(report, 'fair lock', client.getFairLock('trace:fair'));
  const { readLock, writeLock } = client.getReadWriteLock('trace:read-write');
  await cycle(report, 'read lock', readLock);
  await cycle(report, 'write lock', writeLock);
  await cycle(report, 'semaphore', client.getSemaphore('trace:semaphore', { permits: 3 }));
  const permits = client.getPermitExpirableSemaphore('trace:permits', { permits: 3 });
  await cycle(report, 'permit with a lease', permits);
  const latch = client.getCountDownLatch('trace:latch');
  await latch.trySetCount(3);
  await latch.countDown();
  const { route } = await routeOf(async () => await latch.countDown());
  report('latch: countDown', route);
  await latch.countDown();
}

/**
 * @param {import('ioredis').Redis} raw
 * @param {string} line
 */
async function untilInLine(raw, line) {
  const endsAt = performance.now() + PATIENCE_MS;
  while ((await raw.llen(line)) === 0) {
    if (performance.now() > endsAt) {
      throw new Error(`nobody waits in ${line}`);
    }
  }
}

/**
 * A release whose lock the next waiter of the same client gets, until that has it.
 *
 * @param {Client} client
 * @param {Server} server
 * @param {Report} report
 */
async function passedOn(client, { raw }, report) {
  const lock = client.getLock('trace:passed-on');
  const holder = await lock.acquire();
  const next = lock.acquire();
  // It is queued in this client. What else it has to do is done after a few answers.
  for (let i = 0; i < 20; i += 1) {
    await raw.ping();
  }
  const { value, route } = await routeOf(async () => {
    await holder.release();
    return await next;
  });
  report('lock: release, and acquire of the next waiter of the client', route);
  await value.release();
}

/**
 * One round of renewal, of one lease.
 *
 * @param {Package} ours
 * @param {Server} server
 * @param {Report} report
 */
async function renewed({ createClient }, { url, raw }, report) {
  const client = createClient({ redis: url, leaseMs: 600 });
  const name = 'trace:renewed';
  const hold = await client.getLock(name).acquire();
  const next = async () => {
    for (let before = await raw.pttl(name), left = before; left <= before;) {
      before = left;
      left = await raw.pttl(name);
    }
  };
  await next();
  const { route } = await routeOf(next);
  report('lock: one round of renewal', route);
  await hold.release();
  await client.close();
}

/**
 * A lock that another process waits for.
 *
 * @param {Client} client
 * @param {Server} server
 * @param {Report} report
 * @param {'lock' | 'fair lock'} what
 */
async function handedOn(client, { url, raw }, report, what) {
  const name = `trace:handed-on:${what}`;
  const lock = what === 'lock' ? client.getLock(name) : client.getFairLock(name);
  const line = what === 'lock' ? `redlatch_line:{${name}}` : `redisson_lock_queue:{${name}}`;
  const hold = await lock.acquire();
  const peer = fork(fileURLToPath(new URL('peer.mjs', import.meta.url)), [url, name, what]);
  const [route] = /** @type {[Promise<unknown[]>]} */ ([once(peer, 'message')]);
  const ended = once(peer, 'exit');
  await untilInLine(raw, line);
  const released = await routeOf(async () => await hold.release());
  report(`${what}: release that hands it to another client`, released.route);
  const [waited] = /** @type {[string[]]} */ (await route);
  report(`${what}: acquire that waits for another client`, waited);
  await ended;
}

/**
 * Runs them all once.
 *
 * @param {Server} server
 * @param {Report} report
 */
export async function walkThrough(server, report) {
  const ours = await tracedPackage();
  const client = ours.createClient({ redis: server.url });
  try {
    await alone(client, report);
    await passedOn(client, server, report);
    await handedOn(client, server, report, 'lock');
    await handedOn(client, server, report, 'fair lock');
    await renewed(ours, server, report);
  } finally {
    await client.close();
  }
}
