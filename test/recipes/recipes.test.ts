// Every recipe is run with the libraries that it is about, and prints what it promises.

import { readdirSync } from 'node:fs';
import { beforeAll, expect, test } from 'vitest';
import { installIn } from '../../scripts/lib/subproject.mjs';
import { runNode } from '../support/run-node.js';
import { ownServer, type OwnServer } from '../support/server.js';

const PRINTS: Readonly<Record<string, readonly string[]>> = {
  'bullmq-gate': ['mails sent: 8', 'never more than two at once: true'],
  cron: ['runs: two or more', 'done twice: 0'],
  'express-idempotency': [
    'three requests, answers: 1',
    'charges: 1',
    'without a key: the header Idempotency-Key is missing',
  ],
  'from-redlock': [
    'inside, renewed until the task is over: true',
    'left of the lease, more than 4 s: true',
    'somebody else has it: null',
    'both, in the same order everywhere',
  ],
  leader: ['the other one leads: true'],
  'nest-provider': [
    'sent: true',
    'what it held is free: true',
    'after the application: ClosedError',
  ],
  'per-tenant-limit': ['greedy, served: 2', 'greedy, too many: 3', 'modest: served'],
  'sql-fenced-write': [
    'the next holder writes: true',
    'and once more: true',
    'the late one writes: false',
    'balance: 160',
  ],
};

let server: OwnServer;

beforeAll(async () => {
  await installIn('recipes');
  server = await ownServer();
}, 300_000);

test('every recipe is run', () => {
  const files = readdirSync('recipes').filter((file) => file.endsWith('.mjs'));

  expect(files.toSorted()).toEqual(
    Object.keys(PRINTS)
      .map((name) => `${name}.mjs`)
      .toSorted(),
  );
});

test.each(Object.entries(PRINTS))('the recipe %s prints what it promises', async (name, lines) => {
  const run = await runNode([`recipes/${name}.mjs`], { env: { REDIS_URL: server.url } });

  expect(run.stderr).toBe('');
  expect(run.stdout.trimEnd().split('\n')).toEqual(lines);
  expect(run.code).toBe(0);
});
