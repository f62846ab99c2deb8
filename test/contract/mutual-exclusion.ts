import { setImmediate } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { AcquireTimeoutError } from '../../src/index.js';
import { fixtureOf, rejection } from './fixture.js';
import { promised } from '../support/broken-promise.js';
import type { Kind } from '../support/kinds/kind.js';

/** One holder at a time, and what callers are told meanwhile. */
export function mutualExclusionSuite(kind: Kind): void {
  describe(`mutual exclusion: ${kind.what}`, () => {
    const { client, name, raw } = fixtureOf('exclusion', kind);

    test('another client gets nothing until the holder releases', async () => {
      const object = name();
      const mine = await kind.create(client(), object);
      const theirs = await kind.create(client(), object);

      const grant = await mine.acquire();
      const during = await theirs.tryAcquire();
      await grant.release();
      const after = await theirs.tryAcquire();

      promised('one holder at a time', () => {
        expect(during).toBeNull();
      });
      expect(after).not.toBeNull();
      await after?.release();
    });

    test('two tasks of one client exclude each other', async () => {
      const object = await kind.create(client(), name());

      const first = await object.acquire();
      const second = await object.tryAcquire();
      await first.release();

      promised('one holder at a time', () => {
        expect(second).toBeNull();
      });
    });

    test('of 50 tasks in two clients never two are inside together', async () => {
      const object = name();
      const faces = [await kind.create(client(), object), await kind.create(client(), object)];
      let [inside, most, counter] = [0, 0, 0];
      const task = async (): Promise<void> => {
        inside += 1;
        most = Math.max(most, inside);
        const read = counter;
        await setImmediate();
        await raw.ping();
        counter = read + 1;
        inside -= 1;
      };

      await Promise.all(
        Array.from({ length: 50 }, async (_, i) => {
          await faces[i % 2]?.using(task);
        }),
      );

      promised('never two are in', () => {
        expect(most).toBe(1);
      });
      expect(counter).toBe(50);
    });

    test('tasks of one client get in in the order in which they asked', async () => {
      const object = await kind.create(client(), name());
      const order: number[] = [];
      const first = await object.acquire();

      const others = Array.from({ length: 10 }, async (_, i) => {
        await object.using(() => order.push(i));
      });
      await first.release();
      await Promise.all(others);

      expect(order).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
    });

    test('waitMs 0 is contention at once', async () => {
      const object = name();
      const mine = await kind.create(client(), object);
      const theirs = await kind.create(client(), object);
      const grant = await mine.acquire();

      const tried = await theirs.tryAcquire({ waitMs: 0 });
      const acquired = await rejection(theirs.acquire({ waitMs: 0 }));

      expect(tried).toBeNull();
      expect(acquired).toBeInstanceOf(AcquireTimeoutError);
      expect(acquired).toMatchObject({ code: 'ERR_ACQUIRE_TIMEOUT', resource: object });
      await grant.release();
    });

    test('waitMs is waited for, then null or AcquireTimeoutError', async () => {
      const object = name();
      const mine = await kind.create(client(), object);
      const theirs = await kind.create(client(), object);
      const grant = await mine.acquire();
      const startedAt = performance.now();

      const [tried, acquired, waited] = await Promise.all([
        theirs.tryAcquire({ waitMs: 300 }),
        rejection(theirs.acquire({ waitMs: 300 })),
        rejection(theirs.using(() => 'never', { waitMs: 300 })),
      ]);
      const tookMs = performance.now() - startedAt;

      expect(tried).toBeNull();
      expect(acquired).toBeInstanceOf(AcquireTimeoutError);
      expect(waited).toBeInstanceOf(AcquireTimeoutError);
      expect(tookMs).toBeGreaterThan(290);
      expect(tookMs).toBeLessThan(2_000);
      await grant.release();
    });

    test('a wait ends with the release, in the same client and in another', async () => {
      const object = name();
      const own = client();
      const mine = await kind.create(own, object);
      const theirs = await kind.create(client(), object);
      const grant = await mine.acquire();

      const waits = [mine, theirs].map(async (each) => {
        await using got = await each.acquire({ waitMs: 20_000 });
        return got;
      });
      await grant.release();

      await expect(Promise.all(waits)).resolves.toHaveLength(2);
    });

    test('a second release does nothing, also not to the next holder', async () => {
      const object = await kind.create(client(), name());
      const first = await object.acquire();
      await Promise.all([first.release(), first.release()]);
      const second = await object.acquire();

      await first.release();
      const third = await object.tryAcquire();

      promised('one holder at a time', () => {
        expect(third).toBeNull();
      });
      await second.release();
    });

    test('await using releases at the end of its block', async () => {
      const object = await kind.create(client(), name());

      {
        await using grant = await object.acquire();
        expect(grant).toBeDefined();
      }

      await using again = await object.tryAcquire();
      expect(again).not.toBeNull();
    });

    test('using returns what its task returns, and releases', async () => {
      const object = await kind.create(client(), name());

      const results = [
        await object.using(() => 'at once'),
        await object.using(async () => await Promise.resolve('later')),
      ];

      expect(results).toEqual(['at once', 'later']);
      await using again = await object.tryAcquire();
      expect(again).not.toBeNull();
    });

    test('using releases and rejects with the very error of its task', async () => {
      const object = await kind.create(client(), name());
      const [thrown, rejected] = [new Error('thrown'), new Error('rejected')];

      const first = await rejection(
        object.using(() => {
          throw thrown;
        }),
      );
      const second = await rejection(object.using(async () => await Promise.reject(rejected)));

      expect(first).toBe(thrown);
      expect(second).toBe(rejected);
      await using again = await object.tryAcquire();
      expect(again).not.toBeNull();
    });
  });
}
