import { afterAll, expect, onTestFinished, test } from 'vitest';
import { reservePort } from '../../scripts/redis/ports.mjs';
import { eventually } from '../support/eventually.js';
import { latchChannel, listening } from '../support/latch-channel.js';
import { startWorker, type Worker } from '../support/processes.js';
import { rawClient, redisUrl } from '../support/redis.js';
import { toldOf } from '../support/told.js';
import { expectNoChannels, expectNoResidue } from '../support/residue.js';
import { testScope } from '../support/scope.js';

const scope = testScope('exit');
const raw = rawClient();
const clean = { code: 0, signal: null };

afterAll(async () => {
  await expectNoResidue(scope.prefix, { allow: [/^redlatch_(?:cancelled|requests|opened):/] });
  await expectNoChannels(scope.prefix);
});

function start(what: string, name: string, url = redisUrl()): Worker {
  return startWorker('exit', { args: [url, name, what] });
}

/** An address where no Redis is, nor comes to be while the test runs. */
async function deadUrl(): Promise<string> {
  const { port, release } = await reservePort();
  onTestFinished(release);
  return `redis://127.0.0.1:${port}`;
}

/** How a worker ended, and how long that took it after its last word. */
async function ending(worker: Worker): Promise<{ exit: object; tookMs: number; result: unknown }> {
  const { result } = await worker.message('did');
  const doneAt = performance.now();
  const exit = await worker.exited;
  return { exit, tookMs: performance.now() - doneAt, result };
}

/** The key stays for longer than its lease of 300 ms: somebody renews it. */
async function outlivesItsLease(name: string): Promise<void> {
  const from = performance.now();
  await eventually(async () => {
    expect(await raw.exists(name)).toBe(1);
    return performance.now() - from > 900;
  });
}

test.each([
  ['making a client', 'created', null],
  ['a lock acquired and released', 'released', null],
  ['a contended wait that ended', 'waited', 'contended'],
  ['a latch that opened', 'opened', true],
  ['a wait that was aborted', 'aborted', 'TimeoutError'],
])('a process ends by itself after %s', async (_what, act, expected) => {
  const { exit, tookMs, result } = await ending(start(act, scope.name()));

  expect(exit).toEqual(clean);
  expect(result).toBe(expected);
  expect(tookMs).toBeLessThan(2_000);
});

test('a process that closes its clients has no open handle and ends at once', async () => {
  const { exit, tookMs, result } = await ending(start('closed', scope.name()));

  expect(result).toEqual([false]);
  expect(exit).toEqual(clean);
  expect(tookMs).toBeLessThan(2_000);
});

test(
  'a process with nothing awaited ends although Redis is down',
  { timeout: 10_000 },
  async () => {
    const url = await deadUrl();

    const { exit, tookMs } = await ending(start('created', scope.name(), url));

    expect(exit).toEqual(clean);
    expect(tookMs).toBeLessThan(2_000);
  },
);

test(
  'a call stays awaited while Redis is down, and the process ends after it',
  { timeout: 10_000 },
  async () => {
    const url = await deadUrl();

    const { exit, tookMs, result } = await ending(start('refused', scope.name(), url));

    expect(result).toBe('CommandTimeoutError');
    expect(exit).toEqual(clean);
    expect(tookMs).toBeLessThan(2_000);
  },
);

test('a process stays alive while it holds a lock, and ends when the hold is lost', async () => {
  const name = scope.name();
  const worker = start('holding', name);
  await worker.message('did');

  await outlivesItsLease(name);
  await raw.del(name);

  expect(await worker.exited).toEqual(clean);
});

test('a process stays alive for a hold with a fixed lease, and ends with it', async () => {
  const name = scope.name();
  const worker = start('holdingFixed', name);
  await worker.message('did');
  let ended = false;
  void worker.exited.then(() => {
    ended = true;
  });

  await eventually(async () => (await raw.pttl(name)) < 300);
  const endedEarly = ended;

  expect(endedEarly).toBe(false);
  expect(await worker.exited).toEqual(clean);
});

test('a process stays alive while it waits for a lock', async () => {
  const name = scope.name();
  const hold = await scope.client({ leaseMs: 900 }).getLock(name).acquire();
  const worker = start('waiting', name);
  await worker.message('did');
  let ended = false;
  void worker.exited.then(() => {
    ended = true;
  });

  await eventually(async () => (await toldOf(name, raw)) > 0);
  await outlivesItsLease(name);
  const endedEarly = ended;
  await hold.release();

  expect(endedEarly).toBe(false);
  expect(await worker.exited).toEqual(clean);
  expect(await raw.exists(name)).toBe(0);
});

test('a process stays alive while it waits for a latch', async () => {
  const name = scope.name();
  await raw.set(name, '1');
  const worker = start('latched', name);
  let ended = false;
  void worker.exited.then(() => {
    ended = true;
  });
  await listening(raw, name);
  const from = performance.now();

  await eventually(() => performance.now() - from > 700);
  const endedEarly = ended;
  await raw.multi().del(name).publish(latchChannel(name), '0').exec();

  expect(endedEarly).toBe(false);
  expect(await worker.message('opened')).toMatchObject({ result: true });
  expect(await worker.exited).toEqual(clean);
});
