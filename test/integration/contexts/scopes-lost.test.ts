// A hold that was lost is over for scopes as soon as its owner knows of the loss.

import { AsyncResource } from 'node:async_hooks';
import { describe, expect, test } from 'vitest';
import { LeaseLostError, type Hold } from '../../../src/index.js';
import { fixture, rejection } from '../../contract/fixture.js';
import { kept } from '../../support/garbage.js';
import { allLasting, lockKinds } from '../../support/kinds/kinds.js';

const { client, name, raw } = fixture('lost', allLasting);

/** How an owner learns of the loss of its hold. */
const reports: [string, (hold: Hold) => Promise<void>][] = [
  ['release()', async (hold) => await hold.release()],
  ['dispose', async (hold) => await hold[Symbol.asyncDispose]()],
];

describe.each(lockKinds)('$what', (kind) => {
  describe.each([
    ['known to the client', true],
    ['found by the release', false],
  ])('after a loss that was %s', (_, isKnown) => {
    test.each(reports)('and reported by %s, the scope acquires afresh', async (_how, report) => {
      const object = name();
      const lock = kind.create(client(), object);
      const outer = await lock.acquire();

      const depths = await outer.run(async () => {
        if (isKnown) {
          await lock.forceRelease();
          expect(await rejection(lock.acquire())).toBe(outer.signal.reason);
        } else {
          await kind.erase(object);
        }
        await report(outer).catch(() => undefined);
        expect(outer.state).toBe('lost');
        expect(await lock.holdCount()).toBe(0);
        return [
          await lock.using(({ depth }) => depth),
          await lock.using(async () => await lock.using(({ depth }) => depth)),
        ];
      });

      expect(depths).toEqual([1, 2]);
    });
  });

  test('a job that plans its next run inside its scope goes on after each loss', async () => {
    const object = name();
    const lock = kind.create(client(), object);
    let planned = new AsyncResource('start');
    const depths: number[] = [];

    const job = async (): Promise<unknown> =>
      await rejection(
        lock.using(async ({ depth }) => {
          planned = new AsyncResource('planned');
          depths.push(depth);
          await kind.erase(object);
        }),
      );
    for (let i = 0; i < 3; i += 1) {
      expect(await planned.runInAsyncScope(job)).toBeInstanceOf(LeaseLostError);
    }

    expect(depths).toEqual([1, 1, 1]);
  });
});

test('of 10,000 holds, each lost in the scopes of those before, none is kept', async () => {
  const mine = client();
  const names = Array.from({ length: 100 }, name);
  const refs: WeakRef<Hold>[] = [];
  let context = new AsyncResource('start');

  const inside = async ([hold, ...others]: Hold[]): Promise<void> => {
    await hold?.run(async () => {
      context = new AsyncResource('inside');
      await inside(others);
    });
  };
  for (let i = 0; i < 100; i += 1) {
    await context.runInAsyncScope(async () => {
      const holds = await Promise.all(
        names.map(async (object) => await mine.getLock(object).acquire()),
      );
      refs.push(...holds.map((hold) => new WeakRef(hold)));
      await inside(holds);
      await raw.del(...names);
      const ends = await Promise.all(holds.map(async (hold) => await rejection(hold.release())));
      expect(ends.every((error) => error instanceof LeaseLostError)).toBe(true);
    });
  }

  expect(refs).toHaveLength(10_000);
  expect(await kept(refs)).toBeLessThan(5);
});
