// A forced release ends what its own client asked for before it, answered by then or not.

import { describe, expect, test } from 'vitest';
import { fixtureOf } from '../../contract/fixture.js';
import { lockKinds } from '../../support/kinds/kinds.js';

describe.each(lockKinds)('$what', (kind) => {
  const { client, name } = fixtureOf('forced-in-flight', kind);

  test('an acquisition that was under way when its lock was forced is lost with it', async () => {
    const own = client();
    const lock = kind.create(own, name());
    const lost: string[] = [];
    own.on('lost', ({ holderId }) => lost.push(holderId));
    await lock.isLocked();

    const acquiring = lock.acquire();
    const forcing = lock.forceRelease();
    const first = await acquiring;
    const forced = await forcing;
    const second = await lock.acquire();

    expect(forced).toBe(true);
    expect([first.isHeld, second.isHeld]).toEqual([false, true]);
    expect(lost).toEqual([first.holderId]);
    await second.release();
  });

  test('whoever of this client gets in after a forced release elsewhere is alone in it', async () => {
    const own = client();
    const lock = kind.create(own, name());
    const first = await lock.acquire();
    const heldBeside: boolean[] = [];

    await kind.create(client(), first.lockName).forceRelease();
    // Readers go in beside readers: there the next renewal tells.
    const conflicting =
      kind.what === 'read lock' ? own.getReadWriteLock(lock.name).writeLock : lock;
    await conflicting.using(() => {
      heldBeside.push(first.isHeld);
    });

    expect(heldBeside).toEqual([false]);
    // Where locks are handed on, its client asks after the hold before anybody else gets in.
    const asksAfter = kind.enter !== undefined && kind.id !== 'multi-lock';
    const reason = asksAfter ? 'deleted' : 'taken';
    expect(first.signal.reason).toMatchObject({ reason });
  });
});
