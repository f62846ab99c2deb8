// The bytes of an old connection reach the server after everything that was sent on the new one.

import { describe, expect, test } from 'vitest';
import * as scripts from '../../src/core/scripts.generated.js';
import { rawClient } from '../support/redis.js';
import { expectHolder, faultWorlds, keepUnderWay, sendsCommands, stored, take } from './world.js';

const open = faultWorlds('late-lock');

describe.concurrent('bytes of a lock that arrive late', () => {
  test('an acquisition that was released since leaves no ghost', async (context) => {
    const { proxy, name, client, other } = await open(context);
    const late = keepUnderWay(proxy, scripts.lockAcquire);

    const acquiring = take(client.getLock(name));
    await late.sent();
    proxy.cutAll(sendsCommands);
    const hold = await acquiring;
    await expectHolder(name, hold);
    await hold.release();
    await late.deliver();

    expect(await stored(name)).toEqual({});
    const burnt = `latchkey_cancelled:{${name}}:${hold.holderId}`;
    expect(await rawClient().pttl(burnt)).toBeGreaterThan(0);
    expect(await other.getLock(name).tryAcquire()).not.toBeNull();
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

  test('an acquisition that was aborted leaves no ghost', async (context) => {
    const { proxy, name, client, other } = await open(context);
    const abort = new AbortController();
    const late = keepUnderWay(proxy, scripts.lockAcquire);

    const acquiring = client.getLock(name).acquire({ signal: abort.signal });
    await late.sent();
    abort.abort(new Error('enough'));
    await expect(acquiring).rejects.toThrow('enough');
    proxy.cutAll(sendsCommands);
    expect(await client.getLock(name).isLocked()).toBe(false);
    await late.deliver();

    expect(await stored(name)).toEqual({});
    expect(await other.getLock(name).tryAcquire()).not.toBeNull();
  });

  test('a release leaves the lock to the owner who came after it', async (context) => {
    const { proxy, name, client, other } = await open(context);
    const hold = await take(client.getLock(name));
    const late = keepUnderWay(proxy, scripts.lockRelease);

    const releasing = hold.release();
    await late.sent();
    expect(await other.getLock(name).tryAcquire()).toBeNull();
    proxy.cutAll(sendsCommands);
    await releasing;
    const taken = await take(other.getLock(name));
    await late.deliver();

    await expectHolder(name, taken);
  });

  test('a release leaves the lock to its own client, which took it again', async (context) => {
    const { proxy, name, client } = await open(context);
    const hold = await take(client.getLock(name));
    const late = keepUnderWay(proxy, scripts.lockRelease);

    const releasing = hold.release();
    await late.sent();
    proxy.cutAll(sendsCommands);
    await releasing;
    const again = await take(client.getLock(name));
    await late.deliver();

    await expectHolder(name, again);
    expect(again.isHeld).toBe(true);
  });

  test('a re-entry that was released since leaves no ghost', async (context) => {
    const { proxy, name, client } = await open(context);
    const lock = client.getLock(name);
    const outer = await take(lock);
    const late = keepUnderWay(proxy, scripts.lockAcquire);

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
    const lock = client.getLock(name);
    const outer = await take(lock);
    const late = keepUnderWay(proxy, scripts.lockAcquire);

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
    const lock = client.getLock(name);
    const outer = await take(lock);
    const first = await take(lock, { within: outer });
    const late = keepUnderWay(proxy, scripts.lockRelease);

    const releasing = first.release();
    await late.sent();
    proxy.cutAll(sendsCommands);
    await releasing;
    const second = await take(lock, { within: outer });
    await outer.release();
    await late.deliver();

    expect(second.isHeld).toBe(true);
    expect(await other.getLock(name).tryAcquire()).toBeNull();
    await second.release();
    expect(await stored(name)).toEqual({});
  });

  test('a renewal leaves the lease of the next owner alone', async (context) => {
    const { proxy, name, open: start, other } = await open(context);
    const hold = await take(start({ leaseMs: 900 }).getLock(name));
    const late = keepUnderWay(proxy, scripts.lockRenew);

    await late.sent();
    proxy.cutAll(sendsCommands);
    await hold.release();
    const taken = await take(other.getLock(name), { leaseMs: 500 });
    await late.deliver();

    await expectHolder(name, taken);
    expect(await rawClient().pttl(name)).toBeLessThanOrEqual(500);
  });

  test('an extension does not shorten a longer one that came after it', async (context) => {
    const { proxy, name, client } = await open(context);
    const hold = await take(client.getLock(name), { leaseMs: 5_000 });
    const late = keepUnderWay(proxy, scripts.lockRenew);

    const first = hold.extend(10_000);
    await late.sent();
    proxy.cutAll(sendsCommands);
    await first;
    await hold.extend(60_000);
    await late.deliver();

    expect(await rawClient().pttl(name)).toBeGreaterThan(50_000);
  });

  test('a forced release spares the owner who came after it', async (context) => {
    const { proxy, name, client, other } = await open(context);
    await take(other.getLock(name));
    const late = keepUnderWay(proxy, scripts.lockForceRelease);

    const forcing = client.getLock(name).forceRelease();
    await late.sent();
    proxy.cutAll(sendsCommands);
    expect(await forcing).toBe(true);
    const taken = await take(other.getLock(name));
    await late.deliver();

    await expectHolder(name, taken);
  });
});
