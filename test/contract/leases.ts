import { setImmediate } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import type { ClientEvents } from '../../src/index.js';
import { eventually } from '../support/eventually.js';
import { startProxy } from '../support/proxy.js';
import { redisUrl } from '../support/redis.js';
import type { LeasedFace } from './face.js';
import { fixtureOf, rejection } from './fixture.js';

type LostEvent = Parameters<ClientEvents['lost']>[0];

/** How long a grant lasts. */
export function leaseSuite(face: LeasedFace): void {
  describe(`leases: ${face.name}`, () => {
    const { client, name, raw } = fixtureOf('leases', face);

    test('a holder never believes in its lease for longer than the server does', async () => {
      const [object, proxy] = [name(), await startProxy({ target: redisUrl() })];
      proxy.delay({ downMs: 60 });
      const mine = await face.create(client({ redis: proxy.url }), object);
      const grant = await mine.acquire({ leaseMs: 5_000 });

      const atGrant = [await face.serverLeaseMs(raw, object), grant.remainingMs];
      await grant.extend(9_000);
      const atExtension = [await face.serverLeaseMs(raw, object), grant.remainingMs];

      for (const [serverMs, localMs] of [atGrant, atExtension]) {
        expect(localMs).toBeLessThanOrEqual(serverMs ?? 0);
        expect(localMs).toBeGreaterThan(2_500);
      }
      expect(atExtension[1]).toBeGreaterThan(5_000);
      await grant.release();
    });

    test('a lease shorter than the way to the server is granted and told as lost', async () => {
      const object = await face.create(client(), name());

      const grant = await object.acquire({ leaseMs: 1 });

      await eventually(() => grant.state === 'lost');
      expect(await rejection(grant.release())).toMatchObject({ reason: 'expired' });
    });

    test('a lease that is renewed outlives itself many times and never runs out', async () => {
      const [object, own] = [name(), client({ leaseMs: 900 })];
      const lost: LostEvent[] = [];
      own.on('lost', (event) => lost.push(event));
      const grant = await (await face.create(own, object)).acquire();
      const end = performance.now() + 2_000;
      const seen: number[] = [];

      while (performance.now() < end) {
        seen.push(await face.serverLeaseMs(raw, object));
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
        await face.create(client(), object)
      ).acquire({
        leaseMs: 1_000,
      });

      await grant.extend(60_000);
      await grant.extend(10);

      expect(await face.serverLeaseMs(raw, object)).toBeGreaterThan(40_000);
      expect(grant.remainingMs).toBeGreaterThan(40_000);
      expect(grant.remainingMs).toBeLessThanOrEqual(60_000);
    });

    test('a renewal does not cut an extension', async () => {
      const object = name();
      const own = client({ leaseMs: 600 });
      await using grant = await (await face.create(own, object)).acquire();
      await grant.extend(60_000);
      const end = performance.now() + 700;
      let least = Infinity;

      while (performance.now() < end) {
        least = Math.min(least, await face.serverLeaseMs(raw, object), grant.remainingMs);
        await setImmediate();
      }

      expect(least).toBeGreaterThan(40_000);
    });

    test('using passes the grant to its task, and it is held', async () => {
      const object = await face.create(client(), name());

      const [grant, during] = await object.using((mine) => [mine, mine.isHeld]);

      expect([during, grant.state]).toEqual([true, 'released']);
    });
  });
}

/** What becomes of a lease when its client closes. */
export function closingSuite(face: LeasedFace): void {
  describe(`closing: ${face.name}`, () => {
    const { client, name, raw } = fixtureOf('closing', face);

    test('a client that closes gives back what it holds, and tells no loss', async () => {
      const [object, own] = [name(), client()];
      const lost: LostEvent[] = [];
      own.on('lost', (event) => lost.push(event));
      const grant = await (await face.create(own, object)).acquire();

      const closing = own.close();
      const atOnce = [grant.isHeld, grant.remainingMs, grant.state];
      await closing;

      expect(atOnce).toEqual([false, 0, 'released']);
      expect(await face.isTaken(raw, object)).toBe(false);
      expect([grant.signal.aborted, lost]).toEqual([false, []]);
      await grant.release();
    });
  });
}

/** Who gets in next when a lease ends. */
export function handOverSuite(face: LeasedFace): void {
  describe(`end of a lease: ${face.name}`, () => {
    const { client, name } = fixtureOf('hand-over', face);

    test('a waiter gets in when the lease of a holder that went quiet ends', async () => {
      const object = name();
      const mine = await face.create(client(), object);
      const theirs = await face.create(client(), object);
      const grant = await mine.acquire({ leaseMs: 300 });

      await using next = await theirs.acquire({ waitMs: 10_000 });

      expect([grant.isHeld, next.isHeld]).toEqual([false, true]);
    });
  });
}
