// The number of permits of a counting semaphore, of which Redis stores only what is left: our own
// calls keep it beside, with what each grant has taken.

import { expect, test } from 'vitest';
import type { Client } from '../../../src/index.js';
import { fixture } from '../../contract/fixture.js';
import { configured, lasting, left } from './world.js';

const { client, name, raw } = fixture('totals', lasting);

const keyOf = (id: string): string => `redlatch_permits:{${id}}`;

/** What a new client is told of the number, when it was told `wanted`: nothing, or what it is. */
async function toldOf(id: string, wanted: number): Promise<number | undefined> {
  const own = client();
  const events = configured(own);
  await own.getSemaphore(id, { permits: wanted }).availablePermits();
  expect(events.length).toBeLessThan(2);
  return events[0]?.permits;
}

/** A semaphore of five, and a client that was told so. */
async function ofFive(): Promise<{ own: Client; id: string }> {
  const [own, id] = [client(), name()];
  await own.getSemaphore(id, { permits: 5 }).availablePermits();
  return { own, id };
}

test('the number is told while permits are taken by clients that were told one', async () => {
  const { own, id } = await ofFive();
  const taken = await own.getSemaphore(id).acquire(3);
  await own.getSemaphore(id).acquire();

  expect(await toldOf(id, 6)).toBe(5);
  expect(await toldOf(id, 1)).toBe(5);
  await taken.release();
  expect(await left(id)).toBe(4);
  expect(await toldOf(id, 4)).toBe(5);
  expect(await toldOf(id, 5)).toBeUndefined();
});

test('local waiters that a release serves are followed', async () => {
  const { own, id } = await ofFive();
  const all = await own.getSemaphore(id).acquire(5);
  const waits = [own.getSemaphore(id).acquire(2), own.getSemaphore(id).acquire(1)];
  await all.release();
  await Promise.all(waits);

  expect(await left(id)).toBe(2);
  expect(await toldOf(id, 6)).toBe(5);
});

test('trySetPermits and addPermits of any client count, and so do permits that are drained', async () => {
  const [own, id] = [client(), name()];
  const semaphore = own.getSemaphore(id);
  await semaphore.trySetPermits(3);
  expect(await toldOf(id, 9)).toBe(3);

  await semaphore.addPermits(4);
  expect(await toldOf(id, 9)).toBe(7);
  await semaphore.addPermits(-2);
  expect(await toldOf(id, 9)).toBe(5);
  await semaphore.drainPermits();
  expect(await toldOf(id, 9)).toBe(5);
});

test('the number is known whatever is out, and whoever has it', async () => {
  const [own, id] = [client(), name()];
  await own.getSemaphore(id).trySetPermits(3);
  const permits = await own.getSemaphore(id).acquire();
  expect(await toldOf(id, 9)).toBe(3);

  await permits.release();

  expect(await toldOf(id, 9)).toBe(3);
});

test('permits that are returned without proof do not raise a number that was stated', async () => {
  const { own, id } = await ofFive();
  const events = configured(own);

  await own.getSemaphore(id, { permits: 5 }).release(2);

  expect(await left(id)).toBe(5);
  expect(events).toEqual([{ resource: id, kind: 'semaphore', permits: 7, wanted: 5 }]);
  expect(await toldOf(id, 7)).toBe(5);
});

test('they raise one that nobody has stated', async () => {
  const [own, id] = [client(), name()];
  await own.getSemaphore(id).trySetPermits(5);
  const permits = await own.getSemaphore(id).acquire(2);

  await own.getSemaphore(id).release(2);
  expect(await toldOf(id, 9)).toBe(5);
  await permits.release();

  expect(await left(id)).toBe(7);
  expect(await toldOf(id, 9)).toBe(7);
});

test('one that a release or an addition has made has what it was made with', async () => {
  const [released, added] = [name(), name()];
  await client().getSemaphore(released).release(2);
  await client().getSemaphore(added).addPermits(4);

  expect([await toldOf(released, 9), await toldOf(added, 9)]).toEqual([2, 4]);
});

test('of one that Java has set, what is left is compared', async () => {
  const [same, other] = [name(), name()];
  await raw.set(same, 3);
  await raw.set(other, 3);

  expect([await toldOf(same, 3), await toldOf(other, 5)]).toEqual([undefined, 3]);
});

test('what Java takes and gives back does not change the number', async () => {
  const { own, id } = await ofFive();
  const permits = await own.getSemaphore(id).acquire();

  await raw.decrby(id, 2);
  expect(await toldOf(id, 9)).toBe(5);
  await raw.incrby(id, 2);
  await permits.release();

  expect([await left(id), await toldOf(id, 9)]).toEqual([5, 5]);
});

test('permits of Java above a number that was stated are put right by the next call', async () => {
  const { own, id } = await ofFive();
  const events = configured(own);
  await raw.incrby(id, 3);

  const permits = await own.getSemaphore(id, { permits: 5 }).acquire();

  expect(await left(id)).toBe(4);
  expect(events).toEqual([{ resource: id, kind: 'semaphore', permits: 8, wanted: 5 }]);
  await permits.release();
  expect(await left(id)).toBe(5);
});

test('what is kept has the life of the semaphore, and only its deletion is known after it', async () => {
  const [own, short] = [client(), name()];
  await own.getSemaphore(short).trySetPermits(3, { ttlMs: 60_000 });
  const { id } = await ofFive();

  expect(await raw.pttl(keyOf(short))).toBeGreaterThan(50_000);
  expect(await raw.pttl(keyOf(short))).toBeLessThanOrEqual(60_000);
  expect(await raw.ttl(keyOf(id))).toBeGreaterThan(29 * 86_400);
  expect(await raw.ttl(keyOf(id))).toBeLessThanOrEqual(30 * 86_400);
  await own.getSemaphore(id).delete();
  await own.getSemaphore(short).delete();

  for (const each of [id, short]) {
    expect(await raw.hgetall(keyOf(each))).toEqual({ deleted: '1' });
    expect(await raw.ttl(keyOf(each))).toBeLessThanOrEqual(86_400);
  }
});

test('a semaphore of Java gets no total from our calls', async () => {
  const [own, id] = [client(), name()];
  await raw.set(id, 3);
  const semaphore = own.getSemaphore(id, { permits: 3 });

  await (await semaphore.acquire(2)).release();
  await semaphore.addPermits(1);
  await semaphore.drainPermits();
  await semaphore.release();

  expect(await raw.exists(keyOf(id))).toBe(0);
});
