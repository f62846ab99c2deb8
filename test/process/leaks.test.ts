// What is renewed and can be reached by nobody is reported, and goes on being renewed.

import { expect, test } from 'vitest';
import { eventually } from '../support/eventually.js';
import { startWorker, type WorkerMessage } from '../support/processes.js';
import { startQuorum } from '../support/quorum.js';
import { rawClient, redisUrl } from '../support/redis.js';
import { testScope } from '../support/scope.js';

const LEASE_MS = 1_500;

const scope = testScope('leaks');
const raw = rawClient();

type Said = WorkerMessage & { readonly names: string[]; readonly said: string[] };

/** How often each name is spoken of. */
function counts(prefix: string, { names, said }: Said): Record<string, number> {
  return Object.fromEntries(
    names.map((name) => [
      name,
      said.filter(
        (text) => text.includes(`"${prefix}-${name}"`) || text.includes(`"${prefix}-${name}, `),
      ).length,
    ]),
  );
}

/** The names that are spoken of. */
function namesIn(prefix: string, { said }: Said): string[] {
  return said.map((text) => new RegExp(`"${prefix}-(\\w+)`).exec(text)?.[1] ?? text).toSorted();
}

test('each hold and permit that the program has lost is reported once, and nothing else is', async () => {
  await using stage = await startQuorum('leaks', LEASE_MS);
  await stage.connected();
  await stage.endClients();
  const prefix = scope.name();
  const startedAt = performance.now();
  const worker = startWorker('leaks', {
    args: [redisUrl(), String(LEASE_MS), prefix, JSON.stringify(stage.urls)],
  });

  const lost = await worker.message<Said>('lost', { withinMs: 20_000 });
  const once = Object.fromEntries(lost.names.map((name) => [name, 1]));
  expect(counts(prefix, lost)).toEqual(once);
  // And nothing else.
  expect(namesIn(prefix, lost)).toEqual(lost.names.toSorted());
  for (const text of lost.said) {
    expect(text).toMatch(
      /^RedlatchWarning the (hold|permit) of the [\w-]+ ".+ is renewed, but nothing in this program refers to it/,
    );
    const [, age = '', unit] = /held for ([\d.]+) (ms|s)\)/.exec(text) ?? [];
    const ageMs = Number(age) * (unit === 's' ? 1_000 : 1);
    expect(ageMs).toBeGreaterThan(100);
    expect(ageMs).toBeLessThan(performance.now() - startedAt + 100);
  }

  const last = await worker.message<Said>('given up', { withinMs: 20_000 });
  expect(counts(prefix, last)).toEqual(Object.fromEntries(last.names.map((name) => [name, 1])));
  expect(namesIn(prefix, last)).toEqual([...lost.names, ...last.names].toSorted());

  // Renewed all the time.
  await eventually(() => performance.now() - startedAt > 1.2 * LEASE_MS);
  const locks = ['lock', 'fair', 'fenced', 'read', 'write', 'multi', 'kept', 'adopted', 'signal'];
  const left = await Promise.all(locks.map(async (name) => await raw.pttl(`${prefix}-${name}`)));
  expect(left.filter((ms) => ms <= 0)).toEqual([]);
  expect(await raw.zcard(`{${prefix}-permit}:timeout`)).toBe(1);
  expect(await stage.holders(`${prefix}-quorum`)).toEqual([
    [expect.any(String)],
    [expect.any(String)],
    [expect.any(String)],
  ]);

  worker.send({ type: 'close' });
  const { said } = await worker.message('closed');
  expect(said).toBe(last.said.length);
  expect(await raw.exists(...locks.map((name) => `${prefix}-${name}`))).toBe(0);
});

test('with NODE_DEBUG=redlatch it says where that was acquired', async () => {
  const prefix = scope.name();
  const start = (env: NodeJS.ProcessEnv) =>
    startWorker('leaks', {
      args: [redisUrl(), String(LEASE_MS), prefix + (env['NODE_DEBUG'] ?? '')],
      env,
    });
  const workers = [start({}), start({ NODE_DEBUG: 'redlatch' })];

  const [plain, debugged] = await Promise.all(
    workers.map(async (worker) => await worker.message<Said>('given up', { withinMs: 20_000 })),
  );
  workers.forEach((worker) => worker.send({ type: 'close' }));
  await Promise.all(workers.map(async (worker) => await worker.exited));

  expect(plain?.said.join('')).not.toContain('leaks.mjs');
  expect(plain?.said.join('')).toContain('NODE_DEBUG=redlatch shows where it was acquired');
  const [text = ''] = debugged?.said ?? [];
  expect(text).toMatch(/It was acquired here:\n\s+at .*leaks\.mjs:\d+/);
});
