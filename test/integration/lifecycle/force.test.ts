import { describe, expect, test } from 'vitest';
import { LeaseLostError } from '../../../src/index.js';
import { fixtureOf } from '../../contract/fixture.js';
import { eventually } from '../../support/eventually.js';
import { lockKinds } from '../../support/kinds/kinds.js';
import { channelsUnder } from '../../support/redis.js';

describe.each(lockKinds)('$what', (kind) => {
  const { client, name, raw } = fixtureOf('force', kind);

  test('a forced release ends the holds it found here at once', async () => {
    const lock = kind.create(client(), name());
    const outer = await lock.acquire();
    const inner = await lock.acquire({ within: outer });

    const answer = await lock.forceRelease();

    expect(answer).toBe(true);
    expect([outer.isHeld, inner.isHeld]).toEqual([false, false]);
    await expect(outer.release()).rejects.toThrow(LeaseLostError);
    expect(await lock.forceRelease()).toBe(false);
  });

  test('a forced release elsewhere ends the hold at once, long before its next renewal', async () => {
    const hold = await kind.create(client({ leaseMs: 60_000 }), name()).acquire();

    await kind.create(client(), hold.lockName).forceRelease();

    await eventually(() => hold.state === 'lost');
    expect(hold.signal.reason).toMatchObject({ code: 'ERR_LEASE_LOST', reason: 'deleted' });
  });

  test('a client that listens already is told at once', async () => {
    const own = client({ leaseMs: 60_000 });
    const hold = await kind.create(own, name()).acquire();
    await eventually(async () => (await channelsUnder(`redlatch:${own.id}`)).length === 1);

    await kind.create(client(), hold.lockName).forceRelease();

    await eventually(() => hold.state === 'lost');
  });

  test('a forced release never ends the hold that was granted after it', async () => {
    const [own, object] = [client(), name()];
    const lock = kind.create(own, object);
    const lost: string[] = [];
    own.on('lost', ({ holderId }) => lost.push(holderId));
    await kind.create(client(), object).acquire();
    await lock.isLocked();

    // Sent together, in this order: both answers come in one piece.
    const [forced, hold] = await Promise.all([lock.forceRelease(), lock.acquire()]);

    expect(forced).toBe(true);
    expect(await raw.hget(object, kind.field(hold.holderId))).toBe('1');
    expect([hold.state, lost]).toEqual(['held', []]);
    await hold.release();
    expect(await raw.exists(object)).toBe(0);
  });
});
