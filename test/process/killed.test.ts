import { afterAll, expect, test } from 'vitest';
import type { Hold } from '../../src/index.js';
import { eventually } from '../support/eventually.js';
import { startWorker, type Worker, type WorkerMessage } from '../support/processes.js';
import { rawClient, redisUrl } from '../support/redis.js';
import { expectNoChannels, expectNoResidue } from '../support/residue.js';
import { testScope } from '../support/scope.js';

/** Above the lease: for messages and for a busy machine. */
const SLACK_MS = 1_500;

const scope = testScope('killed');
const raw = rawClient();

afterAll(async () => {
  await expectNoResidue(scope.prefix, { allow: [/^redlatch_(?:cancelled|requests):/] });
  await expectNoChannels(scope.prefix);
});

type Held = WorkerMessage & { readonly holderId: string };

/** A process that holds something by a lease of 600 ms, which it renews. */
async function startHolder(name: string, kind: string): Promise<{ worker: Worker; held: Held }> {
  const worker = startWorker('holder', { args: [redisUrl(), name, '600', kind] });
  return { worker, held: await worker.message<Held>('held') };
}

/** Kills a process and says how long after that something happened. */
async function sinceKillOf(worker: Worker, happens: Promise<unknown>): Promise<number> {
  await worker.kill();
  const killedAt = performance.now();
  await happens;
  return performance.now() - killedAt;
}

async function nowMs(): Promise<number> {
  const [seconds, micros] = await raw.time();
  return Number(seconds) * 1000 + Number(micros) / 1000;
}

test('when the holder of a fair lock is killed, the first in the queue gets in within the lease', async () => {
  const name = scope.name();
  const { worker } = await startHolder(name, 'fair lock');
  const served: number[] = [];
  const waits: Promise<void>[] = [];
  for (const i of [1, 2, 3]) {
    const waiting = scope
      .client()
      .getFairLock(name)
      .using(() => void served.push(i));
    waits.push(waiting);
    await eventually(async () => (await raw.llen(`redisson_lock_queue:{${name}}`)) === i);
  }

  const tookMs = await sinceKillOf(worker, Promise.all(waits));

  expect(tookMs).toBeLessThan(600 + SLACK_MS);
  expect(served).toEqual([1, 2, 3]);
});

test('when a writer is killed, readers and writers get in within the lease', async () => {
  const name = scope.name();
  const { worker } = await startHolder(name, 'write lock');
  const read = scope
    .client()
    .getReadWriteLock(name)
    .readLock.using(() => 'read');
  const write = scope
    .client()
    .getReadWriteLock(name)
    .writeLock.using(() => 'written');
  const both = Promise.all([read, write]);

  const tookMs = await sinceKillOf(worker, both);

  expect(tookMs).toBeLessThan(600 + SLACK_MS);
  expect(await both).toEqual(['read', 'written']);
});

test('when a reader is killed, a writer gets in within the lease', async () => {
  const name = scope.name();
  const { worker } = await startHolder(name, 'read lock');
  const { writeLock } = scope.client().getReadWriteLock(name);

  const tookMs = await sinceKillOf(
    worker,
    writeLock.using(() => undefined),
  );

  expect(tookMs).toBeLessThan(600 + SLACK_MS);
});

test('when a reader is killed, others read on, and a writer gets in once they leave', async () => {
  const name = scope.name();
  const [{ worker, held }, other] = [await startHolder(name, 'read lock'), scope.client()];
  const { readLock } = other.getReadWriteLock(name);
  const read = await readLock.acquire();
  const told: string[] = [];
  const writing: Promise<Hold> = scope
    .client()
    .getReadWriteLock(name)
    .writeLock.acquire()
    .finally(() => told.push('writes'));
  await eventually(async () => (await raw.zcard(`redlatch_writers:{${name}}`)) === 1);

  await worker.kill();
  const key = `{${name}}:${held.holderId}:rwlock_timeout:1`;
  await eventually(async () => (await raw.exists(key)) === 0);
  // It goes though others read.
  await eventually(async () => (await raw.hexists(name, held.holderId)) === 0);
  const [readers, before] = [await readLock.holders(), [...told]];
  const stillReads = read.isHeld;
  const releasedAt = performance.now();
  await read.release();
  const write = await writing;
  const tookMs = performance.now() - releasedAt;

  expect(readers.map(({ holderId }) => holderId)).toEqual([read.holderId]);
  expect(stillReads).toBe(true);
  expect(before).toEqual([]);
  expect(tookMs).toBeLessThan(SLACK_MS);
  await write.release();
});

test('when the holder of a permit is killed, another gets it within the lease', async () => {
  const name = scope.name();
  const semaphore = scope.client().getPermitExpirableSemaphore(name);
  await semaphore.trySetPermits(1);
  const { worker, held } = await startHolder(name, 'permit');
  const waiting = semaphore.acquire();

  await worker.kill();
  const id = Buffer.from(held.holderId, 'hex');
  const expiresAt = Number(await raw.zscore(`{${name}}:timeout`, id));
  const [leftMs, killedAt] = [expiresAt - (await nowMs()), performance.now()];
  const permit = await waiting;
  const tookMs = performance.now() - killedAt;
  const counts = [await semaphore.acquiredPermits(), await semaphore.totalPermits()];
  await permit.release();
  await semaphore.delete();

  expect(leftMs).toBeLessThanOrEqual(600);
  expect(tookMs).toBeLessThan(leftMs + SLACK_MS);
  expect(counts).toEqual([1, 1]);
});

test('the permits of a counting semaphore stay taken when their holder is killed', async () => {
  const name = scope.name();
  const semaphore = scope.client().getSemaphore(name);
  await semaphore.trySetPermits(1);
  const { worker } = await startHolder(name, 'semaphore');

  await worker.kill();
  const permits = await semaphore.tryAcquire(1, { waitMs: 1_000 });
  const available = await semaphore.availablePermits();
  await semaphore.release();
  const after = await semaphore.tryAcquire();
  await semaphore.delete();

  expect([permits, available]).toEqual([null, 0]);
  expect(after).toMatchObject({ count: 1 });
});
