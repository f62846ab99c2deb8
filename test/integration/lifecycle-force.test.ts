import { afterAll, expect, test } from 'vitest';
import { LeaseLostError } from '../../src/index.js';
import { eventually } from '../support/eventually.js';
import { rawClient } from '../support/redis.js';
import { expectNoChannels, expectNoResidue } from '../support/residue.js';
import { testScope } from '../support/scope.js';

const scope = testScope('force');
const raw = rawClient();

afterAll(async () => {
  await expectNoResidue(scope.prefix, { allow: [/^latchkey_(?:cancelled|requests):/] });
  await expectNoChannels(scope.prefix);
});

test('a forced release ends the holds it found here at once', async () => {
  const client = scope.client();
  const lock = client.getLock(scope.name());
  const outer = await lock.acquire();
  const inner = await lock.acquire({ within: outer });

  const answer = await lock.forceRelease();

  expect(answer).toBe(true);
  expect([outer.isHeld, inner.isHeld]).toEqual([false, false]);
  await expect(outer.release()).rejects.toThrow(LeaseLostError);
  expect(await lock.forceRelease()).toBe(false);
});

test('a forced release elsewhere ends the hold with its next renewal', async () => {
  const client = scope.client({ leaseMs: 300 });
  const hold = await client.getLock(scope.name()).acquire();

  await scope.client().getLock(hold.lockName).forceRelease();

  await eventually(() => hold.state === 'lost');
  expect(hold.signal.reason).toMatchObject({ code: 'ERR_LEASE_LOST', reason: 'deleted' });
});

test('a forced release never ends the hold that was granted after it', async () => {
  const [holder, client] = [scope.client(), scope.client()];
  const lock = client.getLock(scope.name());
  const states: string[] = [];

  for (let round = 0; round < 60; round += 1) {
    await holder.getLock(lock.name).acquire();
    const waiting = lock.acquire();
    await eventually(
      async () => {
        const channel = `redisson_lock__channel:{${lock.name}}`;
        const [, count] = (await raw.pubsub('NUMSUB', channel)) as [string, number];
        return count === 1;
      },
      { everyMs: 1 },
    );
    await lock.forceRelease();
    const hold = await waiting;
    states.push(hold.state);
    await hold.release().catch(() => undefined);
    await raw.del(lock.name);
  }

  expect(states.filter((state) => state !== 'held')).toEqual([]);
});
