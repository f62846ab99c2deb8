// Each object judges the answers by the number that it was made with.

import { expect, test } from 'vitest';
import type { Client, PermitExpirableSemaphore } from '../../../src/index.js';
import { fixture, rejection } from '../../contract/fixture.js';
import { eventually } from '../../support/eventually.js';
import { isListening, lasting } from './world.js';

const { client, name, raw } = fixture('own-number', lasting);

function told(
  own: Client,
  id: string,
  count: number,
  onMismatch: 'error',
): PermitExpirableSemaphore {
  return own.getPermitExpirableSemaphore(id, { permits: { count, onMismatch } });
}

async function ofThree(): Promise<PermitExpirableSemaphore> {
  const semaphore = client().getPermitExpirableSemaphore(name());
  await semaphore.trySetPermits(3);
  return semaphore;
}

test('with error each object judges by its own number: told 5, 3 and 5 where the server has 5', async () => {
  const id = name();
  await client().getPermitExpirableSemaphore(id).trySetPermits(5);
  const own = client();
  const [five, three, again] = [5, 3, 5].map((count) => told(own, id, count, 'error')) as [
    PermitExpirableSemaphore,
    PermitExpirableSemaphore,
    PermitExpirableSemaphore,
  ];

  for (let i = 0; i < 2; i += 1) {
    await (await five.acquire()).release();
    expect(await rejection(three.tryAcquire())).toMatchObject({ permits: 5, wanted: 3 });
    expect(await rejection(three.totalPermits())).toMatchObject({ permits: 5, wanted: 3 });
    await (await again.acquire()).release();
    expect(await own.getPermitExpirableSemaphore(id).totalPermits()).toBe(5);
  }

  await client().getPermitExpirableSemaphore(id).setPermits(3);
  for (const semaphore of [five, again]) {
    expect(await rejection(semaphore.acquire())).toMatchObject({ permits: 3, wanted: 5 });
  }
  await (await three.acquire()).release();
  expect(await three.acquiredPermits()).toBe(0);
});

test('with error a grant of another number is given back before anybody sees it', async () => {
  const theirs = await ofThree();
  const own = client();
  const acquired: unknown[] = [];
  own.on('acquired', (event) => acquired.push(event));
  const semaphore = told(own, theirs.name, 3, 'error');
  expect(await semaphore.totalPermits()).toBe(3);
  await theirs.setPermits(4);

  expect(await rejection(semaphore.tryAcquire())).toMatchObject({ permits: 4, wanted: 3 });

  expect(acquired).toEqual([]);
  await eventually(async () => (await theirs.acquiredPermits()) === 0);
});

test('with error a wait ends when the number becomes another one, and those of others go on', async () => {
  const theirs = await ofThree();
  const own = client();
  await theirs.acquireMany(3);
  const refused = rejection(told(own, theirs.name, 3, 'error').acquireMany(2));
  await isListening(raw, theirs.name);
  const waiting = own.getPermitExpirableSemaphore(theirs.name).acquire();

  await theirs.setPermits(4);

  expect(await refused).toMatchObject({ permits: 4, wanted: 3 });
  await waiting;
});
