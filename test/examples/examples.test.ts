// Every file under examples/ is run, and prints what it promises.

import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import type { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createClient } from '../../src/index.js';
import { eventually } from '../support/eventually.js';
import { keysUnder, rawClient } from '../support/redis.js';
import { expectNoChannels } from '../support/residue.js';
import { runNode, type NodeRun } from '../support/run-node.js';
import { ownServer, type OwnServer } from '../support/server.js';
import { watchGrants } from './grants.js';

let server: OwnServer;
let raw: Redis;
const ran = new Set<string>();

beforeAll(async () => {
  server = await ownServer();
  raw = rawClient(server.url);
});

async function runExample(file: string, ...args: string[]): Promise<NodeRun> {
  ran.add(file);
  return await runNode([`examples/${file}`, ...args], { env: { REDIS_URL: server.url } });
}

async function expectPrints(file: string, ...lines: string[]): Promise<void> {
  const run = await runExample(file);

  expect(run.stderr).toBe('');
  expect(run.stdout.trimEnd().split('\n')).toEqual(lines);
  expect(run.code).toBe(0);
}

describe('the snippet', () => {
  test('for a lock', async () => {
    await expectPrints(
      'snippets/lock.mjs',
      'held: true',
      'result: depth 2',
      'second attempt: null',
      'still locked: false',
    );
  });

  test('for a fenced lock', async () => {
    await expectPrints('snippets/fenced-lock.mjs', 'token type: bigint', 'second is larger: true');
  });

  test('for a latch', async () => {
    await expectPrints(
      'snippets/latch.mjs',
      'loaded: customers',
      'loaded: orders',
      'loaded: prices',
      'all loaded: true',
    );
  });

  test('for a fair lock', async () => {
    await expectPrints('snippets/fair-lock.mjs', 'served: Ada', 'served: Bob', 'served: Cleo');
  });

  test('for a read-write lock', async () => {
    await expectPrints(
      'snippets/read-write-lock.mjs',
      'readers: 2',
      'a writer beside them: null',
      'writing: true',
      'the writer reads too: true',
    );
  });

  test('for a semaphore', async () => {
    await expectPrints(
      'snippets/semaphore.mjs',
      'result: uploaded',
      'left: 1',
      'two more: null',
      'left: 3',
    );
  });

  test('for a permit-expirable semaphore', async () => {
    await expectPrints(
      'snippets/permit-expirable-semaphore.mjs',
      'a third seat: null',
      'renewed, fixed, next: true false true',
      'free seats: 2',
    );
  });
});

async function job(night: string): Promise<NodeRun> {
  return await runExample('nightly-job.mjs', night);
}

async function timesDone(night: string): Promise<number> {
  return Number(await raw.get(`example:nightly-job:runs:${night}`));
}

describe('the nightly job', () => {
  const did = 'done by this process';
  const skipped = 'already done';

  test('runs once, whether the others start with the winner or after it has finished', async () => {
    const night = '2031-05-17';

    const together = await Promise.all([job(night), job(night), job(night), job(night)]);
    const late = await job(night);

    const printed = together.map(({ stdout }) => stdout.trim()).toSorted();
    expect(printed).toEqual([
      ...[skipped, skipped, skipped].map((end) => `${night}: ${end}`),
      `${night}: ${did}`,
    ]);
    expect(late.stdout).toBe(`${night}: ${skipped}\n`);
    expect([...together, late].map(({ code, stderr }) => [code, stderr])).toEqual(
      Array.from({ length: 5 }, () => [0, '']),
    );
    expect(await timesDone(night)).toBe(1);
  });

  test('runs again the next night', async () => {
    const [first, second] = [await job('2031-05-18'), await job('2031-05-19')];

    expect([first.stdout, second.stdout]).toEqual([`2031-05-18: ${did}\n`, `2031-05-19: ${did}\n`]);
  });

  test('is taken over from a process that died while it held the lock', async () => {
    const client = createClient({ redis: server.url });
    await client.getLock('example:nightly-job').acquire({ leaseMs: 1_500 });

    const run = await job('2031-05-20');
    await client.close();

    expect(run.stdout).toBe(`2031-05-20: ${did}\n`);
    expect(await timesDone('2031-05-20')).toBe(1);
  });
});

test('the latch test starts all runners together and loses no update', async () => {
  await expectPrints(
    'latch-test.mjs',
    'at the line: true',
    'counted before the gun: 0',
    'all finished: true',
    'counter: 30 of 30',
  );
});

test('the store of the fenced write refuses the paused holder', async () => {
  await expectPrints(
    'fenced-write.mjs',
    'next holder, write accepted',
    'paused holder, still held: false',
    'paused holder, write refused',
    'stored: from the next holder',
  );
});

test('the rate limit grants at most 4 permits in any half second of the server', async () => {
  const grants = await watchGrants(raw, 500);

  await expectPrints('rate-limit.mjs', 'sent: 12 of 12', 'let through now: 4');
  const grantedAt = await grants();

  // The fifth after any grant came no sooner than a whole window later: that is the bound, whatever
  // window is looked at. And it is used: four are granted together.
  const gaps = grantedAt.slice(4).map((at, i) => at - (grantedAt[i] ?? 0));
  const fours = grantedAt.slice(3).map((at, i) => at - (grantedAt[i] ?? 0));
  expect(grantedAt).toHaveLength(12);
  expect(gaps.filter((ms) => ms < 500)).toEqual([]);
  expect(Math.min(...fours)).toBeLessThan(500);
});

test('a request hands its lock to a worker in another process, once', async () => {
  await expectPrints(
    'hand-over.mjs',
    'the request holds the account: true',
    'the request is done with it: released',
    'the worker held it, under the same token: true',
    'free again: true',
    'the string is of no use any more: NotHeldError',
  );
});

test('the job queue does ten jobs, three at once', async () => {
  await expectPrints('job-queue.mjs', 'jobs done: 10', 'most at once: 3', 'permits left: 3');
});

test('the cache is filled by one writer, and read by many together who see all of it', async () => {
  await expectPrints(
    'cache-refill.mjs',
    'rebuilt: 1 time',
    'readers who saw all of it: 12 of 12',
    'readers who saw a half: 0',
    'readers at the same time: true',
  );
});

test('the slot of a killed worker comes back, and the other worker keeps its own', async () => {
  await expectPrints(
    'worker-pool.mjs',
    'slots left for a third worker: 0',
    'the third worker, after the death of one: at work',
    'slots taken: 2',
    'the steady worker: done, still held: true',
    'the third worker: done, still held: true',
    'slots left in the end: 2',
  );
});

test('tickets are sold in the order of the queue, without the one who left it', async () => {
  await expectPrints(
    'tickets-in-order.mjs',
    'queued: Ada, Bob, Cleo, Dan, Eve, Fay',
    'left: Cleo',
    'sold: Ada, Bob, Dan, Eve, Fay',
  );
});

describe('examples', () => {
  afterAll(() => {
    ran.clear();
  });

  test('are all run here', () => {
    const entries = readdirSync('examples', { recursive: true, withFileTypes: true });
    const files = entries
      .filter((entry) => entry.isFile())
      .map((entry) => relative('examples', join(entry.parentPath, entry.name)))
      // Run beside its other half by test/interop/example.test.ts.
      .filter((file) => !file.startsWith('java-and-node/'))
      // Ends by a signal only: shutdown.test.ts.
      .filter((file) => file !== 'shutdown.mjs');

    expect(files.toSorted()).toEqual([...ran].toSorted());
  });

  test('import the package by its name, and nothing below it', () => {
    const imported = [...ran].flatMap((file) => {
      const text = readFileSync(`examples/${file}`, 'utf8');
      return [...text.matchAll(/from '([^']+)'/g)].map(([, name]) => name);
    });

    const others = new Set(imported.filter((name) => name?.startsWith('node:') !== true));
    expect(others).toEqual(new Set(['redlatch', 'ioredis']));
  });

  test('leave no object and no listener', async () => {
    const own = /^(redlatch_|redisson_lock_token:|example:nightly-job:|example:account:store$)/;

    await eventually(async () => {
      const left = (await keysUnder('example:', raw)).filter((key) => !own.test(key));
      expect(left).toEqual([]);
    });
    await expectNoChannels('example:', { client: raw });
  });
});
