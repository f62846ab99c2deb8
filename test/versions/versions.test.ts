// Processes of an earlier build beside processes of this one, on the same names.

import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { countsOf, expectExclusion, heard, startCrowd, tell } from '../process/crowd.js';
import { randomName, rawClient, redisUrl } from '../support/redis.js';
import { LEASE_MS, quorumOfFile } from '../support/quorum.js';
import { earlierBuild, hasEarlier } from './earlier.mjs';

/** Two of each build. */
const CROWD = 4;
const TASKS = 5;
const ROUNDS = 30;

const worker = fileURLToPath(new URL('worker.mjs', import.meta.url));
const present = fileURLToPath(new URL('../../dist/index.js', import.meta.url));
const known = await hasEarlier();
if (!known) {
  process.stdout.write('not run: the history of this clone is cut (git fetch --unshallow)\n');
}
const earlier = known ? await earlierBuild() : '';
const stage = await quorumOfFile('versions');

test
  .skipIf(!known)
  .each([
    'lock',
    'fair lock',
    'fenced lock',
    'read-write lock',
    'semaphore',
    'permit-expirable semaphore',
    'multi-lock',
    'latch',
    'quorum lock',
    'quorum fenced lock',
  ])('two processes of each build take turns in one %s', async (kind) => {
  const isQuorum = kind.startsWith('quorum');
  const urls = isQuorum ? stage.urls : [redisUrl()];
  const name = isQuorum ? stage.name() : randomName('versions');
  const raw = rawClient(urls[0]);
  const crowd = await startCrowd(worker, CROWD, (i) => {
    const entry = i % 2 === 0 ? earlier : present;
    return [entry, JSON.stringify(urls), name, kind, CROWD, TASKS, ROUNDS, LEASE_MS];
  });
  onTestFinished(async () => {
    const keys = await raw.keys(`*${name}*`);
    await raw.del(...keys, `${name}:gauge`);
  });

  tell(crowd, { type: 'go' });
  await heard(crowd, 'done', { withinMs: 30_000 });
  const ends = await Promise.all(crowd.map(async ({ exited }) => await exited));

  const counts = await countsOf(raw, `${name}:gauge`);
  expectExclusion(counts);
  expect(counts.entries).toBe(CROWD * TASKS * ROUNDS);
  // A waiter that is not notified asks by itself after 5 s.
  expect(counts.gapMs).toBeLessThan(2_500);
  expect(ends.map(({ code }) => code)).toEqual(crowd.map(() => 0));
  expect(crowd.map(({ output }) => output).join('')).toBe('');
});
