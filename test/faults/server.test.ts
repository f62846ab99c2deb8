// What an operator or a crash does to the server itself, while the proxy only watches.

import { beforeAll, describe, expect, test } from 'vitest';
import type { CoordinationError, Hold, Lock } from '../../src/index.js';
import { eventually } from '../support/eventually.js';
import { rawClient } from '../support/redis.js';
import { ownServer, type OwnServer } from '../support/server.js';
import { faultWorlds, listening, rejection, take, type World, prepare } from './world.js';
import { kinds, leasedKinds } from '../support/kinds/kinds.js';
import type { Grant, Kind, LeasedGrant, LeasedKind } from '../support/kinds/kind.js';
import { stored } from '../support/kinds/locks.js';

const open = faultWorlds('server');
let server: OwnServer;

beforeAll(async () => {
  server = await ownServer();
});

async function heard(name: string): Promise<void> {
  await listening(name, 1, server.url);
}

/** One of each kind, under names of their own, that somebody can get into. */
async function things(world: World, word: string): Promise<{ kind: Kind; name: string }[]> {
  return await Promise.all(
    kinds.map(async (kind, i) => {
      const name = `${world.name}-${word}-${i}`;
      await prepare(kind, world, name);
      return { kind, name };
    }),
  );
}

const isLost = ({ state }: LeasedGrant): boolean => state === 'lost';

interface Scene {
  /** Held by the client. */
  readonly held: { kind: LeasedKind; name: string; grant: LeasedGrant }[];
  /** Held by another one. */
  readonly busy: { kind: Kind; name: string; rival: Grant; waiting: Promise<Grant> }[];
}

/** The client holds one of each kind. */
async function holdAll(world: World): Promise<Scene['held']> {
  const holding = leasedKinds.map(async (kind, i) => {
    const name = `${world.name}-held-${i}`;
    await prepare(kind, world, name);
    return { kind, name, grant: await take(kind.get(world.client, name)) };
  });
  return await Promise.all(holding);
}

/** The client holds one of each kind, and waits for one of each kind. */
async function setScene(world: World): Promise<Scene> {
  const { client, other } = world;
  const busy = (await things(world, 'busy')).map(async ({ kind, name: own }) => {
    const rival = await take(kind.rival(other, own));
    const waiting = kind.get(client, own).acquire();
    await heard(own);
    return { kind, name: own, rival, waiting };
  });
  return { held: await holdAll(world), busy: await Promise.all(busy) };
}

/** Fails unless all waiters get in, and nobody else is. */
async function expectAllIn({ busy }: Scene): Promise<void> {
  await Promise.all(
    busy.map(async ({ kind, name, waiting }) => {
      await kind.expectIn(name, await waiting, server.url);
    }),
  );
}

describe('SCRIPT FLUSH', () => {
  test('every one of many pipelined calls is carried out once', async (context) => {
    const world = await open(context, {}, server.url);
    const { name, client } = world;
    const raw = rawClient(server.url);
    const latch = client.getCountDownLatch(`${name}-latch`);
    await latch.trySetCount(1_000);
    const those = await things(world, 'used');
    const semaphore = client.getSemaphore(`${name}-semaphore`);
    await world.setPermits(0, semaphore.name);
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
      const adding = Array.from({ length: 20 }, async () => await semaphore.addPermits(1));
      const others = those.map(async ({ kind, name: own }) => {
        const grant = await take(kind.get(client, own));
        await grant.release();
      });
      await Promise.all([...counting, ...adding, flushing, ...using, ...others]);
    }

    expect(flushes).toBe(10);
    expect(await latch.count()).toBe(1_000 - 1 - 200);
    expect(await raw.exists(...locks.map((lock) => lock.name))).toBe(0);
    expect(await semaphore.availablePermits()).toBe(200);
    for (const { kind, name: own } of those) {
      expect(await kind.isFree(own, server.url), kind.what).toBe(true);
    }
    await latch.delete();
  });

  test('grants are renewed and waiters get in as before', async (context) => {
    const world = await open(context, { leaseMs: 600 }, server.url);
    const scene = await setScene(world);

    await rawClient(server.url).script('FLUSH');
    const before = scene.held.map(({ grant }) => grant.remainingMs);
    await eventually(() => scene.held.every(({ grant }, i) => grant.remainingMs > before[i]!));
    await rawClient(server.url).script('FLUSH');
    await Promise.all(scene.busy.map(async ({ rival }) => await rival.release()));

    await expectAllIn(scene);
    expect(new Set(scene.held.map(({ grant }) => grant.state))).toEqual(new Set(['held']));
  });

  test('a hold is detached behind one, and adopted behind another one', async (context) => {
    const { client, other, name } = await open(context, {}, server.url);
    const raw = rawClient(server.url);
    const objects = (word: string): Lock[] => [
      client.getLock(`${name}-lock-${word}`),
      client.getFencedLock(`${name}-fenced-${word}`),
      client.getFairLock(`${name}-fair-${word}`),
      client.getReadWriteLock(`${name}-read-write-${word}`).writeLock,
    ];
    const pass = async (word: string): Promise<void> => {
      for (const lock of objects(word)) {
        const hold = await lock.acquire();
        await raw.script('FLUSH');
        const detached = await hold.detach();
        await raw.script('FLUSH');
        const adopted = (await other.adopt(detached)) as Hold;
        expect([hold.state, adopted.state]).toEqual(['released', 'held']);
        expect(adopted.fencingToken).toBe(hold.fencingToken);
        await adopted.release();
        expect(await lock.isLocked()).toBe(false);
      }
    };

    // The second time both clients know the scripts, and send their digests.
    await pass('first');
    await pass('second');
  });
});

describe('CLIENT KILL of every connection', () => {
  test('holders are held again and waiters get in', async (context) => {
    const world = await open(context, {}, server.url);
    const scene = await setScene(world);
    const raw = rawClient(server.url);

    const killed = [await raw.call('CLIENT', 'KILL', 'TYPE', 'normal', 'SKIPME', 'yes')];
    killed.push(await raw.call('CLIENT', 'KILL', 'TYPE', 'pubsub', 'SKIPME', 'yes'));
    await eventually(() => scene.held.every(({ grant }) => grant.state === 'held'));
    await Promise.all(scene.busy.map(async ({ name }) => await heard(name)));
    await Promise.all(scene.busy.map(async ({ rival }) => await rival.release()));

    await expectAllIn(scene);
    expect(killed[0]).toBeGreaterThanOrEqual(2);
    expect(killed[1]).toBeGreaterThanOrEqual(1);
    for (const { kind, name, grant } of scene.held) {
      expect(grant.isHeld, kind.what).toBe(true);
      await kind.expectIn(name, grant, server.url);
    }
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
    await eventually(async () => Object.keys(await stored(name, server.url)).length === 0);
  });

  test('what could not be renewed is lost before anybody else has it', async (context) => {
    const world = await open(context, { leaseMs: 500 }, server.url);
    const { client, other, name } = world;
    const told = await Promise.all(
      leasedKinds.map(async (kind, i) => {
        const own = `${name}-${i}`;
        await prepare(kind, world, own);
        const tale: string[] = [];
        client.on('lost', ({ resource }) => resource === own && tale.push('lost'));
        await take(kind.get(client, own));
        const next = kind.rival(other, own).acquire();
        await heard(own);
        return { kind, tale, next: next.then(() => tale.push('granted')) };
      }),
    );

    await rawClient(server.url).call('CLIENT', 'PAUSE', '800', 'ALL');
    await Promise.all(told.map(async ({ next }) => await next));

    for (const { kind, tale } of told) {
      expect(tale, kind.what).toEqual(['lost', 'granted']);
    }
  });
});

describe('a server that comes back empty', () => {
  test('holders learn that what they hold is gone', async (context) => {
    const world = await open(context, {}, server.url);
    const { client } = world;
    const lost: string[] = [];
    client.on('lost', ({ error }) => lost.push(error.reason));
    const held = await holdAll(world);
    const fixed = await take(client.getLock(`${world.name}-fixed`), { leaseMs: 60_000 });

    await server.restart();
    await eventually(() => [...held.map(({ grant }) => grant), fixed].every(isLost));

    expect(lost).toHaveLength(held.length + 1);
    expect(new Set(lost)).toEqual(new Set(['deleted']));
    await expect(fixed.release()).rejects.toMatchObject({ code: 'ERR_LEASE_LOST' });
  });

  test('fencing tokens keep growing', async (context) => {
    const { name, client } = await open(context, {}, server.url);
    const before = await take(client.getFencedLock(name));

    await server.restart();
    const after = await client.getFencedLock(name).acquire();

    expect(after.fencingToken).toBeGreaterThan(before.fencingToken);
    await eventually(() => before.state === 'lost');
  });

  test('waiters get in, and a latch that is gone lets go', async (context) => {
    const world = await open(context, {}, server.url);
    const { client, other, name } = world;
    const scene = await setScene(world);
    await other.getCountDownLatch(`${name}-latch`).trySetCount(1);
    const passing = client.getCountDownLatch(`${name}-latch`).wait();
    await heard(`${name}-latch`);

    await server.restart();
    // Permits that are gone are waited for until some are set again.
    for (const { kind, name: own } of scene.busy) {
      await prepare(kind, world, own);
    }

    expect(await passing).toBe(true);
    await expectAllIn(scene);
  });
});
