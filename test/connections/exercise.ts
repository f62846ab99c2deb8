// What must work over any connection: a cycle, a wait, and both again after the connections were
// cut. The suites in this folder vary how the connections are made.

import type { Redis } from 'ioredis';
import { afterEach, expect } from 'vitest';
import { createClient, type Client, type ClientOptions } from '../../src/index.js';
import { eventually } from '../support/eventually.js';
import { randomName } from '../support/redis.js';
import { toldOf } from '../support/told.js';

const open = new Set<Client>();

afterEach(async () => {
  await Promise.all([...open].map(async (client) => await client.close({ timeoutMs: 500 })));
  open.clear();
});

/** A client that is closed after the test. */
export function openClient(options: ClientOptions): Client {
  const client = createClient({ commandTimeoutMs: 2_000, ...options });
  open.add(client);
  return client;
}

/**
 * Cuts the connections of all clients, but not the one that asks, nor those of replicas and
 * sentinels, which would take it for an outage of the master.
 */
export async function cutClients(raw: Redis): Promise<number> {
  const own = await raw.client('ID');
  const list = String(await raw.call('CLIENT', 'LIST'));
  const ids = list
    .split('\n')
    .filter((line) => !/ name=sentinel-| flags=[MS]/.test(line))
    .map((line) => Number(/^id=(\d+) /.exec(line)?.[1] ?? own))
    .filter((id) => id !== own);
  const killed = await Promise.all(
    // One that has just left by itself is an error to the server.
    ids.map(async (id) => await raw.call('CLIENT', 'KILL', 'ID', id).catch(() => 0)),
  );
  return killed.reduce<number>((sum, count) => sum + Number(count), 0);
}

/** A lock is taken, seen on the server under its own name, and given back. */
export async function expectCycle(client: Client, raw: Redis): Promise<void> {
  const name = randomName('cycle');

  const held = await client.getLock(name).using(async () => await raw.hlen(name));

  expect(held).toBe(1);
  expect(await raw.exists(name)).toBe(0);
}

/**
 * One client waits for the other, who releases once the wait is subscribed. The wait is shorter
 * than the re-check of a lost message: only a message can end it in time.
 *
 * @param meanwhile runs while the wait is subscribed
 */
export async function expectWaitEndsByMessage(
  [holder, waiter]: readonly [Client, Client],
  raw: Redis,
  meanwhile?: () => Promise<void>,
): Promise<void> {
  const name = randomName('wait');
  const hold = await holder.getLock(name).acquire();
  const waiting = waiter.getLock(name).acquire({ waitMs: 4_000 });
  const isSubscribed = async (): Promise<boolean> => (await toldOf(name, raw)) > 0;
  await eventually(isSubscribed);

  if (meanwhile !== undefined) {
    await meanwhile();
    await eventually(isSubscribed);
  }
  await hold.release();
  const next = await waiting;

  expect(next.isHeld).toBe(true);
  expect(Object.keys(await raw.hgetall(name))).toEqual([next.holderId]);
  await next.release();
}

/** All of the above with two clients of the same template, the last wait across a cut. */
export async function expectWorks(options: ClientOptions, raw: Redis): Promise<void> {
  const pair = [openClient(options), openClient(options)] as const;

  await expectCycle(pair[0], raw);
  await expectWaitEndsByMessage(pair, raw);
  await expectWaitEndsByMessage(pair, raw, async () => {
    expect(await cutClients(raw)).toBeGreaterThanOrEqual(3);
  });
  await expectCycle(pair[1], raw);
}
