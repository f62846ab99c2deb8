// Every recipe is run with the libraries that it is about, and prints what it promises.

import { readdirSync } from 'node:fs';
import { parse } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { compileRecipe } from '../../scripts/lib/compile.mjs';
import { runTool } from '../../scripts/lib/run.mjs';
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
  'nest-module': [
    'charged: 100, held: true; charged: 200, held: true; charged: 300, held: true',
    'of one order, at once: 1',
    'called: charge',
    'another order meanwhile: charged: 400, held: true',
    'ended before: charged: 500, held: true',
    'after the application: released',
    'ClosedError',
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

const recipes = readdirSync('recipes').filter((file) => /\.(?:mjs|ts)$/.test(file));

test('every recipe is run', () => {
  const names = recipes.map((file) => parse(file).name);

  expect(names.toSorted()).toEqual(Object.keys(PRINTS).toSorted());
});

test('those in TypeScript compile against the types of their libraries', async () => {
  expect(await runTool('tsc', ['-p', 'recipes'])).toMatchObject({ output: '', code: 0 });
});

test.each(Object.entries(PRINTS))('the recipe %s prints what it promises', async (name, lines) => {
  const isCompiled = recipes.includes(`${name}.ts`);
  const program = isCompiled ? await compileRecipe(name) : `recipes/${name}.mjs`;

  const run = await runNode([program], { env: { REDIS_URL: server.url } });

  expect(run.stderr).toBe('');
  expect(run.stdout.trimEnd().split('\n')).toEqual(lines);
  expect(run.code).toBe(0);
});
