import { setImmediate } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import type { ClientEvents } from '../../src/index.js';
import { eventually } from '../support/eventually.js';
import { startProxy } from '../support/proxy.js';
import { redisUrl } from '../support/redis.js';
import { fixtureOf, rejection } from './fixture.js';
import type { LeasedKind } from '../support/kinds/kind.js';

type LostEvent = Parameters<ClientEvents['lost']>[0];

/** How long a grant lasts. */
export function leaseSuite(kind: LeasedKind): void {
  describe(`leases: ${kind.what}`, { concurrent: false }, () => {
    const { client, name } = fixtureOf('leases', kind);

    test('a holder never believes in its lease for longer than the server does', async () => {
      const [object, proxy] = [name(), await startProxy({ target: redisUrl() })];
      proxy.delay({ downMs: 60 });
      const mine = await kind.create(client({ redis: proxy.url }), object);
      const grant = await mine.acquire({ leaseMs: 5_000 });

      const atGrant = [await kind.serverLeaseMs(object), grant.remainingMs];
      await grant.extend(9_000);
      const atExtension = [await kind.serverLeaseMs(object), grant.remainingMs];

      for (const [serverMs, localMs] of [atGrant, atExtension]) {
        expect(localMs).toBeLessThanOrEqual(serverMs ?? 0);
        expect(localMs).toBeGreaterThan(2_500);
      }
      expect(atExtension[1]).toBeGreaterThan(5_000);
      await grant.release();
    });

    test('a lease shorter than the way to the server is granted and told as lost', async () => {
      const object = await kind.create(client(), name());

      const grant = await object.acquire({ leaseMs: 1 });

      await eventually(() => grant.state === 'lost');
      expect(await rejection(grant.release())).toMatchObject({ reason: 'expired' });
    });

    test('a lease that is renewed outlives itself many times and never runs out', async () => {
      const [object, own] = [name(), client({ leaseMs: 900 })];
      const lost: LostEvent[] = [];
      own.on('lost', (event) => lost.push(event));
      const grant = await (await kind.create(own, object)).acquire();
      const end = performance.now() + 2_000;
      const seen: number[] = [];

      while (performance.now() < end) {
        seen.push(await kind.serverLeaseMs(object));
        await setImmediate();
      }

      expect(Math.min(...seen)).toBeGreaterThan(0);
      expect(Math.max(...seen)).toBeLessThanOrEqual(900);
      expect([grant.isHeld, grant.signal.aborted, lost]).toEqual([true, false, []]);
      await grant.release();
    });

    test('extending prolongs a fixed lease, and a shorter extension does not cut it', async () => {
      const object = name();
      await using grant = await (
        await kind.create(client(), object)
      ).acquire({
        leaseMs: 1_000,
      });

      await grant.extend(60_000);
      await grant.extend(10);

      expect(await kind.serverLeaseMs(object)).toBeGreaterThan(40_000);
      expect(grant.remainingMs).toBeGreaterThan(40_000);
      expect(grant.remainingMs).toBeLessThanOrEqual(60_000);
    });

    test('a renewal does not cut an extension', async () => {
      const object = name();
      const own = client({ leaseMs: 600 });
      await using grant = await (await kind.create(own, object)).acquire();
      await grant.extend(60_000);
      const end = performance.now() + 700;
      let least = Infinity;

      while (performance.now() < end) {
        least = Math.min(least, await kind.serverLeaseMs(object), grant.remainingMs);
        await setImmediate();
      }

      expect(least).toBeGreaterThan(40_000);
    });

    test('using passes the grant to its task, and it is held', async () => {
      const object = await kind.create(client(), name());

      const [grant, during] = await object.using((mine) => [mine, mine.isHeld]);

      expect([during, grant.state]).toEqual([true, 'released']);
    });
  });
}

/** What becomes of a lease when its client closes. */
export function closingSuite(kind: LeasedKind): void {
  describe(`closing: ${kind.what}`, { concurrent: false }, () => {
    const { client, name } = fixtureOf('closing', kind);

    test('a client that closes gives back what it holds, and tells no loss', async () => {
      const [object, own] = [name(), client()];
      const lost: LostEvent[] = [];
      own.on('lost', (event) => lost.push(event));
      const grant = await (await kind.create(own, object)).acquire();

      const closing = own.close();
      const atOnce = [grant.isHeld, grant.remainingMs, grant.state];
      await closing;

      expect(atOnce).toEqual([false, 0, 'released']);
      expect(await kind.isTaken(object)).toBe(false);
      expect([grant.signal.aborted, lost]).toEqual([false, []]);
      await grant.release();
    });
  });
}

/** Who gets in next when a lease ends. */
export function handOverSuite(kind: LeasedKind): void {
  describe(`end of a lease: ${kind.what}`, { concurrent: false }, () => {
    const { client, name } = fixtureOf('hand-over', kind);

    test('a waiter gets in when the lease of a holder that went quiet ends', async () => {
      const object = name();
      const mine = await kind.create(client(), object);
      const theirs = await kind.create(client(), object);
      const grant = await mine.acquire({ leaseMs: 300 });

      await using next = await theirs.acquire({ waitMs: 10_000 });

      expect([grant.isHeld, next.isHeld]).toEqual([false, true]);
    });
  });
}
