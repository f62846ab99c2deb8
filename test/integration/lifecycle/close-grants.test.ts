// What happens to grants when their client closes.

import { expect, test } from 'vitest';
import { fixture } from '../../contract/fixture.js';

const { client, name } = fixture('close-grants');

test('closing aborts no signal of a hold or permit, since nothing was lost', async () => {
  const own = client();
  const semaphore = own.getPermitExpirableSemaphore(name());
  await semaphore.trySetPermits(1);
  const grants = [await own.getLock(name()).acquire(), await semaphore.acquire()];
  const aborted: unknown[] = [];
  for (const { signal } of grants) {
    signal.addEventListener('abort', () => aborted.push(signal.reason));
  }

  await own.close();

  expect(grants.map(({ isHeld, state }) => [isHeld, state])).toEqual([
    [false, 'released'],
    [false, 'released'],
  ]);
  expect(grants.map(({ signal }) => signal.aborted)).toEqual([false, false]);
  expect(aborted).toEqual([]);
  await client().getPermitExpirableSemaphore(semaphore.name).delete();
});

test('closing gives back no permits of a counting semaphore', async () => {
  const [semaphore, own] = [client().getSemaphore(name()), client()];
  await semaphore.trySetPermits(3);
  await own.getSemaphore(semaphore.name).acquire(2);

  await own.close();

  expect(await semaphore.availablePermits()).toBe(1);
  await semaphore.delete();
});
