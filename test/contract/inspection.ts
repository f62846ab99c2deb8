import { describe, expect, test } from 'vitest';
import { LeaseLostError, type ClientEvents } from '../../src/index.js';
import { eventually } from '../support/eventually.js';
import { fixtureOf, rejection } from './fixture.js';
import { FOREIGNER, type ExclusiveLock, type LockKind } from '../support/kinds/kind.js';

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

/** What a lock tells about itself, its holders and its holds. */
export function inspectionSuite(kind: LockKind): void {
  describe(`inspection: ${kind.what}`, () => {
    const { client, name, raw } = fixtureOf('inspection', kind);

    test('a free lock has no holders, no lease and no hold count', async () => {
      const lock = kind.create(client(), name());

      const seen = await Promise.all([
        lock.isLocked(),
        lock.holders(),
        lock.remainingLeaseMs(),
        lock.holdCount(),
      ]);

      expect(seen).toEqual([false, [], null, 0]);
    });

    test('every client sees who holds a lock, how often and for how long', async () => {
      const object = name();
      const lock = kind.create(client(), object);
      const other = kind.create(client(), object);

      await lock.using(
        async (outer) =>
          await lock.using(async () => {
            const [holders, remainingMs, locked] = await Promise.all([
              other.holders(),
              other.remainingLeaseMs(),
              other.isLocked(),
            ]);
            expect(holders).toMatchObject([{ holderId: outer.holderId, depth: 2 }]);
            expect(holders[0]?.remainingMs).toBeGreaterThan(40_000);
            expect(holders[0]?.remainingMs).toBeLessThanOrEqual(60_000);
            expect(remainingMs).toBeGreaterThan(40_000);
            expect(remainingMs).toBeLessThanOrEqual(60_000);
            expect(locked).toBe(true);
          }),
        { leaseMs: 60_000 },
      );
    });

    test('the hold count is the one of the current scope', async () => {
      const object = name();
      const own = client();
      const lock = kind.create(own, object);
      const counts: number[] = [];

      await lock.using(async () => {
        counts.push(await lock.holdCount());
        await lock.using(async () => {
          counts.push(await kind.create(own, object).holdCount());
        });
        counts.push(await lock.holdCount());
        counts.push(await kind.create(client(), object).holdCount());
      });
      const hold = await lock.acquire();
      counts.push(await lock.holdCount());
      counts.push(await hold.run(async () => await lock.holdCount()));
      await hold.release();

      expect(counts).toEqual([1, 2, 1, 0, 0, 1]);
    });

    test('a hold says what it holds, as whom, and each outermost one as somebody new', async () => {
      const [object, own] = [name(), client()];
      const lock = kind.create(own, object);

      const first = await lock.acquire();
      await first.release();
      const second = await lock.acquire();
      await second.release();

      expect([first.lockName, first.depth, first.state]).toEqual([object, 1, 'released']);
      expect([own.id, client().id].every((id) => UUID.test(id))).toBe(true);
      expect(first.holderId).toMatch(new RegExp(`^${own.id}:\\d+$`));
      expect(second.holderId).toMatch(new RegExp(`^${own.id}:\\d+$`));
      expect(second.holderId).not.toBe(first.holderId);
    });

    test('two faces of one name are one lock', async () => {
      const [object, own] = [name(), client()];
      const [one, same] = [kind.create(own, object), kind.create(own, object)];

      await one.using(async (outer) => {
        await same.using((inner) => {
          expect([inner.holderId, inner.depth]).toEqual([outer.holderId, 2]);
        });
      });

      expect(one.name).toBe(object);
    });

    test('a key prefix names another lock, and is part of every key', async () => {
      const object = name();
      const prefixed = kind.create(client({ keyPrefix: `${object}:in:` }), 'it');
      const plain = kind.create(client(), `${object}:in:it`);

      await using hold = await prefixed.acquire();

      expect(hold.lockName).toBe('it');
      expect(await raw.exists(`${object}:in:it`)).toBe(1);
      expect(await plain.holders()).toMatchObject([{ holderId: hold.holderId }]);
    });

    test('acquired and released are told with what they took', async () => {
      const [object, own] = [name(), client()];
      const told: unknown[] = [];
      const listener = (event: Parameters<ClientEvents['released']>[0]): void => {
        told.push(event);
      };
      own.on('acquired', (event) => told.push(event));
      own.on('released', listener);
      own.once('released', () => told.push('once'));
      const lock = kind.create(own, object);

      const hold = await lock.acquire();
      await hold.release();
      own.off('released', listener);
      await (await lock.acquire()).release();

      const who = { resource: object, kind: kind.id, holderId: hold.holderId };
      expect(told).toMatchObject([
        { ...who, waitedMs: expect.any(Number) as number },
        { ...who, heldMs: expect.any(Number) as number },
        'once',
        { resource: object, kind: kind.id },
      ]);
    });

    test('forcing an own lock free tells its holds at once, each of them once', async () => {
      const object = name();
      const own = client();
      const lost: unknown[] = [];
      own.on('lost', (event) => lost.push(event));
      const lock = kind.create(own, object);
      const outer = await lock.acquire({ leaseMs: 60_000 });
      const inner = await lock.acquire({ within: outer });

      const forced = await kind.create(own, object).forceRelease();

      expect(forced).toBe(true);
      expect([outer.state, inner.state, outer.isHeld, inner.isHeld]).toEqual([
        'lost',
        'lost',
        false,
        false,
      ]);
      expect(inner.signal.reason).toMatchObject({ reason: 'deleted' });
      expect(lost).toHaveLength(2);
    });

    test('forcing a free lock answers false and disturbs nobody', async () => {
      const lock = kind.create(client(), name());

      const forced = await lock.forceRelease();

      expect(forced).toBe(false);
      await using hold = await lock.tryAcquire();
      expect(hold).not.toBeNull();
    });
  });
}

/** Freeing a lock by force lets others in. */
export function forceSuite(kind: ExclusiveLock): void {
  describe(`force: ${kind.what}`, () => {
    const { client, name } = fixtureOf('force', kind);

    test('forcing a lock free tells its holder and lets the next one in', async () => {
      const object = name();
      const own = client({ leaseMs: 900 });
      const lost: unknown[] = [];
      own.on('lost', (event) => lost.push(event));
      const lock = kind.create(own, object);
      const other = kind.create(client(), object);
      const hold = await lock.acquire();
      const waiting = lock.acquire();

      const forced = await other.forceRelease();
      const next = await waiting;
      await eventually(() => hold.signal.aborted);

      const { holderId } = hold;
      const error = hold.signal.reason as LeaseLostError;
      expect(forced).toBe(true);
      expect(error).toBeInstanceOf(LeaseLostError);
      expect(['deleted', 'taken']).toContain(error.reason);
      expect(lost).toEqual([{ resource: object, kind: kind.id, holderId, error }]);
      expect(await rejection(hold.release())).toBe(error);
      expect(next.isHeld).toBe(true);
      await next.release();
    });

    test('a lock of somebody else can be forced free too', async () => {
      const object = name();
      const lock = kind.create(client(), object);
      await kind.usurp(object, FOREIGNER, 60_000);

      const forced = await lock.forceRelease();

      expect(forced).toBe(true);
      expect(await lock.isLocked()).toBe(false);
    });
  });
}
