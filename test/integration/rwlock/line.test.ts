// A client whose first waiting reader has left stands further back; who stood back for it is told.

import { expect, test } from 'vitest';
import { rwlockAcquireRead } from '../../../src/core/wire/scripts.generated.js';
import { fixture } from '../../contract/fixture.js';
import { eventually } from '../../support/eventually.js';
import { messagesOn } from '../../support/messages.js';
import { DEAD_WRITER, RwView } from './rwlock.js';

const { client, name, raw } = fixture('rwlock-line');
const CLIENT = '2b0c2f9a-71b3-4c0e-8a55-5f0e6b1d9c44';

test.each([
  ['further back', 300, ['0']],
  ['where it stood', 100, []],
])('a free lock is told of when the readers of a client stand %s', async (_, since, told) => {
  const view = new RwView(raw, name());
  const messages = await messagesOn(view.channel);
  const now = await view.now();
  await raw.zadd(view.waiting, 100, CLIENT);
  await raw.zadd(view.writers, 50, DEAD_WRITER);
  await raw.zadd(view.beats, now, CLIENT, now, DEAD_WRITER);

  await ask(view, since);
  await raw.publish(view.channel, 'last');

  await eventually(() => expect(messages.at(-1)).toBe('last'));
  expect(messages).toEqual([...told, 'last']);
  expect(await raw.zscore(view.waiting, CLIENT)).toBe(String(since));
  await raw.del(view.waiting, view.writers, view.beats);
});

test('forty dead clients in line delay a writer by one more ask', async () => {
  const view = new RwView(raw, name());
  const dead = Array.from({ length: 40 }, (_, i) => [i + 1, `dead-${i}`]).flat();
  await raw.zadd(view.waiting, ...dead);
  const { writeLock } = client().getReadWriteLock(view.name);

  const atOnce = await writeLock.tryAcquire();
  const leftBehind = await raw.zcard(view.waiting);
  const hold = await writeLock.tryAcquire({ waitMs: 5_000 });

  expect([atOnce, leftBehind]).toEqual([null, 9]);
  expect(hold?.isHeld).toBe(true);
  await hold?.release();
});

test('the entry of a writer that a failover has brought back goes with its lost hold', async () => {
  const view = new RwView(raw, name());
  const { writeLock } = client({ leaseMs: 600 }).getReadWriteLock(view.name);
  const hold = await writeLock.acquire();
  const now = await view.now();

  await raw.del(view.name);
  await raw
    .multi()
    .zadd(view.writers, 50, hold.holderId)
    .zadd(view.beats, now, hold.holderId)
    .exec();

  await eventually(async () => (await raw.zcard(view.writers)) === 0);
  expect(hold.state).toBe('lost');
});

/** The readers of the client ask, the first of which waits since then. */
async function ask(view: RwView, since: number): Promise<void> {
  const reader = `${CLIENT}:7`;
  const operands = rwlockAcquireRead.operands(
    {
      lock: view.name,
      readers: view.readers,
      writers: view.writers,
      waiting: view.waiting,
      heartbeats: view.beats,
      tickets: view.tickets,
      ofClaims: [
        `redlatch_cancelled:{${view.name}}:${reader}`,
        view.holdKey(reader),
        view.holdKey(reader),
      ],
    },
    {
      client: CLIENT,
      position: 'queue',
      publish: 'PUBLISH',
      channel: view.channel,
      rest: 0,
      claims: [reader, '1', '30000', String(since), ''],
    },
  );
  await raw.eval(rwlockAcquireRead.source, ...(operands as [number, ...string[]]));
}
