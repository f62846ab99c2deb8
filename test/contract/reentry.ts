import { EventEmitter } from 'node:events';
import { setImmediate } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import type { Hold } from '../../src/index.js';
import { eventually } from '../support/eventually.js';
import { fixtureOf, gate, rejection } from './fixture.js';
import type { ExclusiveLock } from '../support/kinds/kind.js';

/** Who re-enters a lock, and who is kept out. */
export function reentrySuite(kind: ExclusiveLock): void {
  describe(`re-entry: ${kind.what}`, { concurrent: false }, () => {
    const { client, name } = fixtureOf('reentry', kind);

    test('nested using re-enters at once, one deeper each time, as one holder', async () => {
      const object = name();
      const lock = kind.create(client(), object);
      const other = kind.create(client(), object);
      const holds: Hold[] = [];

      await lock.using(async (outer) => {
        await lock.using(async (middle) => {
          await lock.using((inner) => holds.push(outer, middle, inner));
          expect(await other.tryAcquire()).toBeNull();
        });
        expect(await other.tryAcquire()).toBeNull();
      });

      expect(holds.map(({ depth }) => depth)).toEqual([1, 2, 3]);
      expect(new Set(holds.map(({ holderId }) => holderId)).size).toBe(1);
      expect(holds.map(({ state }) => state)).toEqual(['released', 'released', 'released']);
      await using free = await other.tryAcquire();
      expect(free).not.toBeNull();
    });

    test('re-entry works in run(), with tryAcquire, and however deep in the call tree', async () => {
      const lock = kind.create(client(), name());
      const deep = async (): Promise<number | undefined> => {
        await setImmediate();
        await using hold = await lock.tryAcquire();
        return hold?.depth;
      };
      const hold = await lock.acquire();

      const depth = await hold.run(async () => await deep());

      expect(depth).toBe(2);
      await hold.release();
    });

    test('run answers what its task answers, and its error', async () => {
      const hold = await kind.create(client(), name()).acquire();
      const error = new Error('own');

      const result = await hold.run(() => 42);
      const rejected = await rejection(hold.run(async () => await Promise.reject(error)));

      expect([result, rejected]).toEqual([42, error]);
      expect(hold.isHeld).toBe(true);
      await hold.release();
    });

    test('two tasks without a scope exclude each other', async () => {
      const lock = kind.create(client(), name());
      const first = await lock.acquire();

      const during = await lock.tryAcquire();
      const waiting = lock.acquire();
      await first.release();
      const second = await waiting;

      expect(during).toBeNull();
      expect([first.isHeld, second.isHeld, second.depth]).toEqual([false, true, 1]);
      // Holds that follow one another in a run have one holder id.
      if (kind.isHandedOn !== true) {
        expect(second.holderId).not.toBe(first.holderId);
      }
      await second.release();
    });

    test('where the context is lost, a named hold re-enters', async () => {
      const lock = kind.create(client(), name());
      const emitter = new EventEmitter();
      const outer = await lock.acquire();
      const answers: (Hold | null)[] = [];
      const done = gate();
      const listener = async (): Promise<void> => {
        answers.push(await lock.tryAcquire());
        answers.push(await lock.tryAcquire({ within: outer }));
        done.open();
      };
      emitter.on('work', () => void listener());

      emitter.emit('work');
      await done.opened;

      expect(answers[0]).toBeNull();
      expect([answers[1]?.depth, answers[1]?.holderId]).toEqual([2, outer.holderId]);
      await answers[1]?.release();
      await outer.release();
    });

    test('holds may be released in any order; the lock is free with the last', async () => {
      const object = name();
      const lock = kind.create(client(), object);
      const other = kind.create(client(), object);
      const outer = await lock.acquire();
      const middle = await lock.acquire({ within: outer });
      const inner = await lock.acquire({ within: middle });
      const seen: unknown[] = [];

      for (const hold of [outer, inner, middle]) {
        seen.push((await other.holders())[0]?.depth, await other.tryAcquire());
        await hold.release();
      }

      const depths = kind.isHeldOnce === true ? [1, 1, 1] : [3, 2, 1];
      expect(seen).toEqual(depths.flatMap((depth) => [depth, null]));
      await using free = await other.tryAcquire();
      expect(free).not.toBeNull();
    });

    test('an inner hold stays held, renewed and usable after its outer one', async () => {
      const object = name();
      const lock = kind.create(client({ leaseMs: 600 }), object);
      const outer = await lock.acquire({ leaseMs: 600 });
      const inner = await lock.acquire({ within: outer });
      await outer.release();

      const expected = performance.now() + 1_500;
      await eventually(() => performance.now() > expected);

      expect([outer.state, inner.state, inner.isHeld]).toEqual(['released', 'held', true]);
      expect(await inner.run(async () => await lock.holdCount())).toBe(1);
      await inner.release();
    });
  });
}
