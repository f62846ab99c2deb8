// The wall clock of the host is set while something is held. A step forward looks as if the machine had
// been suspended, so proof ends; whether anything was lost, the server knows.

import { describe, expect, test } from 'vitest';
import type { Client } from '../../../src/index.js';
import { fixture, rejection } from '../../contract/fixture.js';
import { eventually } from '../../support/eventually.js';
import { allLasting, leasedKinds } from '../../support/kinds/kinds.js';
import { titled, type LeasedKind } from '../../support/kinds/kind.js';
import { movingClock } from '../../support/moving-clock.js';
import { startProxy } from '../../support/proxy.js';
import { keysUnder, redisUrl } from '../../support/redis.js';

const { client, name, raw } = fixture('clock-steps', allLasting);

/** Longer than a lease. */
const STEP_MS = 40_000;
const LEASE_MS = 30_000;

function eventsOf(from: Client): string[] {
  const told: string[] = [];
  from.on('suspect', () => told.push('suspect'));
  from.on('lost', ({ error }) => told.push(`lost: ${error.reason}`));
  from.on('released', () => told.push('released'));
  return told;
}

async function stage(kind: LeasedKind, leaseMs?: number, redis = redisUrl()) {
  const clock = movingClock();
  const own = client({ redis }, clock);
  const told = eventsOf(own);
  const object = name();
  const entrance = await kind.create(own, object);
  const grant = await entrance.acquire({ leaseMs });
  return { clock, own, told, object, entrance, grant };
}

describe.each(titled(leasedKinds))('a %s', (_, kind) => {
  test.each([
    ['renewed', undefined],
    ['fixed', LEASE_MS],
  ])(
    'with a %s lease that the server still has is held again when it has answered',
    async (_kind, leaseMs) => {
      const { clock, told, grant } = await stage(kind, leaseMs);

      clock.set(STEP_MS);
      const looks = [grant.isHeld, grant.state, grant.remainingMs, grant.signal.aborted];
      expect(() => grant.assertHeld()).toThrow(expect.objectContaining({ reason: 'unproven' }));
      await eventually(() => grant.isHeld);

      expect(looks).toEqual([false, 'suspect', 0, false]);
      expect(grant.state).toBe('held');
      expect(grant.remainingMs).toBeGreaterThan(LEASE_MS / 2);
      expect(grant.remainingMs).toBeLessThan(LEASE_MS);
      await grant.release();
      expect(told).toEqual(['suspect', 'released']);
    },
  );

  test('that the server does not have any more is lost, as its answer says', async () => {
    const { clock, told, object, grant } = await stage(kind);
    await kind.erase(object);

    clock.set(STEP_MS);
    const looks = [grant.isHeld, grant.signal.aborted];
    await eventually(() => grant.state === 'lost');

    expect(looks).toEqual([false, false]);
    expect(grant.signal.reason).toMatchObject({ code: 'ERR_LEASE_LOST', reason: 'deleted' });
    expect(told).toEqual(['suspect', 'lost: deleted']);
    // A reader that was erased leaves a key of its own.
    await raw.del(object, ...(await keysUnder(object, raw)));
  });

  test('that is released before the answer is released', async () => {
    const { clock, told, object, grant } = await stage(kind);

    clock.set(STEP_MS);
    const isHeld = grant.isHeld;
    await grant.release();

    expect(isHeld).toBe(false);
    expect(await kind.isFree(object)).toBe(true);
    expect(told.filter((event) => event !== 'suspect')).toEqual(['released']);
  });

  test('is extended before the answer, and held again', async () => {
    const { clock, grant } = await stage(kind);

    clock.set(STEP_MS);
    await grant.extend(LEASE_MS * 2);

    expect(grant.remainingMs).toBeGreaterThan(LEASE_MS);
    await grant.release();
  });

  test('stays held when the clock is set back, and when it is set forward again', async () => {
    const { clock, told, grant } = await stage(kind);

    clock.set(-STEP_MS);
    const after = grant.state;
    clock.set(LEASE_MS / 2);
    const again = grant.state;
    await grant.release();

    expect([after, again]).toEqual(['held', 'held']);
    expect(told).toEqual(['released']);
  });

  test('without an answer is lost a lease later, and not before', async () => {
    const proxy = await startProxy({ target: redisUrl() });
    const { clock, told, object, grant } = await stage(kind, undefined, proxy.url);
    proxy.refuse();
    proxy.cutAll();

    clock.set(STEP_MS);
    const states = [grant.state];
    clock.block(LEASE_MS * 0.9);
    states.push(grant.state);
    clock.block(LEASE_MS * 0.1);
    states.push(grant.state);
    const error = await rejection(grant.release());

    expect(states).toEqual(['suspect', 'suspect', 'lost']);
    expect(error).toMatchObject({ reason: 'unproven' });
    expect(told).toEqual(['suspect', 'lost: unproven']);
    await proxy.accept();
    await eventually(async () => await kind.isFree(object));
  });
});
