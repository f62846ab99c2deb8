// Places in line, taken and left by bytes that reach the server after everything that came later.

import { describe, expect, test } from 'vitest';
import * as scripts from '../../src/core/wire/scripts.generated.js';
import { eventually } from '../support/eventually.js';
import { keysUnder, rawClient } from '../support/redis.js';
import {
  expectHolder,
  faultWorlds,
  keepUnderWay,
  listening,
  queues,
  rejection,
  sendsCommands,
  settledRequests,
  take,
} from './world.js';
import { fairLock, readLock, writeLock } from '../support/kinds/locks.js';
import type { LockKind } from '../support/kinds/kind.js';

const open = faultWorlds('late-line');

const lines: readonly (readonly [LockKind, string])[] = [
  [fairLock, 'redisson_lock_queue'],
  [readLock, 'redlatch_waiting'],
  [writeLock, 'redlatch_writers'],
];

/** How many stand in a line of either sort. */
async function lineLength(line: string): Promise<number> {
  const raw = rawClient();
  const isList = (await raw.type(line)) === 'list';
  return isList ? await raw.llen(line) : await raw.zcard(line);
}

/** What is there beside the lock and what says that something must not happen any more. */
async function remains(name: string): Promise<string[]> {
  const keys = await keysUnder(`{${name}}`);
  return keys.filter((key) => !/^redlatch_(?:cancelled|requests|tickets):/u.test(key));
}

for (const [kind, prefix] of lines) {
  const lineOf = (name: string): string => `${prefix}:{${name}}`;

  describe.concurrent(`a place in line for a ${kind.what}`, () => {
    test('does not come back when its waiter has given up', async (context) => {
      const { proxy, name, client, other } = await open(context);
      const held = await take(kind.rival(other, name));
      const late = keepUnderWay(proxy, kind.scripts.acquire, queues);
      const abort = new AbortController();

      const leaving = rejection(kind.get(client, name).acquire({ signal: abort.signal }));
      await late.sent();
      proxy.cutAll(sendsCommands);
      await eventually(async () => (await lineLength(lineOf(name))) === 1);
      abort.abort(new Error('left'));
      await leaving;
      await eventually(async () => (await lineLength(lineOf(name))) === 0);
      await late.deliver();

      expect(await lineLength(lineOf(name))).toBe(0);
      await held.release();
      expect(await remains(name)).toEqual([]);
      await (await take(kind.rival(other, name))).release();
    });

    test('does not come back when its waiter got in and has left', async (context) => {
      const { proxy, name, client, other } = await open(context);
      const held = await take(kind.rival(other, name));
      const late = keepUnderWay(proxy, kind.scripts.acquire, queues);

      const waiting = kind.get(client, name).acquire();
      await late.sent();
      proxy.cutAll(sendsCommands);
      await eventually(async () => (await lineLength(lineOf(name))) === 1);
      await held.release();
      await (await waiting).release();
      const next = await take(kind.rival(other, name));
      await late.deliver();

      expect(await lineLength(lineOf(name))).toBe(0);
      await expectHolder(name, next);
    });

    test('does not come back while its waiter is in', async (context) => {
      const { proxy, name, client, other } = await open(context);
      const held = await take(kind.rival(other, name));
      const late = keepUnderWay(proxy, kind.scripts.acquire, queues);

      const waiting = kind.get(client, name).acquire();
      await late.sent();
      proxy.cutAll(sendsCommands);
      await eventually(async () => (await lineLength(lineOf(name))) === 1);
      await held.release();
      const hold = await waiting;
      await late.deliver();

      await expectHolder(name, hold);
      expect(await lineLength(lineOf(name))).toBe(0);
      await hold.release();
      expect(await remains(name)).toEqual([]);
    });
  });
}

describe.concurrent('leaving a line', () => {
  for (const kind of [fairLock, writeLock]) {
    test(`as a waiter for a ${kind.what} takes along nobody who came later`, async (context) => {
      const { proxy, name, client, other } = await open(context);
      const held = await take(kind.get(other, name));
      const abort = new AbortController();
      const leaving = rejection(kind.get(client, name).acquire({ signal: abort.signal }));
      await listening(name);
      await settledRequests(proxy, name);
      const late = keepUnderWay(proxy, kind.scripts.release);

      abort.abort(new Error('left'));
      await leaving;
      await late.sent();
      proxy.cutAll(sendsCommands);
      const waiting = kind.get(client, name).acquire();
      await settledRequests(proxy, name);
      await late.deliver();
      await held.release();

      await expectHolder(name, await waiting);
    });
  }

  test('as the last reader costs a reader that came later no more than a beat', async (context) => {
    const { proxy, name, client, other } = await open(context);
    const held = await take(writeLock.get(other, name));
    const abort = new AbortController();
    const leaving = rejection(readLock.get(client, name).acquire({ signal: abort.signal }));
    await listening(name);
    await settledRequests(proxy, name);
    const late = keepUnderWay(proxy, scripts.rwlockLeaveQueue);

    abort.abort(new Error('left'));
    await leaving;
    await late.sent();
    proxy.cutAll(sendsCommands);
    const waiting = readLock.get(client, name).acquire();
    await settledRequests(proxy, name);
    await late.deliver();

    await eventually(async () => (await lineLength(`redlatch_waiting:{${name}}`)) === 1);
    await held.release();
    await expectHolder(name, await waiting);
  });
});

describe.concurrent('bytes of readers and writers that arrive late', () => {
  test('readers that were let in together, and have left, leave no ghosts', async (context) => {
    const { proxy, name, client, other } = await open(context);
    const held = await take(writeLock.get(other, name));
    const waits = [1, 2, 3].map(() => readLock.get(client, name).acquire());
    await listening(name);
    await settledRequests(proxy, name);
    const late = keepUnderWay(proxy, scripts.rwlockAcquireRead);

    await held.release();
    await late.sent();
    proxy.cutAll(sendsCommands);
    const holds = await Promise.all(waits);
    await Promise.all(holds.map(async (hold) => await hold.release()));
    await late.deliver();

    expect(await readLock.isFree(name)).toBe(true);
    expect(await remains(name)).toEqual([]);
  });

  test('the write release of a downgrade leaves those alone who read since', async (context) => {
    const { proxy, name, client, other } = await open(context);
    const writing = await take(writeLock.get(client, name));
    const reading = await take(readLock.get(client, name), { within: writing });
    const late = keepUnderWay(proxy, scripts.rwlockReleaseWrite);

    const releasing = writing.release();
    await late.sent();
    proxy.cutAll(sendsCommands);
    await releasing;
    const reader = await take(readLock.get(other, name));
    await reading.release();
    await late.deliver();

    await expectHolder(name, reader);
    expect(await rawClient().hget(name, 'mode')).toBe('read');
  });
});
