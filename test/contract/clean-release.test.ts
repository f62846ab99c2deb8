// A release ends one hold, and that is all it does.

import { describe, expect, test } from 'vitest';
import { lockRenew } from '../../src/core/wire/scripts.generated.js';
import { eventually } from '../support/eventually.js';
import { startProxy } from '../support/proxy.js';
import { redisUrl } from '../support/redis.js';
import { fixtureOf } from './fixture.js';
import { FOREIGNER } from '../support/kinds/kind.js';
import { exclusiveLocks, hashLocks, leasedKinds } from '../support/kinds/kinds.js';

describe.each(leasedKinds)('$what', (kind) => {
  const { client, name } = fixtureOf('clean-release', kind);

  test('a clean release aborts no signal, not when it is sent and not later', async () => {
    const own = client({ leaseMs: 600 });
    const grant = await (await kind.create(own, name())).acquire();
    const told: string[] = [];
    grant.signal.addEventListener('abort', () => told.push('signal'));
    AbortSignal.any([grant.signal]).addEventListener('abort', () => told.push('derived signal'));
    own.on('lost', () => told.push('lost'));

    await grant.release();
    const leaseEnd = performance.now() + 700;
    await eventually(() => performance.now() > leaseEnd);
    await own.close();

    expect(told).toEqual([]);
    expect([grant.signal.aborted, grant.state]).toEqual([false, 'released']);
  });
});

describe.each(hashLocks)('$what', (kind) => {
  const { client, name, raw } = fixtureOf('clean-release', kind);

  test('a release leaves what somebody else has written there', async () => {
    const object = name();
    const hold = await kind.create(client(), object).acquire();
    await raw.hset(object, FOREIGNER, 2);

    await hold.release();
    const left = await raw.hgetall(object);
    await raw.del(object);

    expect(left).toEqual({ [FOREIGNER]: '2' });
  });
});

describe.each(exclusiveLocks)('$what', (kind) => {
  const { client, name } = fixtureOf('clean-release', kind);

  test('a hold is not renewed from the moment its release is sent', async () => {
    const proxy = await startProxy({ target: redisUrl() });
    const own = client({ redis: proxy.url, leaseMs: 900 });
    const [lock, kept] = [kind.create(own, name()), kind.create(own, name())];
    const [hold, other] = [await lock.acquire(), await kept.acquire()];
    const renewals = (object: string): number =>
      proxy
        .requests()
        .filter((command) => command[1] === lockRenew.sha1 || command[1] === lockRenew.source)
        .filter((command) => command.includes(object)).length;
    await eventually(() => renewals(lock.name) > 0);

    const releasing = hold.release();
    const [before, others] = [renewals(lock.name), renewals(kept.name)];
    await eventually(() => renewals(kept.name) > others + 2);

    expect(renewals(lock.name)).toBe(before);
    await releasing;
    await other.release();
  });
});
