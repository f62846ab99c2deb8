// A lease counts from before its command was sent: a late answer proves no more than an early one.

import { describe, expect, test } from 'vitest';
import { CommandTimeoutError } from '../../src/index.js';
import { eventually } from '../support/eventually.js';
import * as scripts from '../../src/core/wire/scripts.generated.js';
import { faultWorlds, rejection, runs, type World, prepare } from './world.js';
import { leasedKinds, lockKinds } from '../support/kinds/kinds.js';
import {
  titled,
  type LeasedGrant,
  type LeasedKind,
  type WireScript,
} from '../support/kinds/kind.js';

const open = faultWorlds('slow-answers');

const LATE_MS = 150;
const LEASE_MS = 1_200;

/** How much longer the grant believes in its lease than the server does: at most 0. */
async function excessMs<G extends LeasedGrant>(
  kind: LeasedKind<G>,
  name: string,
  grant: G,
): Promise<number> {
  const serverMs = await kind.serverLeaseMs(name, grant);
  return grant.remainingMs - serverMs;
}

/** A grant, and answers that are late from now on. */
async function slowGrant<G extends LeasedGrant>(
  kind: LeasedKind<G>,
  world: World,
  leaseMs?: number,
): Promise<G> {
  await prepare(kind, world);
  const entrance = kind.get(world.client, world.name);
  const grant = await entrance.acquire(leaseMs === undefined ? {} : { leaseMs });
  world.proxy.delay({ downMs: LATE_MS });
  return grant;
}

describe.concurrent.each(titled(lockKinds))('a %s with answers that are late', (_, kind) => {
  test('a re-entry is not believed in for longer than the server does', async (context) => {
    const world = await open(context);
    const hold = await slowGrant(kind, world, LEASE_MS);

    const inner = await kind
      .get(world.client, world.name)
      .acquire({ within: hold, leaseMs: 3_000 });
    const excess = await excessMs(kind, world.name, inner);

    expect(inner.remainingMs).toBeGreaterThan(LEASE_MS);
    expect(excess).toBeLessThanOrEqual(0);
  });
});

describe.concurrent.each(titled(leasedKinds))('a %s with answers that are late', (_, kind) => {
  test('an extension is not believed in for longer than the server does', async (context) => {
    const world = await open(context);
    const grant = await slowGrant(kind, world, LEASE_MS);

    await grant.extend(3_000);
    const excess = await excessMs(kind, world.name, grant);

    expect(grant.remainingMs).toBeGreaterThan(LEASE_MS);
    expect(excess).toBeLessThanOrEqual(0);
  });

  test('an acquisition is not believed in for longer than the server does', async (context) => {
    const world = await open(context);
    const { name, client } = world;
    const before = await slowGrant(kind, world, LEASE_MS);
    await before.release();

    const grant = await kind.get(client, name).acquire({ leaseMs: 3_000 });
    const excess = await excessMs(kind, name, grant);

    expect(grant.remainingMs).toBeGreaterThan(LEASE_MS);
    expect(excess).toBeLessThanOrEqual(0);
  });

  test('a renewal is not believed in for longer than the server does', async (context) => {
    const world = await open(context, { leaseMs: LEASE_MS });
    const grant = await slowGrant(kind, world);
    const renewals = (): number => world.proxy.requests().filter(runs(kind.scripts.renew)).length;
    const excesses: number[] = [];

    await eventually(async () => {
      excesses.push(await excessMs(kind, world.name, grant));
      return renewals() > 3;
    });

    expect(grant.state).toBe('held');
    expect(Math.max(...excesses)).toBeLessThanOrEqual(0);
  });

  test('a grant whose answer took longer than its lease is asked for anew', async (context) => {
    const world = await open(context);
    const { proxy, name, client } = world;
    await prepare(kind, world);
    const sent = (script: WireScript): number => proxy.requests().filter(runs(script)).length;
    const asked = (): number => sent(kind.enter ?? kind.scripts.acquire);

    // Long enough to look at what was granted in the end, also on a busy machine.
    const leaseMs = 8 * LATE_MS;
    proxy.delay({ downMs: leaseMs + LATE_MS });
    const acquiring = kind.get(client, name).acquire({ leaseMs });
    await eventually(() => asked() > 1);
    proxy.delay({});
    const grant = await acquiring;

    // The server may have run it late, and keep what came too late for a whole lease.
    expect(sent(kind.scripts.release)).toBe(asked() - 1);
    expect(grant.remainingMs).toBeGreaterThan(0);
    await kind.expectIn(name, grant);
    await grant.release();
    expect(await kind.isFree(name)).toBe(true);
  });
});

describe.concurrent.each(titled(leasedKinds))('a %s with grants that come too late', (_, kind) => {
  test('a wait for it has waited for the server, and for nobody else', async (context) => {
    const world = await open(context);
    const { proxy, name, client } = world;
    await prepare(kind, world);
    const sent = (): number =>
      proxy.requests().filter(runs(kind.enter ?? kind.scripts.acquire)).length;

    const leaseMs = 2 * LATE_MS;
    proxy.delay({ downMs: 3 * LATE_MS });
    const { error } = await rejection(
      kind.get(client, name).acquire({ leaseMs, waitMs: 12 * LATE_MS }),
    );
    proxy.delay({});

    expect(error).toBeInstanceOf(CommandTimeoutError);
    expect(sent()).toBeGreaterThan(1);
    await eventually(async () => await kind.isFree(name));
  });
});

test('a grant that was long on its way is renewed at once', async (context) => {
  const { proxy, name, client } = await open(context, { leaseMs: 600 });
  const lock = client.getLock(name);
  await (await lock.acquire()).release();
  proxy.delay({ upMs: 0, downMs: 450 });

  const hold = await lock.acquire();
  proxy.delay({ upMs: 0, downMs: 0 });

  // What is left would be over before the next round of renewals.
  expect(hold.remainingMs).toBeLessThan(200);
  await eventually(() => expect(hold.remainingMs).toBeGreaterThan(300));
  expect(hold.state).toBe('held');
  await hold.release();
});

test('a writer whose read was granted later than its lease is let in anew', async (context) => {
  const { proxy, name, client } = await open(context);
  const { readLock, writeLock } = client.getReadWriteLock(name);
  const writer = await writeLock.acquire({ leaseMs: 60_000 });
  const reads = (): number => proxy.requests().filter(runs(scripts.rwlockAcquireRead)).length;

  const leaseMs = 8 * LATE_MS;
  proxy.delay({ downMs: leaseMs + LATE_MS });
  const reading = readLock.acquire({ within: writer, leaseMs });
  await eventually(() => reads() > 1);
  proxy.delay({});
  const reader = await reading;

  expect(reader.isHeld).toBe(true);
  expect(writer.isHeld).toBe(true);
  await Promise.all([reader.release(), writer.release()]);
  expect(await readLock.holders()).toEqual([]);
});
