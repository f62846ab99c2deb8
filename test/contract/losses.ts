import { describe, expect, test } from 'vitest';
import { LeaseLostError, type ClientEvents } from '../../src/index.js';
import { eventually } from '../support/eventually.js';
import { fixtureOf, rejection } from './fixture.js';
import type { LeasedKind } from '../support/kinds/kind.js';

type LostEvent = Parameters<ClientEvents['lost']>[0];

/** A loss is told to its holder, once, and to nobody else. */
export function lossSuite(kind: LeasedKind): void {
  describe(`loss: ${kind.what}`, { concurrent: false }, () => {
    const { client, name } = fixtureOf('loss', kind);

    test('a fixed lease ends by itself, and its holder is told everywhere', async () => {
      const [object, own] = [name(), client()];
      const lost: LostEvent[] = [];
      own.on('lost', (event) => lost.push(event));
      const grant = await (await kind.create(own, object)).acquire({ leaseMs: 300 });
      const aborts: unknown[] = [];
      grant.signal.addEventListener('abort', () => aborts.push(grant.signal.reason));
      const before = [grant.state, grant.isHeld, grant.signal.aborted];

      await eventually(() => aborts.length > 0);

      const { error } = lost[0] as LostEvent;
      expect(before).toEqual(['held', true, false]);
      expect(error).toBeInstanceOf(LeaseLostError);
      expect(error).toMatchObject({
        code: 'ERR_LEASE_LOST',
        reason: 'expired',
        resource: object,
      });
      expect([grant.state, grant.isHeld, grant.remainingMs]).toEqual(['lost', false, 0]);
      expect([aborts, grant.signal.aborted, grant.signal.reason]).toEqual([[error], true, error]);
      expect(() => grant.assertHeld()).toThrow(error);
      expect(() => grant.signal.throwIfAborted()).toThrow(error);
      expect(await rejection(grant.extend(1_000))).toBe(error);
      expect(await rejection(grant.release())).toBe(error);
      await grant[Symbol.asyncDispose]();
      expect(lost).toHaveLength(1);
    });

    test.each([
      ['renewed', undefined],
      ['fixed', 60_000],
    ])('a %s grant that vanishes from the server is told as deleted', async (_, leaseMs) => {
      const [object, own] = [name(), client({ leaseMs: 900 })];
      const lost: LostEvent[] = [];
      own.on('lost', (event) => lost.push(event));
      const options = leaseMs === undefined ? {} : { leaseMs };
      const grant = await (await kind.create(own, object)).acquire(options);

      await kind.erase(object);
      await eventually(() => grant.signal.aborted);

      expect(grant.signal.reason).toMatchObject({ reason: 'deleted' });
      expect(await rejection(grant.release())).toBe(grant.signal.reason);
      expect(lost.map(({ resource, error }) => [resource, error])).toEqual([
        [object, grant.signal.reason],
      ]);
    });

    test.each([
      ['renewed', undefined],
      ['fixed', 60_000],
    ])('a %s grant that somebody else has now is told', async (_, leaseMs) => {
      const [object, own] = [name(), client({ leaseMs: 900 })];
      const options = leaseMs === undefined ? {} : { leaseMs };
      const grant = await (await kind.create(own, object)).acquire(options);

      await kind.usurp(object, 'somebody:1', 5_000);
      await eventually(() => !grant.isHeld);

      expect(grant.signal.reason).toMatchObject({ reason: kind.usurped });
      expect(await rejection(grant.release())).toBe(grant.signal.reason);
      expect(await kind.serverLeaseMs(object)).toBeGreaterThan(0);
      await kind.erase(object);
    });

    test('releasing what vanished unnoticed rejects and tells the loss once', async () => {
      const [object, own] = [name(), client()];
      const lost: LostEvent[] = [];
      own.on('lost', (event) => lost.push(event));
      const grant = await (await kind.create(own, object)).acquire();
      await kind.erase(object);

      const first = await rejection(grant.release());
      const second = await rejection(grant.release());

      expect(first).toBeInstanceOf(LeaseLostError);
      expect(first).toMatchObject({ reason: 'deleted', resource: object });
      expect(second).toBe(first);
      expect([grant.state, grant.signal.reason]).toEqual(['lost', first]);
      expect(lost.map(({ error }) => error)).toEqual([first]);
    });

    test('releasing what somebody else has now rejects, and leaves it to them', async () => {
      const object = name();
      const grant = await (await kind.create(client(), object)).acquire();
      await kind.usurp(object, 'somebody:1', 5_000);

      const error = await rejection(grant.release());

      expect(error).toMatchObject({ code: 'ERR_LEASE_LOST', reason: kind.usurped });
      expect(await kind.serverLeaseMs(object)).toBeGreaterThan(0);
      await kind.erase(object);
    });

    test('extending what vanished unnoticed rejects and tells the loss', async () => {
      const object = name();
      const grant = await (await kind.create(client(), object)).acquire();
      await kind.erase(object);

      const error = await rejection(grant.extend(1_000));

      expect(error).toMatchObject({ code: 'ERR_LEASE_LOST', reason: 'deleted' });
      expect([grant.state, grant.isHeld]).toEqual(['lost', false]);
    });

    test('a loss is not told to who released in time', async () => {
      const [object, own] = [name(), client()];
      const lost: LostEvent[] = [];
      own.on('lost', (event) => lost.push(event));
      const mine = await kind.create(own, object);
      const grant = await mine.acquire({ leaseMs: 200 });
      const { signal } = grant;

      await grant.release();
      // A lease of the same length that starts later ends later.
      const later = await mine.acquire({ leaseMs: 200 });
      await eventually(() => later.state === 'lost');

      expect([grant.state, grant.isHeld, grant.remainingMs]).toEqual(['released', false, 0]);
      expect(signal.aborted).toBe(false);
      expect(lost).toHaveLength(1);
      expect(() => grant.assertHeld()).toThrow('was released');
    });

    test('a task that succeeded under a lost lease is rejected', async () => {
      const object = name();
      const mine = await kind.create(client(), object);

      const error = await rejection(
        mine.using(async (grant) => {
          await kind.erase(object);
          return grant;
        }),
      );

      expect(error).toMatchObject({ code: 'ERR_LEASE_LOST', reason: 'deleted' });
    });

    test('the own error of a task wins over the loss of its lease', async () => {
      const mine = await kind.create(client(), name());
      const own = new Error('the task failed');

      const error = await rejection(
        mine.using(
          async (grant) => {
            await eventually(() => grant.signal.aborted);
            throw own;
          },
          { leaseMs: 100 },
        ),
      );

      expect(error).toBe(own);
    });

    test('a signal derived from the grant learns of the loss', async () => {
      const grant = await (await kind.create(client(), name())).acquire({ leaseMs: 150 });
      const derived = AbortSignal.any([grant.signal, new AbortController().signal]);

      await eventually(() => derived.aborted);

      expect(derived.reason).toBe(grant.signal.reason);
    });

    test('the loss is known on the first line after a loop was blocked', async () => {
      const grant = await (await kind.create(client(), name())).acquire({ leaseMs: 100 });
      const { signal } = grant;

      const end = performance.now() + 110;
      while (performance.now() < end) {
        // Nothing else runs, no timer either.
      }

      expect([grant.isHeld, signal.aborted, grant.state]).toEqual([false, true, 'lost']);
    });
  });
}
