// The holds of a quorum take a listener for other clients that wait, and never call it.

import { expect, test } from 'vitest';
import { ear } from '../../support/contended-stage.js';
import { expectRefused, quorumOfFile } from '../../support/quorum.js';

const stage = await quorumOfFile('quorum-contended');

test('nobody says that another client waits for a lock of a quorum', async () => {
  const [holder, other] = [stage.client(), stage.client()];
  const name = stage.name();
  for (const lock of [holder.getLock(name), holder.getMultiLock([name, stage.name()])]) {
    const hold = await lock.acquire();
    const heard = ear();
    const takeBack = hold.onContended(heard.listener);
    expect(() => hold.onContended(0 as never)).toThrow(TypeError);

    await expectRefused(other.getLock(name), { waitMs: 100 });

    takeBack();
    expect(heard.calls).toBe(0);
    await hold.release();
  }
});
