// A hold or permit that goes from one client to another.

import { afterAll, describe, expect, test } from 'vitest';
import { ownChannels } from '../../../src/core/waiting/own-channel.js';
import {
  NotHeldError,
  type Client,
  type Hold,
  type LeaseLostError,
  type Lock,
  type Permit,
} from '../../../src/index.js';
import { eventually } from '../../support/eventually.js';
import type { LeasedKind } from '../../support/kinds/kind.js';
import * as locks from '../../support/kinds/locks.js';
import { permit } from '../../support/kinds/permits.js';
import { rawClient } from '../../support/redis.js';
import { expectNoChannels, expectNoResidue } from '../../support/residue.js';
import { testScope } from '../../support/scope.js';
import { toldOf } from '../../support/told.js';

const scope = testScope('detach');
const raw = rawClient();

afterAll(async () => {
  await raw.del(...(await raw.keys(`redisson_lock_token:{${scope.prefix}*`)));
  // Semaphores stay, with what has expired in them.
  const keys = await raw.keys(`${scope.prefix}-*`);
  const types = await Promise.all(keys.map(async (key) => await raw.type(key)));
  const semaphores = keys.filter((_, i) => types[i] === 'string');
  await raw.del(...semaphores.flatMap((name) => [name, `{${name}}:timeout`]));
  await expectNoResidue(scope.prefix, {
    allow: [/^redlatch_(?:cancelled|requests|tickets|leases):/],
  });
  await expectNoChannels(scope.prefix);
});

const kinds: [string, LeasedKind<Hold | Permit>][] = [
  locks.lock,
  locks.fencedLock,
  locks.fairLock,
  locks.writeLock,
  permit,
].map((kind) => [kind.what, kind as unknown as LeasedKind<Hold | Permit>]);

const tokenOf = (grant: Hold | Permit): bigint | undefined =>
  'id' in grant ? undefined : grant.fencingToken;

describe.each(kinds)('a %s that is detached', (_, kind) => {
  const acquire = async (client: Client, options?: { leaseMs?: number; maxHoldMs?: number }) => {
    const object = await kind.create(client, scope.name());
    return { object, name: object.name, grant: await object.acquire(options) };
  };

  test('keeps its bound: the time that is left of it counts on for the adopter', async () => {
    const [old, other] = [scope.client(), scope.client()];
    const { grant, name } = await acquire(old, { maxHoldMs: 1_200 });
    await expect(grant.detach({ leaseMs: 1_300 })).rejects.toThrow(RangeError);
    expect(grant.isHeld).toBe(true);

    const detached = await grant.detach();
    await expect(other.adopt(detached, { leaseMs: 1_300 })).rejects.toThrow(RangeError);
    const adopted = await other.adopt(detached);
    expect(adopted.remainingMs).toBeLessThanOrEqual(1_200);
    await expect(adopted.extend(1_300)).rejects.toThrow(RangeError);
    const lost = (error: unknown): boolean =>
      (error as LeaseLostError).reason === 'expired' && adopted.state === 'lost';
    await eventually(() => lost(adopted.signal.reason));
    await eventually(async () => (await kind.inside(name)).length === 0);
  });

  test('is released here, and held on the server until another client adopts and releases it', async () => {
    const [old, other] = [scope.client(), scope.client()];
    const { object, name, grant } = await acquire(old);

    const detached = await grant.detach();
    expect([grant.state, grant.isHeld, grant.remainingMs]).toEqual(['released', false, 0]);
    expect(() => grant.assertHeld()).toThrow(NotHeldError);
    await grant.release();
    await old.close();
    expect(await kind.inside(name)).toEqual([kind.idOf(grant)]);
    expect(await kind.rival(other, object.name).tryAcquire()).toBeNull();

    const adopted = await other.adopt(detached);
    expect([adopted.state, adopted.isHeld]).toEqual(['held', true]);
    expect(kind.idOf(adopted)).not.toBe(kind.idOf(grant));
    expect(tokenOf(adopted)).toBe(tokenOf(grant));
    await kind.expectIn(name, adopted);
    await adopted.release();
    expect(await kind.isFree(name)).toBe(true);
  });

  test('is adopted once', async () => {
    const [old, other] = [scope.client(), scope.client()];
    const { name, grant } = await acquire(old);
    const detached = await grant.detach();

    const outcomes = await Promise.allSettled([
      other.adopt(detached),
      scope.client().adopt(detached),
    ]);

    expect(outcomes.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
    const [adopted] = outcomes.flatMap((each) => (each.status === 'fulfilled' ? each.value : []));
    const [error] = outcomes.flatMap((each) =>
      each.status === 'rejected' ? [each.reason as unknown] : [],
    );
    expect(error).toBeInstanceOf(NotHeldError);
    expect((error as NotHeldError).resource).toBe(name);
    await kind.expectIn(name, adopted!);
    await adopted!.release();
    await expect(other.adopt(detached)).rejects.toThrow(NotHeldError);
  });

  test('is adopted by its own client as well', async () => {
    const client = scope.client();
    const { name, grant } = await acquire(client);

    const adopted = await client.adopt(await grant.detach());

    expect(adopted.isHeld).toBe(true);
    await kind.expectIn(name, adopted);
  });

  test('has a lease of the client, or the one that is asked for, or the longer one that it had', async () => {
    const client = scope.client({ leaseMs: 20_000 });
    const short = await acquire(client, { leaseMs: 1_000 });
    const asked = await acquire(client);
    const long = await acquire(client, { leaseMs: 90_000 });

    await short.grant.detach();
    await asked.grant.detach({ leaseMs: 60_000 });
    const detached = await long.grant.detach({ leaseMs: 1 });

    const left = async ({ name, grant }: typeof short) => await kind.serverLeaseMs(name, grant);
    expect(await left(short)).toBeGreaterThan(15_000);
    expect(await left(short)).toBeLessThanOrEqual(20_000);
    expect(await left(asked)).toBeGreaterThan(50_000);
    expect(await left(long)).toBeGreaterThan(80_000);
    const adopted = await client.adopt(detached, { leaseMs: 1_000 });
    expect(adopted.remainingMs).toBeGreaterThan(80_000);
    await Promise.all([short, asked].map(async ({ name }) => await kind.erase(name)));
  });

  test('is renewed by its adopter, or not, as with an acquisition', async () => {
    const [old, other] = [scope.client(), scope.client({ leaseMs: 400 })];
    const renewed = await acquire(old, { leaseMs: 500 });
    const fixed = await acquire(old, { leaseMs: 500 });
    const strings = await Promise.all(
      [renewed, fixed].map(async ({ grant }) => await grant.detach({ leaseMs: 500 })),
    );

    const kept = await other.adopt(strings[0]!);
    const ending = await other.adopt(strings[1]!, { leaseMs: 600 });
    await eventually(() => ending.state === 'lost');

    expect((ending.signal.reason as Error).message).toContain('ran out');
    expect(kept.state).toBe('held');
    await kept.extend(1_000);
    await kept.release();
    await eventually(async () => (await kind.inside(fixed.name)).length === 0);
  });

  test('goes to who waits for it, when its adopter releases it', async () => {
    const [old, other, third] = [scope.client(), scope.client(), scope.client()];
    const { name, grant } = await acquire(old);
    let served = 0;
    const wait = async (client: Client): Promise<void> => {
      await (await kind.get(client, name).acquire()).release();
      served += 1;
    };
    const waits = [wait(old), wait(third)];
    await eventually(async () => (await toldOf(name, raw)) > 0);
    const adopted = await other.adopt(await grant.detach());
    waits.push(wait(other));
    expect(served).toBe(0);

    const releasedAt = performance.now();
    await adopted.release();
    await Promise.all(waits);

    // Nobody has waited for the end of a lease.
    expect(performance.now() - releasedAt).toBeLessThan(4_000);
  });

  test('is ended for its adopter by another client, which tells it', async () => {
    const [old, other] = [scope.client(), scope.client()];
    const { name, grant } = await acquire(old);
    const adopted = await other.adopt(await grant.detach());
    const { holds, permits } = ownChannels(other.id);
    const channel = 'id' in adopted ? permits : holds;
    await eventually(async () => (await raw.pubsub('NUMSUB', channel))[1] === 1);

    await ('id' in adopted
      ? old.getPermitExpirableSemaphore(name).release(adopted.id)
      : (kind.rival(old, name) as Lock).forceRelease());
    await eventually(() => adopted.signal.aborted);

    expect((adopted.signal.reason as LeaseLostError).reason).toBe('deleted');
  });

  test('is not detached when it is released meanwhile, or was before', async () => {
    const { name, grant } = await acquire(scope.client());

    const outcomes = await Promise.allSettled([grant.detach(), grant.release(), grant.detach()]);

    expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'fulfilled', 'rejected']);
    await expect(grant.detach()).rejects.toThrow(NotHeldError);
    expect(await kind.isFree(name)).toBe(true);
  });

  test('is told as released, and as acquired by its adopter', async () => {
    const [old, other] = [scope.client(), scope.client()];
    const told: string[] = [];
    old.on('released', ({ holderId }) => told.push(`released ${holderId}`));
    other.on('acquired', ({ holderId }) => told.push(`acquired ${holderId}`));
    const { grant } = await acquire(old);

    const adopted = await other.adopt(await grant.detach());

    expect(told).toEqual([`released ${kind.idOf(grant)}`, `acquired ${kind.idOf(adopted)}`]);
  });
});

test.each(kinds.filter(([what]) => what !== 'permit'))(
  'the adopter of a %s is told at once that another client waits',
  async (_, kind) => {
    const [old, other, third] = [scope.client(), scope.client(), scope.client()];
    const object = await kind.create(old, scope.name());
    const hold = await object.acquire();
    const isWanted = new Promise<void>((resolve) => {
      hold.onContended(resolve);
    });
    const waiting = kind.rival(third, object.name).acquire();
    await isWanted;

    const adopted = await other.adopt(await hold.detach());
    let isTold = false;
    adopted.onContended(() => {
      isTold = true;
    });
    await Promise.resolve();
    await Promise.resolve();
    expect(isTold).toBe(true);
    await adopted.release();
    await (await waiting).release();
  },
);
