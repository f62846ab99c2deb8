// What a writer reads beside its write hold stands under the writer's own id, once: late bytes of one
// such read must not touch a later one.

import { expect, test } from 'vitest';
import * as scripts from '../../src/core/wire/scripts.generated.js';
import { eventually } from '../support/eventually.js';
import { faultWorlds, keepUnderWay, rejection, sendsCommands } from './world.js';
import { stored } from '../support/kinds/locks.js';

const open = faultWorlds('companions');

test.concurrent('a late release of a first read leaves a second one alone', async (context) => {
  const { proxy, name, client, other } = await open(context);
  const { readLock, writeLock } = client.getReadWriteLock(name);
  const write = await writeLock.acquire();
  const first = await readLock.acquire({ within: write });
  const late = keepUnderWay(proxy, scripts.rwlockReleaseRead);
  const releasing = first.release();
  await late.sent();
  proxy.cutAll(sendsCommands);
  await releasing;
  const second = await readLock.acquire({ within: write });
  await write.release();

  await late.deliver();

  expect(await other.getReadWriteLock(name).writeLock.tryAcquire()).toBeNull();
  expect(second.isHeld).toBe(true);
  await second.release();
});

test.concurrent('a late acquisition leaves no ghost beside a writer', async (context) => {
  const { proxy, name, client, other } = await open(context);
  const { readLock, writeLock } = client.getReadWriteLock(name);
  const write = await writeLock.acquire();
  const late = keepUnderWay(proxy, scripts.rwlockAcquireRead);
  const reading = readLock.acquire({ within: write });
  await late.sent();
  proxy.cutAll(sendsCommands);
  await (await reading).release();

  await late.deliver();
  await write.release();

  expect(await stored(name)).toEqual({});
  const next = await other.getReadWriteLock(name).writeLock.acquire();
  await next.release();
});

test.concurrent('a late acquisition that was aborted leaves no ghost', async (context) => {
  const { proxy, name, client, other } = await open(context);
  const { readLock, writeLock } = client.getReadWriteLock(name);
  const write = await writeLock.acquire();
  const late = keepUnderWay(proxy, scripts.rwlockAcquireRead);
  const abort = new AbortController();
  const reading = rejection(readLock.acquire({ within: write, signal: abort.signal }));
  await late.sent();
  proxy.cutAll(sendsCommands);
  abort.abort(new Error('left'));
  await reading;
  await write.release();

  await late.deliver();

  expect(await stored(name)).toEqual({});
  const next = await other.getReadWriteLock(name).writeLock.acquire();
  await next.release();
});

test.concurrent('each later read of one writer has an id of its own', async (context) => {
  const { name, client } = await open(context);
  const { readLock, writeLock } = client.getReadWriteLock(name);

  await writeLock.using(async (write) => {
    const first = await readLock.acquire();
    await first.release();
    const second = await readLock.acquire();

    expect(first.holderId).toBe(write.holderId);
    expect(second.holderId).not.toBe(write.holderId);
    expect(await readLock.holdCount()).toBe(1);
    await second.release();
  });

  await eventually(async () => expect(await stored(name)).toEqual({}));
});
