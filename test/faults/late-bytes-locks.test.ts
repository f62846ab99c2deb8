// The bytes of an old connection reach the server after everything that was sent on the new one.

import { describe, expect, test } from 'vitest';
import * as scripts from '../../src/core/wire/scripts.generated.js';
import { rawClient } from '../support/redis.js';
import { expectHolder, faultWorlds, keepUnderWay, sendsCommands, take } from './world.js';
import { lockKinds } from '../support/kinds/kinds.js';
import { titled } from '../support/kinds/kind.js';
import { stored } from '../support/kinds/locks.js';

const open = faultWorlds('late-lock');

describe.concurrent.each(titled(lockKinds))('bytes of a %s that arrive late', (_, kind) => {
  test('an acquisition that was released since leaves no ghost', async (context) => {
    const { proxy, name, client, other } = await open(context);
    const late = keepUnderWay(proxy, kind.scripts.acquire);

    const acquiring = take(kind.get(client, name));
    await late.sent();
    proxy.cutAll(sendsCommands);
    const hold = await acquiring;
    await expectHolder(name, hold);
    await hold.release();
    await late.deliver();

    expect(await stored(name)).toEqual({});
    const burnt = kind.tombstone(name, hold.holderId);
    expect(await rawClient().pttl(burnt)).toBeGreaterThan(0);
    expect(await kind.rival(other, name).tryAcquire()).not.toBeNull();
  });

  test('an acquisition that was aborted leaves no ghost', async (context) => {
    const { proxy, name, client, other } = await open(context);
    const abort = new AbortController();
    const late = keepUnderWay(proxy, kind.enter ?? kind.scripts.acquire);

    const acquiring = kind.get(client, name).acquire({ signal: abort.signal });
    await late.sent();
    abort.abort(new Error('enough'));
    await expect(acquiring).rejects.toThrow('enough');
    proxy.cutAll(sendsCommands);
    expect(await kind.get(client, name).isLocked()).toBe(false);
    await late.deliver();

    expect(await stored(name)).toEqual({});
    expect(await kind.rival(other, name).tryAcquire()).not.toBeNull();
  });

  test('a release leaves the lock to the owner who came after it', async (context) => {
    const { proxy, name, client, other } = await open(context);
    const hold = await take(kind.get(client, name));
    const late = keepUnderWay(proxy, kind.scripts.release);

    const releasing = hold.release();
    await late.sent();
    expect(await kind.rival(other, name).tryAcquire()).toBeNull();
    proxy.cutAll(sendsCommands);
    await releasing;
    const taken = await take(kind.rival(other, name));
    await late.deliver();

    await expectHolder(name, taken);
  });

  test('a release leaves the lock to its own client, which took it again', async (context) => {
    const { proxy, name, client } = await open(context);
    const hold = await take(kind.get(client, name));
    const late = keepUnderWay(proxy, kind.scripts.release);

    const releasing = hold.release();
    await late.sent();
    proxy.cutAll(sendsCommands);
    await releasing;
    const again = await take(kind.get(client, name));
    await late.deliver();

    await expectHolder(name, again);
    expect(again.isHeld).toBe(true);
  });

  test('a re-entry that was released since leaves no ghost', async (context) => {
    const { proxy, name, client } = await open(context);
    const lock = kind.get(client, name);
    const outer = await take(lock);
    const late = keepUnderWay(proxy, kind.reenter ?? kind.scripts.acquire);

    const entering = take(lock, { within: outer });
    await late.sent();
    proxy.cutAll(sendsCommands);
    const inner = await entering;
    await inner.release();
    await outer.release();
    await late.deliver();

    expect(await stored(name)).toEqual({});
  });

  test('a re-entry that was released since does not keep the outer hold from freeing', async (context) => {
    const { proxy, name, client } = await open(context);
    const lock = kind.get(client, name);
    const outer = await take(lock);
    const late = keepUnderWay(proxy, kind.reenter ?? kind.scripts.acquire);

    const entering = take(lock, { within: outer });
    await late.sent();
    proxy.cutAll(sendsCommands);
    const inner = await entering;
    await inner.release();
    await late.deliver();
    expect(outer.isHeld).toBe(true);
    await outer.release();

    expect(await stored(name)).toEqual({});
  });

  test('the release of a re-entry does not free the lock of a later re-entry', async (context) => {
    const { proxy, name, client, other } = await open(context);
    const lock = kind.get(client, name);
    const outer = await take(lock);
    const first = await take(lock, { within: outer });
    const late = keepUnderWay(proxy, kind.scripts.release);

    const releasing = first.release();
    await late.sent();
    proxy.cutAll(sendsCommands);
    await releasing;
    const second = await take(lock, { within: outer });
    await outer.release();
    await late.deliver();

    expect(second.isHeld).toBe(true);
    expect(await kind.rival(other, name).tryAcquire()).toBeNull();
    await second.release();
    expect(await stored(name)).toEqual({});
  });

  test('a renewal leaves the lease of the next owner alone', async (context) => {
    const { proxy, name, open: start, other } = await open(context);
    const hold = await take(kind.get(start({ leaseMs: 900 }), name));
    const late = keepUnderWay(proxy, kind.scripts.renew);

    await late.sent();
    proxy.cutAll(sendsCommands);
    await hold.release();
    const taken = await take(kind.rival(other, name), { leaseMs: 500 });
    await late.deliver();

    await expectHolder(name, taken);
    expect(await rawClient().pttl(name)).toBeLessThanOrEqual(500);
  });

  test('an extension does not shorten a longer one that came after it', async (context) => {
    const { proxy, name, client } = await open(context);
    const hold = await take(kind.get(client, name), { leaseMs: 5_000 });
    const late = keepUnderWay(proxy, kind.scripts.renew);

    const first = hold.extend(10_000);
    await late.sent();
    proxy.cutAll(sendsCommands);
    await first;
    await hold.extend(60_000);
    await late.deliver();

    expect(await rawClient().pttl(name)).toBeGreaterThan(50_000);
  });
});

test('a fenced acquisition that was released since leaves no ghost and no token', async (context) => {
  const { proxy, name, client } = await open(context);
  const late = keepUnderWay(proxy, scripts.lockAcquireFenced);

  const acquiring = take(client.getFencedLock(name));
  await late.sent();
  proxy.cutAll(sendsCommands);
  const hold = await acquiring;
  await hold.release();
  await late.deliver();

  expect(await stored(name)).toEqual({});
  const token = await rawClient().get(`redisson_lock_token:{${name}}`);
  expect(token).toBe(String(hold.fencingToken));
});
