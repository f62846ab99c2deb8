// A writer that was ended by somebody else, and does not know it yet, leaves no reader behind when it
// reads.

import { expect, test } from 'vitest';
import { LeaseLostError } from '../../../src/index.js';
import { fixture, rejection } from '../../contract/fixture.js';
import { eventually } from '../../support/eventually.js';
import { RwView } from './rwlock.js';

const { client, name, raw } = fixture('rwlock-ghosts');

const ends: [string, (view: RwView) => Promise<unknown>][] = [
  [
    'another client has forced out',
    async ({ name: lock }) => await client().getReadWriteLock(lock).writeLock.forceRelease(),
  ],
  ['was flushed', async ({ name: lock }) => await raw.del(lock)],
];

test.each(ends)('a writer that %s is told so when it reads, and nobody reads', async (_, end) => {
  const view = new RwView(raw, name());
  const { readLock, writeLock } = client().getReadWriteLock(view.name);
  const writing = await writeLock.acquire();
  await end(view);

  const refused = await rejection(readLock.acquire({ within: writing }));

  expect(refused).toBeInstanceOf(LeaseLostError);
  expect([writing.state, await view.fields(), await view.holdKeys()]).toEqual(['lost', {}, []]);
  const next = await client().getReadWriteLock(view.name).writeLock.tryAcquire();
  expect(next?.isHeld).toBe(true);
  await next?.release();
});

test('a read that is sent behind a forced release of its own client leaves nobody reading', async () => {
  const view = new RwView(raw, name());
  const { readLock, writeLock } = client().getReadWriteLock(view.name);
  const writing = await writeLock.acquire();

  const forcing = writeLock.forceRelease();
  const refused = await rejection(readLock.acquire({ within: writing }));

  expect(await forcing).toBe(true);
  expect(refused).toBeInstanceOf(LeaseLostError);
  expect([writing.state, await view.fields(), await view.holdKeys()]).toEqual(['lost', {}, []]);
});

test('a read beside a writer that was forced out does not join the readers that came since', async () => {
  const view = new RwView(raw, name());
  const { readLock, writeLock } = client().getReadWriteLock(view.name);
  const writing = await writeLock.acquire();
  const other = client().getReadWriteLock(view.name);
  await other.writeLock.forceRelease();
  const reading = await other.readLock.acquire();

  const refused = await rejection(readLock.acquire({ within: writing }));

  expect(refused).toMatchObject({ code: 'ERR_LEASE_LOST', reason: 'taken' });
  expect(await view.fields()).toEqual({ mode: 'read', [reading.holderId]: '1' });
  await reading.release();
});

test('a writer that runs out of its lease is gone, though it has read for longer', async () => {
  const view = new RwView(raw, name());
  const { readLock, writeLock } = client().getReadWriteLock(view.name);
  const writing = await writeLock.acquire({ leaseMs: 300 });
  const reading = await readLock.acquire({ within: writing, leaseMs: 20_000 });
  await reading.release();

  await eventually(() => writing.state === 'lost');
  const next = await client().getReadWriteLock(view.name).writeLock.tryAcquire({ waitMs: 2_000 });

  expect(next?.isHeld).toBe(true);
  await next?.release();
});
