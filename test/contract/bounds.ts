import { setImmediate } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { eventually } from '../support/eventually.js';
import type { LeasedKind, LockKind } from '../support/kinds/kind.js';
import { fixtureOf, rejection } from './fixture.js';

/** How long a grant with a `maxHoldMs` lasts. */
export function boundSuite(kind: LeasedKind): void {
  describe(`bounds: ${kind.what}`, { concurrent: false }, () => {
    const { client, name } = fixtureOf('bounds', kind);

    test('one that its task keeps is renewed until its bound, and lost then', async () => {
      const object = name();
      const mine = await kind.create(client({ leaseMs: 900 }), object);
      // It is connected then.
      await mine.using(() => {});
      const asked = performance.now();
      const grant = await mine.acquire({ maxHoldMs: 1_800 });
      const heldMs: number[] = [];
      const serverEndMs: number[] = [];

      for (;;) {
        const atMs = performance.now() - asked;
        if (grant.state === 'lost') {
          break;
        }
        heldMs.push(atMs);
        serverEndMs.push((await kind.serverLeaseMs(object)) + atMs);
        await setImmediate();
      }
      await using next = await kind.rival(client(), object).acquire({ waitMs: 10_000 });
      const freeMs = performance.now() - asked;

      expect(grant.signal.reason).toMatchObject({ code: 'ERR_LEASE_LOST', reason: 'expired' });
      expect(next).toBeDefined();
      expect(Math.max(...heldMs)).toBeGreaterThan(1_500);
      expect(Math.max(...heldMs)).toBeLessThanOrEqual(1_900);
      expect(Math.max(...serverEndMs)).toBeLessThan(2_200);
      expect(freeMs).toBeLessThan(4_000);
    });

    test('its first lease is cut to its bound', async () => {
      const object = name();
      const mine = await kind.create(client({ leaseMs: 2_000 }), object);

      await using grant = await mine.acquire({ maxHoldMs: 700 });

      expect(await kind.serverLeaseMs(object)).toBeLessThanOrEqual(700);
      expect(grant.remainingMs).toBeLessThanOrEqual(700);
      expect(grant.remainingMs).toBeGreaterThan(0);
    });

    test('it is released in time like any other', async () => {
      const object = name();
      const mine = await kind.create(client(), object);

      const held = await mine.using({ maxHoldMs: 60_000 }, ({ isHeld }) => isHeld);

      expect(held).toBe(true);
      expect(await kind.isTaken(object)).toBe(false);
    });

    test.each([
      ['renewed', undefined],
      ['fixed', 300],
    ])('a %s one is extended within its bound only', async (_, leaseMs) => {
      const mine = await kind.create(client(), name());
      const options = leaseMs === undefined ? {} : { leaseMs };
      await using grant = await mine.acquire({ ...options, maxHoldMs: 2_500 });

      await grant.extend(1_500);
      const error = await rejection(grant.extend(2_501));

      expect(error).toBeInstanceOf(RangeError);
      expect(String(error)).toMatch(/leaseMs must be an integer from 1 to \d+, what is left/u);
      expect(grant.remainingMs).toBeGreaterThan(500);
    });

    test.each([
      [{ maxHoldMs: 0 }, RangeError],
      [{ maxHoldMs: 2_147_483_648 }, RangeError],
      [{ maxHoldMs: 1.5 }, TypeError],
      [{ maxHoldMs: '5' as unknown as number }, TypeError],
      [{ maxHoldMs: 1_000, leaseMs: 1_000 }, RangeError],
    ])('%o is refused', async (options, type) => {
      const mine = await kind.create(client(), name());

      const errors = await Promise.all([
        rejection(mine.acquire(options)),
        rejection(mine.tryAcquire(options)),
        rejection(mine.using(options, () => {})),
      ]);

      for (const error of errors) {
        expect(error).toBeInstanceOf(type);
        expect(String(error)).toContain('maxHoldMs must be');
      }
    });
  });
}

/** A bound and re-entries. */
export function boundReentrySuite(kind: LockKind): void {
  describe(`bounds of re-entries: ${kind.what}`, { concurrent: false }, () => {
    const { client, name } = fixtureOf('re-entry-bounds', kind);

    test('the bound of a re-entry ends the whole holder, whose lease is released', async () => {
      const object = name();
      const mine = kind.create(client({ leaseMs: 3_000 }), object);
      const outer = await mine.acquire();
      const inner = await mine.acquire({ within: outer, maxHoldMs: 400 });
      const from = performance.now();

      await eventually(() => inner.state === 'lost' && outer.state === 'lost');
      await using next = await kind.rival(client(), object).acquire({ waitMs: 10_000 });

      expect([inner.signal.reason, outer.signal.reason]).toMatchObject([
        { reason: 'expired' },
        { reason: 'expired' },
      ]);
      expect(next).toBeDefined();
      // Its own lease would have lasted for longer.
      expect(performance.now() - from).toBeLessThan(2_500);
    });

    test('a re-entry without a bound has that of its outer hold', async () => {
      const object = name();
      const mine = kind.create(client({ leaseMs: 3_000 }), object);
      const outer = await mine.acquire({ maxHoldMs: 600 });
      const inner = await mine.acquire({ within: outer });
      const leaseMs = await kind.serverLeaseMs(object);
      const from = performance.now();

      await eventually(() => inner.state === 'lost' && outer.state === 'lost');

      expect(leaseMs).toBeLessThanOrEqual(600);
      expect(performance.now() - from).toBeLessThan(2_000);
      await eventually(async () => !(await kind.isTaken(object)));
    });

    test('one that was released in time leaves no bound', async () => {
      const object = name();
      const mine = kind.create(client({ leaseMs: 900 }), object);
      await using outer = await mine.acquire();
      const from = performance.now();
      const inner = await mine.acquire({ within: outer, maxHoldMs: 1_200 });
      // Its renewals are cut to that by now.
      await eventually(() => performance.now() - from > 650);
      await inner.release();

      await eventually(() => performance.now() - from > 2_300);

      expect([outer.state, outer.isHeld]).toEqual(['held', true]);
      expect(await kind.serverLeaseMs(object)).toBeGreaterThan(0);
    });
  });
}
