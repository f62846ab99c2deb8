// A lease counts from before its command was sent: a late answer proves no more than an early one.

import { describe, expect, test } from 'vitest';
import type { Hold, Lock } from '../../src/index.js';
import { lockRenew } from '../../src/core/scripts.generated.js';
import { eventually } from '../support/eventually.js';
import { rawClient } from '../support/redis.js';
import { faultWorlds, runs, type World } from './world.js';

const open = faultWorlds('slow-answers');

const LATE_MS = 250;
const LEASE_MS = 1_200;

/** How much longer the hold believes in its lease than the server does: at most 0. */
async function excessMs(hold: Hold): Promise<number> {
  const serverMs = await rawClient().pttl(hold.lockName);
  return hold.remainingMs - serverMs;
}

const proofs: [string, (lock: Lock, outer: Hold) => Promise<Hold>][] = [
  ['a re-entry', async (lock, outer) => await lock.acquire({ within: outer, leaseMs: 3_000 })],
  [
    'an extension',
    async (_, outer) => {
      await outer.extend(3_000);
      return outer;
    },
  ],
  [
    'an acquisition',
    async (lock, outer) => {
      await outer.release();
      return await lock.acquire({ leaseMs: 3_000 });
    },
  ],
];

/** A hold, and answers that are late from now on. */
async function slowWorld(world: World, leaseMs?: number): Promise<{ lock: Lock; hold: Hold }> {
  const lock = world.client.getLock(world.name);
  const hold = await lock.acquire(leaseMs === undefined ? {} : { leaseMs });
  world.proxy.delay({ downMs: LATE_MS });
  return { lock, hold };
}

describe.concurrent('with answers that are late', () => {
  for (const [what, prove] of proofs) {
    test(`${what} is not believed in for longer than the server does`, async (context) => {
      const { lock, hold } = await slowWorld(await open(context), LEASE_MS);

      const proven = await prove(lock, hold);
      const excess = await excessMs(proven);

      expect(proven.remainingMs).toBeGreaterThan(LEASE_MS);
      expect(excess).toBeLessThanOrEqual(0);
    });
  }

  test('a renewal is not believed in for longer than the server does', async (context) => {
    const world = await open(context, { leaseMs: LEASE_MS });
    const { hold } = await slowWorld(world);
    const renewals = (): number => world.proxy.requests().filter(runs(lockRenew)).length;
    const excesses: number[] = [];

    await eventually(async () => {
      excesses.push(await excessMs(hold));
      return renewals() > 3;
    });

    expect(hold.state).toBe('held');
    expect(Math.max(...excesses)).toBeLessThanOrEqual(0);
  });
});
