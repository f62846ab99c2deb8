// What a wait for replicas costs, and whom it holds up: nobody.

import { expect, test } from 'vitest';
import { ReplicasError, type Client } from '../../../src/index.js';
import { rejection } from '../../contract/fixture.js';
import { eventually } from '../../support/eventually.js';
import { replicated } from '../../support/replicated.js';
import { onlyAsks } from '../../support/scripts.js';
import { testScope } from '../../support/scope.js';
import { countedTraffic, type Traffic } from '../../support/traffic.js';

const scope = testScope('replicas-cost');
const servers = await replicated(2);
const { url, raw } = servers;
const replicas = { min: 1, timeoutMs: 5_000 };
const patient = { min: 1, timeoutMs: 20_000 };
/** How many are connected without clients. */
const idle = await servers.connections();

/** The first one is frozen, and the other one goes on. */
async function oneFrozen<T>(work: () => Promise<T>): Promise<T> {
  servers.replicas[0]?.pause();
  try {
    return await work();
  } finally {
    servers.replicas[0]?.resume();
  }
}

/** A client waits for a replica. */
const isWaiting = async (): Promise<boolean> =>
  /^blocked_clients:1\r$/m.test(await raw.info('clients'));

async function cycle(client: Client, wanted = replicas): Promise<void> {
  const hold = await client.getLock(scope.name()).acquire({ replicas: wanted });
  await hold.release();
}

/** How many scripts and WAITs were sent. What is held for long is asked about, which does not count. */
function sent({ proxy }: Traffic): { scripts: number; waits: number } {
  const commands = proxy.requests().filter((command) => !onlyAsks(command));
  const count = (verb: RegExp): number => commands.filter(([name = '']) => verb.test(name)).length;
  return { scripts: count(/^eval/iu), waits: count(/^wait$/iu) };
}

test('a grant costs a confirmation and a WAIT besides its ask and its release', async () => {
  const traffic = await countedTraffic(url);
  const client = scope.client({ redis: traffic.url });
  await cycle(client);
  const before = sent(traffic);

  await cycle(client);

  const { scripts, waits } = sent(traffic);
  expect([scripts - before.scripts, waits - before.waits]).toEqual([3, 1]);
});

test('it opens one connection, when it is first used, which ends with the client', async () => {
  await eventually(async () => (await servers.connections()) === idle);
  const client = scope.client({ redis: url });
  await client.getLock(scope.name()).using(() => {});
  expect(await servers.connections()).toBe(idle + 1);

  await cycle(client);
  await cycle(client);
  expect(await servers.connections()).toBe(idle + 2);

  await client.close();
  await eventually(async () => (await servers.connections()) === idle);
});

test('a hundred grants that come during a WAIT share the next one', async () => {
  const traffic = await countedTraffic(url);
  const client = scope.client({ redis: traffic.url });
  await cycle(client);
  const before = sent(traffic);

  const { acquiring } = await servers.frozen(async () => {
    const first = client.getLock(scope.name()).acquire({ replicas: patient });
    await eventually(isWaiting);
    const names = Array.from({ length: 100 }, () => scope.name());
    const others = names.map((name) => client.getLock(name).acquire({ replicas: patient }));
    await eventually(async () => (await raw.exists(...names)) === 100);
    // Answered behind all of them, on the same connection.
    await client.getLock(scope.name()).isLocked();
    return { acquiring: Promise.all([first, ...others]) };
  });
  const holds = await acquiring;

  const { scripts, waits } = sent(traffic);
  expect(waits - before.waits).toBe(2);
  // An ask each, a confirmation for each WAIT, and the question.
  expect(scripts - before.scripts).toBe(104);
  await Promise.all(holds.map(async (hold) => await hold.release()));
});

test('a thousand permits of one call share a confirmation', async () => {
  const client = scope.client({ redis: url, replicas });
  const permits = client.getPermitExpirableSemaphore(scope.name(), { permits: 1_000 });
  await cycle(client);
  const before = await servers.calls('evalsha');

  const all = await permits.acquireMany(1_000);

  expect(all).toHaveLength(1_000);
  // The first use of the acquisition and of the renewal sends the source.
  expect((await servers.calls('evalsha')) - before).toBeLessThanOrEqual(1);
  await client.close();
  await raw.flushall();
});

test('an error says how many replicas there were', async () => {
  const client = scope.client({ redis: url });
  await cycle(client, { min: 2, timeoutMs: 5_000 });

  const error = await oneFrozen(
    async () => await rejection(cycle(client, { min: 2, timeoutMs: 300 })),
  );

  expect(error).toBeInstanceOf(ReplicasError);
  expect(error).toMatchObject({ acknowledged: 1, min: 2 });
});

test('those who want more replicas hold up nobody who wants fewer', async () => {
  const client = scope.client({ redis: url });
  const controller = new AbortController();

  await oneFrozen(async () => {
    const { signal } = controller;
    const waiting = client
      .getLock(scope.name())
      .acquire({ signal, replicas: { min: 2, timeoutMs: 60_000 } })
      .catch(() => {});
    await eventually(isWaiting);

    await cycle(client);

    controller.abort();
    await waiting;
  });
});

test('a thousand holds are renewed while a hundred grants wait for a frozen replica', async () => {
  const client = scope.client({ redis: url, leaseMs: 4_500 });
  const suspect: unknown[] = [];
  client.on('suspect', (event) => suspect.push(event));
  client.on('error', (event) => suspect.push(event));
  await cycle(client);
  const holds = await Promise.all(
    Array.from({ length: 1_000 }, () => client.getLock(scope.name()).acquire()),
  );

  const errors = await servers.frozen(
    async () =>
      await Promise.all(
        Array.from({ length: 100 }, () => rejection(cycle(client, { min: 1, timeoutMs: 2_000 }))),
      ),
  );

  expect(errors.filter((error) => error instanceof ReplicasError)).toHaveLength(100);
  expect(suspect).toEqual([]);
  expect(holds.filter(({ isHeld }) => isHeld)).toHaveLength(1_000);
  await client.close();
});
