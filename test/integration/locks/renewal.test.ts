// What one renewal round owes to each of its leases, whatever became of the others: here to those
// of all kinds of objects at once.

import { expect, test } from 'vitest';
import { LeaseLostError, type Client } from '../../../src/index.js';
import { fixture, rejection } from '../../contract/fixture.js';
import { eventually } from '../../support/eventually.js';
import type { LeasedGrant, LeasedKind } from '../../support/kinds/kind.js';
import { allLasting, leasedKinds } from '../../support/kinds/kinds.js';

const LEASE_MS = 900;

const { client, name, raw } = fixture('renewal', allLasting);

interface Granted {
  readonly kind: LeasedKind;
  readonly object: string;
  readonly grant: LeasedGrant;
}

async function acquire(own: Client, kind: LeasedKind, object: string): Promise<Granted> {
  const one = await kind.create(own, object);
  return { kind, object, grant: await one.acquire() };
}

/** Waits until leases would have run out twice, had nobody renewed them. */
async function outlive(): Promise<void> {
  const end = performance.now() + 2 * LEASE_MS;
  await eventually(() => performance.now() > end);
}

/** The key that says who is in. */
function grantKey({ kind, object }: Granted): string {
  return kind.id === 'permit-expirable-semaphore' ? `{${object}}:timeout` : object;
}

/** How each of them stands, here and on the server. */
async function standing(grants: readonly Granted[]): Promise<unknown[]> {
  return await Promise.all(
    grants.map(async ({ kind, object, grant }) => [
      kind.what,
      grant.state,
      await kind.isTaken(object),
    ]),
  );
}

test('a key overwritten with another type costs the other grants of its round nothing', async () => {
  const own = client({ leaseMs: LEASE_MS });
  const lost: string[] = [];
  own.on('lost', ({ resource }) => lost.push(resource));
  const wanted = [...leasedKinds, ...leasedKinds, ...leasedKinds, ...leasedKinds, ...leasedKinds];
  const all = await Promise.all(wanted.map(async (kind) => await acquire(own, kind, name())));
  // Of each kind the first, the middle and the last one.
  const at = [0, 2, 4].map((round) => round * leasedKinds.length);
  const groups = at.map((from) => all.slice(from, from + leasedKinds.length));
  const [first = [], middle = [], last = []] = groups;
  const spoilt = groups.flat();
  const others = all.filter((each) => !spoilt.includes(each));

  for (const key of first.map(grantKey)) {
    await raw.set(key, 'somebody else');
  }
  for (const key of middle.map(grantKey)) {
    await raw.multi().del(key).rpush(key, 'x').exec();
  }
  for (const key of last.map(grantKey)) {
    await raw.multi().del(key).sadd(key, 'x').exec();
  }
  await eventually(() => lost.length === spoilt.length);
  await outlive();

  expect(lost.toSorted()).toEqual(spoilt.map(({ object }) => object).toSorted());
  expect(await standing(others)).toEqual(others.map(({ kind }) => [kind.what, 'held', true]));
  await raw.del(...spoilt.map(grantKey));
  await Promise.all(others.map(async ({ grant }) => await grant.release()));
});

test('a grant that follows several stale ones is renewed like any other', async () => {
  const own = client({ leaseMs: LEASE_MS });
  const stale: LeasedGrant[] = [];
  const real = await Promise.all(
    leasedKinds.map(async (kind) => {
      const object = name();
      for (let i = 0; i < 4; i += 1) {
        const { grant } = await acquire(own, kind, object);
        stale.push(grant);
        // Gone without a word, and its holder does not release.
        await kind.erase(object);
      }
      return await acquire(own, kind, object);
    }),
  );

  await outlive();
  const errors = await Promise.all(stale.map(async (grant) => await rejection(grant.release())));

  expect(await standing(real)).toEqual(leasedKinds.map((kind) => [kind.what, 'held', true]));
  expect(new Set(stale.map(({ state }) => state))).toEqual(new Set(['lost']));
  expect(errors.every((error) => error instanceof LeaseLostError)).toBe(true);
  await Promise.all(real.map(async ({ grant }) => await grant.release()));
});
