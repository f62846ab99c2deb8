// docs/shutdown.md: its very program, real signals, and what is left then.

import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { expect, test } from 'vitest';
import { createClient } from '../../src/index.js';
import { eventually } from '../support/eventually.js';
import { startWorker, type Worker } from '../support/processes.js';
import { startProxy } from '../support/proxy.js';
import { keysUnder, randomName, rawClient, redisUrl } from '../support/redis.js';
import { toldOf } from '../support/told.js';
import { expectNoChannels, expectNoResidue } from '../support/residue.js';

const script = resolve('examples/shutdown.mjs');
const raw = rawClient();

function start(name: string, url = redisUrl()): Worker {
  return startWorker(script, { args: [name], env: { REDIS_URL: url } });
}

async function atWork(worker: Worker): Promise<void> {
  await eventually(() => worker.output.includes('at work'));
}

test('docs/shutdown.md quotes the program as it is', () => {
  const text = readFileSync('docs/shutdown.md', 'utf8');
  const [, code] = /^```js\n\/\/ examples\/shutdown\.mjs\n\n(.*?)^```$/msu.exec(text) ?? [];

  expect(code).toBe(readFileSync(script, 'utf8'));
});

test('a process that gets SIGTERM exits with 0, and its lock is free at once', async () => {
  const name = randomName('shutdown');
  await using client = createClient({ redis: redisUrl() });
  const worker = start(name);
  await atWork(worker);
  const heldBefore = await client.getLock(name).isLocked();

  const from = performance.now();
  const exit = await worker.kill('SIGTERM');
  const tookMs = performance.now() - from;
  const next = await client.getLock(name).tryAcquire();

  expect(heldBefore).toBe(true);
  expect(exit).toEqual({ code: 0, signal: null });
  expect(worker.output).toBe('at work\nstopping\nclosed\n');
  // The lease lasts for 30 s: it was given back, it did not end.
  expect(tookMs).toBeLessThan(10_000);
  expect(next?.isHeld).toBe(true);
  await next?.release();
  expect(await keysUnder(name, raw)).toEqual([]);
  await expectNoChannels(name, { client: raw });
});

test('one that waits for the lock exits with 0 as well, and leaves nothing', async () => {
  const name = randomName('shutdown');
  await using client = createClient({ redis: redisUrl() });
  const held = await client.getLock(name).acquire();
  const worker = start(name);
  await eventually(async () => (await toldOf(name, raw)) > 0);

  const exit = await worker.kill('SIGTERM');
  const holders = await client.getLock(name).holders();
  await held.release();

  expect(exit).toEqual({ code: 0, signal: null });
  expect(worker.output).toBe('stopping\nclosed\n');
  expect(holders.map(({ holderId }) => holderId)).toEqual([held.holderId]);
  // An ask that was under way is kept from being granted later by a record of ten minutes.
  await expectNoResidue(name, { client: raw, allow: [/^redlatch_cancelled:/] });
  await expectNoChannels(name, { client: raw });
});

test('one that cannot reach Redis ends in time with 1, and its lock ends with its lease', async () => {
  const name = randomName('shutdown');
  const proxy = await startProxy({ target: redisUrl() });
  const worker = start(name, proxy.url);
  await atWork(worker);
  proxy.refuse();
  proxy.cutAll();

  const from = performance.now();
  const exit = await worker.kill('SIGTERM');
  const tookMs = performance.now() - from;
  const leftMs = await raw.pttl(name);
  await raw.del(name);

  expect(exit).toEqual({ code: 1, signal: null });
  expect(worker.output).toMatch(/CommandTimeoutError|OutcomeUnknownError/u);
  expect(worker.output.trimEnd().split('\n').at(-1)).toBe('closed');
  // The release of the job has 5 s, and then the close has 5 s.
  expect(tookMs).toBeLessThan(20_000);
  expect(leftMs).toBeGreaterThan(0);
  expect(leftMs).toBeLessThanOrEqual(30_000);
});

test('a second SIGTERM ends the process at once', async () => {
  const name = randomName('shutdown');
  const proxy = await startProxy({ target: redisUrl() });
  const worker = start(name, proxy.url);
  await atWork(worker);
  proxy.refuse();
  proxy.cutAll();
  worker.signal('SIGTERM');
  await eventually(() => worker.output.includes('stopping'));

  const exit = await worker.kill('SIGTERM');
  await raw.del(name);

  expect(exit).toEqual({ code: null, signal: 'SIGTERM' });
  expect(worker.output).not.toContain('closed');
});
