import { setImmediate } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import type { Hold } from '../../src/index.js';
import { fixtureOf, rejection } from './fixture.js';
import { promised } from '../support/broken-promise.js';
import type { ExclusiveLock } from '../support/kinds/kind.js';

/** A task that tells how many of its kind ever ran at once. */
function meter(): { task: () => Promise<void>; most: () => number } {
  let [inside, most] = [0, 0];
  return {
    async task() {
      inside += 1;
      most = Math.max(most, inside);
      await setImmediate();
      await setImmediate();
      inside -= 1;
    },
    most: () => most,
  };
}

/** Parallel branches of one holder keep out of each other's way. */
export function branchSuite(kind: ExclusiveLock): void {
  describe(`branches: ${kind.what}`, { concurrent: false }, () => {
    const { client, name } = fixtureOf('branches', kind);

    test('branches of one holder run one after the other', async () => {
      const lock = kind.create(client(), name());
      const { task, most } = meter();

      await lock.using(async () => {
        await Promise.all(Array.from({ length: 8 }, async () => await lock.using(task)));
      });

      promised('never two are in', () => {
        expect(most()).toBe(1);
      });
    });

    test('branches exclude each other with scopes of other locks in between', async () => {
      const own = client();
      const lock = kind.create(own, name());
      const others = Array.from({ length: 4 }, () => kind.create(own, name()));
      const { task, most } = meter();

      await lock.using(async () => {
        await Promise.all([
          ...others.map(async (other) => await other.using(async () => await lock.using(task))),
          lock.using(task),
        ]);
      });

      promised('never two are in', () => {
        expect(most()).toBe(1);
      });
    });

    test('branches of branches exclude each other within their own branch', async () => {
      const lock = kind.create(client(), name());
      const [outer, inner] = [meter(), meter()];
      const branch = async (): Promise<void> => {
        await Promise.all([outer.task(), lock.using(inner.task), lock.using(inner.task)]);
      };

      await lock.using(async () => {
        await Promise.all([lock.using(branch), lock.using(branch), lock.using(branch)]);
      });

      expect([outer.most(), inner.most()]).toEqual([1, 1]);
    });

    test('branches that re-enter through a named hold exclude each other too', async () => {
      const lock = kind.create(client(), name());
      const { task, most } = meter();
      const outer = await lock.acquire();

      await Promise.all([
        lock.using(task, { within: outer }),
        lock.using(task, { within: outer }),
        outer.run(async () => await lock.using(task)),
      ]);

      promised('never two are in', () => {
        expect(most()).toBe(1);
      });
      await outer.release();
    });

    test('trying while a branch holds answers null; waiting for it is bounded', async () => {
      const lock = kind.create(client(), name());
      const answers: (Hold | null)[] = [];

      await lock.using(async (outer) => {
        const branch = await lock.acquire();
        answers.push(await lock.tryAcquire());
        answers.push(await lock.tryAcquire({ waitMs: 500 }));
        answers.push(await lock.tryAcquire({ within: outer }));
        const error = await rejection(lock.acquire({ waitMs: 500 }));
        expect(error).toMatchObject({ code: 'ERR_ACQUIRE_TIMEOUT', resource: lock.name });
        await branch.release();
        await using next = await lock.tryAcquire();
        expect(next?.depth).toBe(2);
      });

      expect(answers).toEqual([null, null, null]);
    });

    test('an aborted wait for a branch rejects with the reason and frees the way', async () => {
      const lock = kind.create(client(), name());
      const abort = new AbortController();

      await lock.using(async () => {
        const branch = await lock.acquire();
        const leaving = rejection(lock.acquire({ signal: abort.signal }));
        const staying = lock.acquire();
        abort.abort();
        expect(await leaving).toBe(abort.signal.reason);
        await branch.release();
        await (await staying).release();
      });
    });
  });
}
