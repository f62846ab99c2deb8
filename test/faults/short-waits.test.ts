// Waits that are shorter than the way to the server leave nothing there: what they asked for is given
// back behind the ask, on its own connection.

import { setImmediate } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import type { Client } from '../../src/index.js';
import { fixture, rejection } from '../contract/fixture.js';
import { allLasting, kinds, lockKinds } from '../support/kinds/kinds.js';
import type { WireScript } from '../support/kinds/kind.js';
import { startProxy, type Proxy } from '../support/proxy.js';
import { keysUnder, redisUrl } from '../support/redis.js';
import { runs } from './world.js';

const { client, name, raw } = fixture('short', allLasting);

const WAITS = 10;

/** A client behind a proxy, connected. */
async function behindProxy(): Promise<{ proxy: Proxy; own: Client }> {
  const proxy = await startProxy({ target: redisUrl() });
  const own = client({ redis: proxy.url });
  await own.getLock(name()).isLocked();
  return { proxy, own };
}

/** The private records of a client about a name. */
async function recordsOf(own: Client, object: string): Promise<string[]> {
  const keys = await keysUnder(object, raw);
  return keys.filter((key) => key.includes(own.id)).map((key) => key.split(':')[0] ?? '');
}

describe.each(kinds)('a wait for a $what that is shorter than the way to it', (kind) => {
  test.each([
    ['free', false],
    ['held', true],
  ])('leaves no key when it is %s', async (_, isHeld) => {
    const object = name();
    const other = client();
    await kind.create(other, object);
    const before = isHeld ? await kind.rival(other, object).acquire() : undefined;
    const { proxy, own } = await behindProxy();
    const entrance = kind.get(own, object);

    proxy.pauseUpstream();
    for (let i = 0; i < WAITS; i += 1) {
      const error = await rejection(entrance.acquire({ waitMs: 1 }));
      expect(error).toMatchObject({ code: 'ERR_COMMAND_TIMEOUT' });
    }
    proxy.resumeUpstream();
    // It waits until everything was given back.
    await own.close();

    // Of permits that were granted the server keeps one record for all requests of the client.
    const left = kind.isSemaphore && !isHeld ? ['redlatch_requests'] : [];
    expect(await recordsOf(own, object)).toEqual(left);
    await before?.release();
    expect(await kind.isFree(object)).toBe(true);
  });
});

describe.each(lockKinds)('an ask for a $what that was given up', (kind) => {
  const isAsk = runs(
    ...[kind.scripts.acquire, kind.enter].filter((one): one is WireScript => !!one),
  );

  test.each([['NOSCRIPT No matching script'], ['MOVED 1 127.0.0.1:1']])(
    'is not sent again after %s',
    async (refusal) => {
      const object = name();
      const { proxy, own } = await behindProxy();
      const reply = Buffer.from(`-${refusal}\r\n`);
      proxy.rewriteReplies((command, answer) => (isAsk(command) ? reply : answer));
      proxy.pauseUpstream();

      await rejection(kind.get(own, object).acquire({ waitMs: 1 }));
      proxy.resumeUpstream();
      await own.close();
      await setImmediate();

      expect(proxy.requests().filter(isAsk)).toHaveLength(1);
      expect(await kind.isTaken(object)).toBe(false);
      expect(await recordsOf(own, object)).toEqual([]);
    },
  );
});

test('a read inside a write that is given up leaves no key', async () => {
  const object = name();
  const { proxy, own } = await behindProxy();
  const { readLock, writeLock } = own.getReadWriteLock(object);

  await writeLock.using(async () => {
    proxy.pauseUpstream();
    for (let i = 0; i < WAITS; i += 1) {
      await rejection(readLock.acquire({ waitMs: 1 }));
    }
    proxy.resumeUpstream();
  });
  await own.close();

  expect(await recordsOf(own, object)).toEqual([]);
});
