// Holders that are asked to yield, on a real server: what listeners may do, several names, readers.

import { setImmediate as turn } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { createClient, type Client, type HoldEvent } from '../../../src/index.js';
import { ear, listens } from '../../support/contended-stage.js';
import { eventually } from '../../support/eventually.js';
import { randomName, rawClient, redisUrl } from '../../support/redis.js';

const raw = rawClient();

const rejecting: () => unknown = async () => await Promise.reject(new Error('rejected'));

function open(): Client {
  const client = createClient({ redis: redisUrl() });
  onTestFinished(async () => await client.close());
  return client;
}

test('what a listener throws or rejects with is an error event, and stops no other listener', async () => {
  const name = randomName('throws');
  const [holder, other] = [open(), open()];
  const errors: string[] = [];
  holder.on('error', ({ error }) => errors.push(error.message));
  const hold = await holder.getLock(name).acquire();
  const heard = ear();
  hold.onContended(() => {
    throw new Error('thrown');
  });
  hold.onContended(rejecting);
  hold.onContended(heard.listener);
  await eventually(async () => await listens(raw, holder));

  const waiting = other.getLock(name).acquire();

  await eventually(() => heard.calls === 1);
  await eventually(() => errors.length === 2);
  expect(errors).toEqual(['thrown', 'rejected']);
  await hold.release();
  await (await waiting).release();
});

test('a listener may release the hold that it hears for, in the context in which it was set', async () => {
  const name = randomName('inside');
  const [holder, other] = [open(), open()];
  const hold = await holder.getLock(name).acquire();
  let released: Promise<void> | undefined;
  let depth = -1;
  await hold.run(async () => {
    hold.onContended(() => {
      released = (async () => {
        const inner = await holder.getLock(name).acquire();
        ({ depth } = inner);
        await inner.release();
        await hold.release();
      })();
    });
    await Promise.resolve();
  });

  await (await other.getLock(name).acquire()).release();

  await released;
  expect(depth).toBe(2);
});

test('a multi-lock hears of any of its names, once', async () => {
  const names = [randomName('multi'), randomName('multi')];
  const [holder, other] = [open(), open()];
  const events: HoldEvent[] = [];
  holder.on('contended', (event) => events.push(event));
  const hold = await holder.getMultiLock(names).acquire();
  const [heard, late] = [ear(), ear()];
  hold.onContended(heard.listener);
  await eventually(async () => await listens(raw, holder));

  const second = other.getLock(names[1]!).acquire();
  await eventually(() => heard.calls === 1);
  const first = other.getLock(names[0]!).acquire();
  await eventually(async () => (await raw.llen(`redlatch_line:{${names[0]!}}`)) === 1);
  hold.onContended(late.listener);
  await eventually(() => late.calls === 1);

  const { lockName, holderId } = hold;
  expect(events).toEqual([{ resource: lockName, kind: 'multi-lock', holderId }]);
  expect(heard.calls).toBe(1);
  await hold.release();
  await (await first).release();
  await (await second).release();
});

test('a single lock hears of a multi-lock that waits for it', async () => {
  const names = [randomName('single'), randomName('single')];
  const [holder, other] = [open(), open()];
  const hold = await holder.getLock(names[1]!).acquire();
  const heard = ear();
  hold.onContended(heard.listener);
  await eventually(async () => await listens(raw, holder));

  const waiting = other.getMultiLock(names).acquire();

  await eventually(() => heard.calls === 1);
  await hold.release();
  await (await waiting).release();
});

test('a writer hears of readers of another client, not of those of its own; readers hear nothing', async () => {
  const name = randomName('readers');
  const [holder, other] = [open(), open()];
  const of = (client: Client) => client.getReadWriteLock(name);
  const hold = await of(holder).writeLock.acquire();
  const [heard, heardByReader] = [ear(), ear()];
  hold.onContended(heard.listener);
  await eventually(async () => await listens(raw, holder));
  const own = of(holder).readLock.acquire();
  await eventually(async () => (await raw.zcard(`redlatch_waiting:{${name}}`)) === 1);
  await turn();
  expect(heard.calls).toBe(0);

  const reading = of(other).readLock.acquire();

  await eventually(() => heard.calls === 1);
  await hold.release();
  const [ownReader, reader] = [await own, await reading];
  reader.onContended(heardByReader.listener);
  const writing = of(holder).writeLock.acquire();
  await eventually(async () => (await raw.zcard(`redlatch_writers:{${name}}`)) === 1);
  await turn();
  expect(heardByReader.calls).toBe(0);
  await ownReader.release();
  await reader.release();
  await (await writing).release();
});
