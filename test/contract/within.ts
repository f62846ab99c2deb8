import { describe, expect, test } from 'vitest';
import { DeadlockError, NotHeldError, type Hold } from '../../src/index.js';
import { fixture, fixtureOf, rejection } from './fixture.js';
import type { ExclusiveLock, LockKind } from '../support/kinds/kind.js';
import { allLasting, lockKinds } from '../support/kinds/kinds.js';

/** What `within` accepts. */
export function withinSuite(kind: LockKind): void {
  describe(`within: ${kind.what}`, { concurrent: false }, () => {
    const { client, name } = fixture('within', allLasting);

    test('a released hold is refused', async () => {
      const lock = kind.create(client(), name());
      const hold = await lock.acquire();
      await hold.release();

      const errors = await Promise.all([
        rejection(lock.acquire({ within: hold })),
        rejection(lock.tryAcquire({ within: hold })),
        rejection(lock.using(() => 'never', { within: hold })),
      ]);

      expect(errors.every((error) => error instanceof NotHeldError)).toBe(true);
      expect(errors[0]).toMatchObject({ code: 'ERR_NOT_HELD', resource: lock.name });
      expect(await lock.isLocked()).toBe(false);
    });

    test('a hold of another lock, of another kind or of another client is refused', async () => {
      const [own, object] = [client(), name()];
      const lock = kind.create(own, object);
      const others = [
        kind.create(own, name()),
        ...lockKinds.filter((other) => other !== kind).map((other) => other.create(own, name())),
        kind.create(client(), object),
      ];

      for (const other of others) {
        const hold = await other.acquire();
        const error = await rejection(lock.acquire({ within: hold }));
        expect(error).toBeInstanceOf(NotHeldError);
        expect(error).toMatchObject({ resource: object });
        expect(hold.isHeld).toBe(true);
        await hold.release();
      }
    });

    test.each([['a string'], [42], [false], [{}], [{ holderId: 'x', lockName: 'y' }]])(
      'what is no hold is refused: %j',
      async (within) => {
        const lock = kind.create(client(), name());
        const options = { within } as unknown as { within: Hold };

        const error = await rejection(lock.acquire(options));

        expect(error).toBeInstanceOf(TypeError);
        expect(String(error)).toContain('within');
        expect(await lock.isLocked()).toBe(false);
      },
    );
  });
}

/** What would wait for itself. */
export function deadlockSuite(kind: ExclusiveLock): void {
  describe(`deadlock: ${kind.what}`, { concurrent: false }, () => {
    const { client, name } = fixtureOf('deadlock', kind);

    test('naming the outer hold inside its own inner one is a deadlock, told at once', async () => {
      const own = client();
      const [lock, other] = [kind.create(own, name()), kind.create(own, name())];
      const errors: unknown[] = [];

      await lock.using(async (outer) => {
        await lock.using(async () => {
          errors.push(await rejection(lock.acquire({ within: outer })));
          errors.push(await rejection(lock.tryAcquire({ within: outer })));
          await other.using(async () => {
            errors.push(await rejection(lock.using(() => 'never', { within: outer })));
          });
          await lock.using(async () => {
            errors.push(await rejection(lock.acquire({ within: outer })));
          });
        });
        await using again = await lock.acquire({ within: outer });
        expect(again.depth).toBe(2);
      });

      expect(errors).toHaveLength(4);
      expect(errors.every((error) => error instanceof DeadlockError)).toBe(true);
      expect(errors[0]).toMatchObject({ code: 'ERR_DEADLOCK', resource: lock.name });
    });
  });
}
