// How a wait for replicas ends early, and what it leaves: nothing.

import { afterEach, expect, test } from 'vitest';
import { ClosedError, LeaseLostError, ReplicasError } from '../../../src/index.js';
import { rejection } from '../../contract/fixture.js';
import { eventually } from '../../support/eventually.js';
import { watchCommands } from '../../support/monitor.js';
import { startProxy } from '../../support/proxy.js';
import { rawClient } from '../../support/redis.js';
import { replicated } from '../../support/replicated.js';
import { expectNoResidue, RECORDS_OF_LINES } from '../../support/residue.js';
import { testScope } from '../../support/scope.js';
import { ownServer } from '../../support/server.js';

const scope = testScope('replicas-ends');
const servers = await replicated();
const { url, raw, frozen } = servers;
const replicas = { min: 1, timeoutMs: 60_000 };

afterEach(async () => {
  await expectNoResidue(scope.prefix, { client: raw, allow: [RECORDS_OF_LINES] });
});

/** The connections that wait for replicas. */
async function waiting(): Promise<number[]> {
  const list = String(await raw.call('CLIENT', 'LIST'));
  return [...list.matchAll(/^id=(\d+) .* flags=b /gm)].map(([, id]) => Number(id));
}

const isWaiting = async (): Promise<boolean> => (await waiting()).length > 0;

test('an abort ends it, and the lock is free', async () => {
  const lock = scope.client({ redis: url, replicas }).getLock(scope.name());
  const controller = new AbortController();
  const reason = new Error('no more');

  await frozen(async () => {
    const acquiring = rejection(lock.acquire({ signal: controller.signal }));
    await eventually(isWaiting);
    controller.abort(reason);

    expect(await acquiring).toBe(reason);
    await eventually(async () => !(await lock.isLocked()));
  });
});

test('the end of its client ends it, and the lock is free when that is closed', async () => {
  const name = scope.name();
  const client = scope.client({ redis: url, replicas });

  await frozen(async () => {
    const acquiring = rejection(client.getLock(name).acquire());
    await eventually(isWaiting);
    await client.close();

    expect(await acquiring).toBeInstanceOf(ClosedError);
    expect(await raw.exists(name)).toBe(0);
    await eventually(async () => !(await isWaiting()));
  });
});

test('it lasts no longer than the call may', async () => {
  const lock = scope.client({ redis: url, replicas }).getLock(scope.name());

  const error = await frozen(async () => await rejection(lock.acquire({ waitMs: 100 })));

  expect(error).toBeInstanceOf(ReplicasError);
});

test('an attempt that does not wait ends with the time of a command', async () => {
  const lock = scope.client({ redis: url, replicas, commandTimeoutMs: 500 }).getLock(scope.name());
  // It is connected.
  await lock.isLocked();

  const error = await frozen(async () => await rejection(lock.tryAcquire()));

  expect(error).toBeInstanceOf(ReplicasError);
});

test('a lock that is lost meanwhile is not granted', async () => {
  const name = scope.name();
  const lock = scope.client({ redis: url, replicas }).getLock(name);
  const other = scope.client({ redis: url }).getLock(name);

  const error = await frozen(async () => {
    const acquiring = rejection(lock.acquire());
    await eventually(isWaiting);
    expect(await other.forceRelease()).toBe(true);
    return await acquiring;
  });

  expect(error).toBeInstanceOf(ReplicasError);
  expect((error as ReplicasError).cause).toBeInstanceOf(LeaseLostError);
});

test('a fixed lease that ends meanwhile is not granted, nor kept', async () => {
  const client = scope.client({ redis: url });
  const events: string[] = [];
  client.on('acquired', () => events.push('acquired'));
  const lock = client.getLock(scope.name());

  const error = await frozen(
    async () =>
      await rejection(
        lock.acquire({ leaseMs: 150, replicas: { ...replicas, onShortfall: 'keep' } }),
      ),
  );

  expect(error).toBeInstanceOf(ReplicasError);
  expect((error as ReplicasError).cause).toMatchObject({ reason: 'expired' });
  expect(events).toEqual([]);
});

test('a grant that a failover has lost is not told of', async () => {
  const [proxy, next] = [await startProxy({ target: url }), await ownServer()];
  const lock = scope.client({ redis: proxy.url, replicas }).getLock(scope.name());

  const error = await frozen(async () => {
    const acquiring = rejection(lock.acquire());
    await eventually(isWaiting);
    // The next master is one that had not got it.
    proxy.leadTo(() => next.url);
    proxy.cutAll();
    return await acquiring;
  });

  expect(error).toBeInstanceOf(ReplicasError);
  expect((error as ReplicasError).cause).toMatchObject({ reason: 'deleted' });
  await raw.del(lock.name);
});

test('its time counts for the lease, and the server keeps that for no longer', async () => {
  const name = scope.name();
  const lock = scope.client({ redis: url, replicas }).getLock(name);

  const acquiring = await frozen(async () => {
    const granted = lock.acquire({ leaseMs: 10_000 });
    await eventually(isWaiting);
    await eventually(async () => (await raw.pttl(name)) < 9_900);
    return { granted };
  });
  const hold = await acquiring.granted;

  expect(hold.remainingMs).toBeLessThan(9_900);
  expect(await raw.pttl(name)).toBeLessThan(9_900);
  await hold.release();
});

test('a re-entry waits for none', async () => {
  const lock = scope.client({ redis: url, replicas }).getLock(scope.name());
  const hold = await lock.acquire();

  await frozen(async () => {
    const inner = await lock.acquire({ within: hold });
    await inner.release();
  });

  await hold.release();
});

test('what was confirmed on a connection that is lost is confirmed again before it counts', async () => {
  const name = scope.name();
  const lock = scope.client({ redis: url, replicas }).getLock(name);
  const commands = new Map<string, string[]>();
  await watchCommands(rawClient(url), ([command = ''], origin) => {
    const sent = commands.get(origin) ?? [];
    commands.set(origin, [...sent, command.toUpperCase()]);
  });

  const acquiring = await frozen(async () => {
    const granted = lock.acquire();
    await eventually(isWaiting);
    const [id = 0] = await waiting();
    await raw.call('CLIENT', 'KILL', 'ID', id);
    await eventually(async () => (await waiting()).some((other) => other !== id));
    return { granted };
  });

  await (await acquiring.granted).release();
  const lanes = [...commands.values()].filter((sent) => sent.includes('WAIT'));
  expect(lanes).toHaveLength(2);
  for (const sent of lanes) {
    const first = sent.indexOf('WAIT');
    expect(sent.slice(0, first).some((command) => command.startsWith('EVAL'))).toBe(true);
  }
});
