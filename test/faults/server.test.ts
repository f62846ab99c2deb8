// What an operator or a crash does to the server itself, while the proxy only watches.

import { beforeAll, describe, expect, test } from 'vitest';
import type { CoordinationError, LeaseLostError } from '../../src/index.js';
import { eventually } from '../support/eventually.js';
import { rawClient } from '../support/redis.js';
import { ownServer, type OwnServer } from '../support/server.js';
import { faultWorlds, rejection, take } from './world.js';

const open = faultWorlds('server');
let server: OwnServer;

beforeAll(async () => {
  server = await ownServer();
});

async function stored(name: string): Promise<Record<string, string>> {
  return await rawClient(server.url).hgetall(name);
}

async function heard(name: string): Promise<void> {
  const raw = rawClient(server.url);
  await eventually(async () => {
    const answer = await raw.call('PUBSUB', 'NUMSUB', `redisson_lock__channel:{${name}}`);
    return (answer as [string, number])[1] === 1;
  });
}

describe('SCRIPT FLUSH', () => {
  test('every one of many pipelined calls is carried out once', async (context) => {
    const { name, client } = await open(context, {}, server.url);
    const raw = rawClient(server.url);
    const latch = client.getCountDownLatch(`${name}-latch`);
    await latch.trySetCount(1_000);
    const locks = Array.from({ length: 40 }, (_, i) => client.getLock(`${name}-${i}`));
    await latch.countDown();
    await client.getLock(name).using(() => undefined);

    let flushes = 0;
    for (let round = 0; round < 10; round += 1) {
      const counting = Array.from({ length: 20 }, async () => await latch.countDown());
      const flushing = raw.script('FLUSH').then(() => (flushes += 1));
      const using = locks.map(async (lock) => {
        const hold = await take(lock);
        const inner = await take(lock, { within: hold });
        await inner.release();
        await hold.release();
      });
      await Promise.all([...counting, flushing, ...using]);
    }

    expect(flushes).toBe(10);
    expect(await latch.count()).toBe(1_000 - 1 - 200);
    expect(await raw.exists(...locks.map((lock) => lock.name))).toBe(0);
    await latch.delete();
  });

  test('holds are renewed and waiters get in as before', async (context) => {
    const { name, client, other } = await open(context, { leaseMs: 600 }, server.url);
    const hold = await take(client.getLock(`${name}-held`));
    const busy = await take(other.getLock(name));
    const waiting = client.getLock(name).acquire();
    await heard(name);

    await rawClient(server.url).script('FLUSH');
    const before = hold.remainingMs;
    await eventually(() => hold.remainingMs > before);
    await rawClient(server.url).script('FLUSH');
    await busy.release();
    const entered = await waiting;

    expect(hold.state).toBe('held');
    expect(await stored(name)).toEqual({ [entered.holderId]: '1' });
  });
});

describe('CLIENT KILL of every connection', () => {
  test('a holder is held again and a waiter gets in', async (context) => {
    const { name, client, other } = await open(context, {}, server.url);
    const raw = rawClient(server.url);
    const hold = await take(client.getLock(`${name}-held`));
    const busy = await take(other.getLock(name));
    const waiting = client.getLock(name).acquire();
    await heard(name);

    const killed = [await raw.call('CLIENT', 'KILL', 'TYPE', 'normal', 'SKIPME', 'yes')];
    killed.push(await raw.call('CLIENT', 'KILL', 'TYPE', 'pubsub', 'SKIPME', 'yes'));
    await eventually(() => hold.state === 'held');
    await heard(name);
    await busy.release();
    const entered = await waiting;

    expect(killed[0]).toBeGreaterThanOrEqual(2);
    expect(killed[1]).toBeGreaterThanOrEqual(1);
    expect(hold.isHeld).toBe(true);
    expect(await stored(hold.lockName)).toEqual({ [hold.holderId]: '1' });
    expect(await stored(name)).toEqual({ [entered.holderId]: '1' });
  });

  test('calls under way are carried out once', async (context) => {
    const { name, client } = await open(context, {}, server.url);
    const raw = rawClient(server.url);
    const latch = client.getCountDownLatch(name);
    await latch.trySetCount(500);

    for (let round = 0; round < 10; round += 1) {
      const counting = Array.from({ length: 30 }, async () => await latch.countDown());
      await raw.call('CLIENT', 'KILL', 'TYPE', 'normal', 'SKIPME', 'yes');
      await Promise.all(counting);
    }

    expect(await latch.count()).toBe(200);
    await latch.delete();
  });
});

describe('CLIENT PAUSE', () => {
  test('a call ends in its time, and what it asked for is not left behind', async (context) => {
    const { name, client } = await open(context, { commandTimeoutMs: 300 }, server.url);
    const raw = rawClient(server.url);

    await raw.call('CLIENT', 'PAUSE', '700', 'ALL');
    const { error, afterMs } = await rejection(client.getLock(name).tryAcquire({ waitMs: 200 }));
    const counting = await rejection(client.getCountDownLatch(name).countDown());
    const hold = await client.getLock(`${name}-later`).acquire();

    expect(error).toMatchObject({ code: 'ERR_COMMAND_TIMEOUT' });
    expect(afterMs).toBeLessThan(650);
    expect((counting.error as CoordinationError).code).toMatch(/UNKNOWN|TIMEOUT/u);
    expect(hold.isHeld).toBe(true);
    await eventually(async () => Object.keys(await stored(name)).length === 0);
  });

  test('a hold that could not be renewed is lost before anybody else has it', async (context) => {
    const { name, client, other } = await open(context, { leaseMs: 500 }, server.url);
    const told: string[] = [];
    client.on('lost', () => told.push('lost'));
    await take(client.getLock(name));
    const next = other
      .getLock(name)
      .acquire()
      .then(() => told.push('granted'));
    await heard(name);

    await rawClient(server.url).call('CLIENT', 'PAUSE', '800', 'ALL');
    await next;

    expect(told).toEqual(['lost', 'granted']);
  });
});

describe('a server that comes back empty', () => {
  test('a holder learns that its lock is gone', async (context) => {
    const { name, client } = await open(context, {}, server.url);
    const lost: string[] = [];
    client.on('lost', ({ error }) => lost.push(error.reason));
    const hold = await take(client.getLock(name));
    const fixed = await take(client.getLock(`${name}-fixed`), { leaseMs: 60_000 });

    await server.restart();
    await eventually(() => hold.state === 'lost' && fixed.state === 'lost');

    expect((hold.signal.reason as LeaseLostError).reason).toBe('deleted');
    expect(lost).toEqual(['deleted', 'deleted']);
    await expect(hold.release()).rejects.toMatchObject({ code: 'ERR_LEASE_LOST' });
  });

  test('fencing tokens keep growing', async (context) => {
    const { name, client } = await open(context, {}, server.url);
    const before = await take(client.getFencedLock(name));

    await server.restart();
    const after = await client.getFencedLock(name).acquire();

    expect(after.fencingToken).toBeGreaterThan(before.fencingToken ?? 0n);
    await eventually(() => before.state === 'lost');
  });

  test('a waiter gets in, and a latch that is gone lets go', async (context) => {
    const { name, client, other } = await open(context, {}, server.url);
    await take(other.getLock(name));
    await other.getCountDownLatch(`${name}-latch`).trySetCount(1);
    const waiting = client.getLock(name).acquire();
    const passing = client.getCountDownLatch(`${name}-latch`).wait();
    await heard(name);

    await server.restart();
    const entered = await waiting;

    expect(await passing).toBe(true);
    expect(await stored(name)).toEqual({ [entered.holderId]: '1' });
  });
});
