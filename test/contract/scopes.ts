import { setImmediate } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { LeaseLostError, NotHeldError, type Hold } from '../../src/index.js';
import { eventually } from '../support/eventually.js';
import { fixtureOf, gate, rejection } from './fixture.js';
import type { ExclusiveLock, LockKind } from '../support/kinds/kind.js';

/** A scope ends with its hold. */
export function scopeSuite(kind: ExclusiveLock): void {
  describe(`scopes: ${kind.what}`, { concurrent: false }, () => {
    const { client, name } = fixtureOf('scopes', kind);

    test('work that outlives its scope acquires afresh', async () => {
      const lock = kind.create(client(), name());
      const [ended, acquired] = [gate(), gate()];
      const holds: Hold[] = [];
      const late = async (): Promise<void> => {
        await ended.opened;
        holds.push(await lock.acquire());
        acquired.open();
      };

      const outer = await lock.using((hold) => {
        setTimeout(() => void late(), 1);
        return hold;
      });
      ended.open();
      await acquired.opened;

      expect(holds[0]?.depth).toBe(1);
      expect(holds[0]?.holderId).not.toBe(outer.holderId);
      await holds[0]?.release();
    });

    test('work that outlives its scope waits for the next holder like anybody', async () => {
      const lock = kind.create(client(), name());
      const ended = gate();
      const late = async (): Promise<Hold | null> => {
        await ended.opened;
        return await lock.tryAcquire();
      };

      const pending = await lock.using(() => ({ late: late() }));
      const next = await lock.acquire();
      ended.open();

      expect(await pending.late).toBeNull();
      await next.release();
    });

    test('work left in an ended inner scope re-enters the outer one that is still held', async () => {
      const lock = kind.create(client(), name());
      const ended = gate();
      const late = async (): Promise<number> => {
        await ended.opened;
        return await lock.using(({ depth }) => depth);
      };

      const depth = await lock.using(async () => {
        const pending = await lock.using(() => ({ late: late() }));
        ended.open();
        return await pending.late;
      });

      expect(depth).toBe(2);
    });

    test('a branch that waits is refused when the lease is lost', async () => {
      const lock = kind.create(client(), name());
      const outer = await lock.acquire({ leaseMs: 250 });
      const branch = await lock.acquire({ within: outer, leaseMs: 1 });

      const waiting = rejection(outer.run(async () => await lock.acquire()));
      await eventually(() => outer.state === 'lost');

      expect(await waiting).toBe(outer.signal.reason);
      expect([branch.state, branch.signal.reason]).toEqual(['lost', outer.signal.reason]);
    });

    test('a branch that waits when the outer hold is released acquires afresh', async () => {
      const object = name();
      const lock = kind.create(client(), object);
      const other = kind.create(client(), object);
      const outer = await lock.acquire();
      const branch = await lock.acquire({ within: outer });
      const waiting = outer.run(async () => await lock.acquire());

      await outer.release();
      const between = [await other.tryAcquire(), branch.isHeld];
      await branch.release();
      const fresh = await waiting;

      expect(between).toEqual([null, true]);
      expect(fresh.depth).toBe(1);
      expect(fresh.holderId).not.toBe(outer.holderId);
      expect(await other.tryAcquire()).toBeNull();
      await fresh.release();
    });

    test('a branch that names a hold and waits when it is released is refused', async () => {
      const lock = kind.create(client(), name());
      const outer = await lock.acquire();
      const branch = await lock.acquire({ within: outer });
      const waiting = rejection(lock.acquire({ within: outer }));

      await outer.release();

      expect(await waiting).toBeInstanceOf(NotHeldError);
      await branch.release();
    });
  });
}

/** Nothing can be built on a hold that has ended. */
export function endedHoldSuite(kind: LockKind): void {
  describe(`ended holds: ${kind.what}`, { concurrent: false }, () => {
    const { client, name, raw } = fixtureOf('ended', kind);

    test('inside a lost hold every acquisition is refused', async () => {
      const [object, own] = [name(), client()];
      const lock = kind.create(own, object);
      const outer = await lock.acquire({ leaseMs: 200 });

      const errors = await outer.run(async () => {
        await eventually(() => outer.state === 'lost');
        return await Promise.all([
          rejection(lock.acquire()),
          rejection(lock.tryAcquire()),
          rejection(lock.using(() => 'never')),
          rejection(lock.acquire({ within: outer })),
        ]);
      });

      expect(errors.every((error) => error === outer.signal.reason)).toBe(true);
      expect(errors[0]).toBeInstanceOf(LeaseLostError);
      // The server keeps it a moment longer than its holder believes in it.
      await eventually(async () => !(await lock.isLocked()));
    });

    test('a re-entry finds out that the outer hold is gone, and tells both', async () => {
      const object = name();
      const lock = kind.create(client(), object);
      const outer = await lock.acquire();
      await kind.erase(object);

      const error = await rejection(outer.run(async () => await lock.acquire()));

      expect(error).toMatchObject({ code: 'ERR_LEASE_LOST', reason: 'deleted' });
      expect([outer.state, outer.signal.reason]).toEqual(['lost', error]);
      expect(await lock.isLocked()).toBe(false);
    });

    test('a re-entry never takes the lock from who has it now', async () => {
      const object = name();
      const lock = kind.create(client(), object);
      const outer = await lock.acquire();
      await kind.usurp(object, 'somebody:1', 5_000);

      const error = await rejection(lock.acquire({ within: outer }));

      expect(error).toBeInstanceOf(LeaseLostError);
      expect(await raw.hget(object, kind.field(outer.holderId))).toBeNull();
      expect(await kind.serverLeaseMs(object)).toBeGreaterThan(0);
      await kind.erase(object);
    });

    test('run refuses a hold that was released, and one that was lost', async () => {
      const lock = kind.create(client(), name());
      const released = await lock.acquire();
      await released.release();
      const lost = await lock.acquire({ leaseMs: 100 });
      await eventually(() => lost.state === 'lost');
      let runs = 0;

      const errors = [
        await rejection(released.run(() => (runs += 1))),
        await rejection(lost.run(() => (runs += 1))),
      ];

      expect(errors[0]).toBeInstanceOf(NotHeldError);
      expect(errors[1]).toBe(lost.signal.reason);
      expect(runs).toBe(0);
    });

    test('extend refuses a hold that was released', async () => {
      const object = name();
      const hold = await kind.create(client(), object).acquire();
      await hold.release();

      const error = await rejection(hold.extend(1_000));

      expect(error).toBeInstanceOf(NotHeldError);
      expect(error).toMatchObject({ resource: object });
    });
  });
}

/** All holds of one holder live on one lease. */
export function sharedLeaseSuite(kind: LockKind): void {
  describe(`shared lease: ${kind.what}`, { concurrent: false }, () => {
    const { client, name } = fixtureOf('shared', kind);

    test('a shorter lease of a re-entry and its release leave the lease as long as it was', async () => {
      const object = name();
      const lock = kind.create(client(), object);
      const outer = await lock.acquire({ leaseMs: 60_000 });
      const seen: number[] = [];

      const inner = await lock.acquire({ within: outer, leaseMs: 500 });
      seen.push(await kind.serverLeaseMs(object), outer.remainingMs, inner.remainingMs);
      await inner.release();
      seen.push(await kind.serverLeaseMs(object), outer.remainingMs);

      expect(Math.min(...seen)).toBeGreaterThan(40_000);
      expect(Math.max(...seen)).toBeLessThanOrEqual(60_000);
      await outer.release();
    });

    test('a longer lease of a re-entry is the lease of all, and outlasts its release', async () => {
      const object = name();
      const lock = kind.create(client(), object);
      const outer = await lock.acquire({ leaseMs: 5_000 });

      const inner = await lock.acquire({ within: outer, leaseMs: 60_000 });
      const during = [outer.remainingMs, inner.remainingMs];
      await inner.release();
      await setImmediate();

      expect(Math.min(...during, await kind.serverLeaseMs(object))).toBeGreaterThan(40_000);
      expect(outer.remainingMs).toBeGreaterThan(40_000);
      await outer.release();
    });
  });
}
