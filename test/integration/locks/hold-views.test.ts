// A hold or a permit as callers and logs look at it.

import { describe, expect, test } from 'vitest';
import { fixture, fixtureOf } from '../../contract/fixture.js';
import { allLasting, leasedKinds, lockKinds } from '../../support/kinds/kinds.js';

describe.each(leasedKinds)('$what', (kind) => {
  const { client, name } = fixtureOf('hold-views', kind);

  test('the time left is whole milliseconds, not more than the lease', async () => {
    const one = await kind.create(client(), name());

    const grant = await one.acquire({ leaseMs: 10_000 });
    const { remainingMs } = grant;

    expect(Number.isInteger(remainingMs)).toBe(true);
    expect(remainingMs).toBeGreaterThan(0);
    expect(remainingMs).toBeLessThanOrEqual(10_000);
    await grant.release();
    expect(grant.remainingMs).toBe(0);
  });
});

describe.each(lockKinds)('$what', (kind) => {
  const { client, name } = fixtureOf('hold-views', kind);

  test('a hold can be logged as JSON, from an inner one too', async () => {
    const lock = kind.create(client(), name());

    const [outer, inner] = await lock.using(
      async (hold) =>
        await lock.using((again) => [hold, again].map((each) => JSON.stringify(each))),
    );

    const seen = [outer, inner].map((json): unknown => JSON.parse(json ?? ''));
    expect(seen).toMatchObject([
      { lockName: lock.name, depth: 1, state: 'held' },
      { lockName: lock.name, depth: 2, state: 'held' },
    ]);
  });
});

describe('views', () => {
  const { client, name } = fixture('hold-views', allLasting);

  test('the hold of a fenced lock is logged with its token', async () => {
    const lock = client().getFencedLock(name());

    const json = await lock.using((hold) => JSON.stringify(hold));

    expect(JSON.parse(json)).toHaveProperty('fencingToken', expect.stringMatching(/^\d+$/));
  });

  test('a permit can be logged as JSON', async () => {
    const semaphore = client().getPermitExpirableSemaphore(name());
    await semaphore.trySetPermits(1);
    const permit = await semaphore.acquire({ leaseMs: 10_000 });

    const seen: unknown = JSON.parse(JSON.stringify(permit));

    const { id } = permit;
    expect(id).toMatch(/^[0-9a-f]{32}$/);
    expect(seen).toEqual({
      kind: 'permit-expirable-semaphore',
      name: semaphore.name,
      id,
      state: 'held',
      remainingMs: expect.any(Number) as number,
    });
    await permit.release();
  });
});
