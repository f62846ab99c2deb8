// The bytes of an old connection reach the server after everything that was sent on the new one.

import { describe, expect, test } from 'vitest';
import * as scripts from '../../src/core/wire/scripts.generated.js';
import { faultWorlds, keepUnderWay, sendsCommands } from './world.js';

const open = faultWorlds('late-latch');

describe.concurrent('bytes of a latch that arrive late', () => {
  test('a latch that was set and counted down since is not set again', async (context) => {
    const { proxy, name, client, other } = await open(context);
    const late = keepUnderWay(proxy, scripts.latchTrySetCount);

    const setting = client.getCountDownLatch(name).trySetCount(1);
    await late.sent();
    proxy.cutAll(sendsCommands);
    expect(await setting).toBe(true);
    await other.getCountDownLatch(name).countDown();
    await late.deliver();

    expect(await other.getCountDownLatch(name).count()).toBe(0);
  });

  test('one call counts down by one', async (context) => {
    const { proxy, name, client, other } = await open(context);
    await other.getCountDownLatch(name).trySetCount(3);
    const late = keepUnderWay(proxy, scripts.latchCountDown);

    const counting = client.getCountDownLatch(name).countDown();
    await late.sent();
    proxy.cutAll(sendsCommands);
    await counting;
    expect(await other.getCountDownLatch(name).count()).toBe(2);
    await late.deliver();

    expect(await other.getCountDownLatch(name).count()).toBe(2);
    await other.getCountDownLatch(name).delete();
  });

  test('a call counts down by one even when many others were settled since', async (context) => {
    const { proxy, name, client, other } = await open(context);
    const latch = client.getCountDownLatch(name);
    await latch.trySetCount(30);
    const late = keepUnderWay(proxy, scripts.latchCountDown);

    const counting = latch.countDown();
    await late.sent();
    proxy.cutAll(sendsCommands);
    await counting;
    await Promise.all(Array.from({ length: 20 }, async () => await latch.countDown()));
    await latch.countDown();
    await late.deliver();

    expect(await other.getCountDownLatch(name).count()).toBe(8);
    await latch.delete();
  });

  test('the call that reached zero spares the latch that was set after it', async (context) => {
    const { proxy, name, client, other } = await open(context);
    await other.getCountDownLatch(name).trySetCount(1);
    const late = keepUnderWay(proxy, scripts.latchCountDown);

    const counting = client.getCountDownLatch(name).countDown();
    await late.sent();
    proxy.cutAll(sendsCommands);
    await counting;
    await other.getCountDownLatch(name).trySetCount(1);
    await late.deliver();

    expect(await other.getCountDownLatch(name).count()).toBe(1);
    await other.getCountDownLatch(name).delete();
  });

  test('a deletion spares the latch that was set after it', async (context) => {
    const { proxy, name, client, other } = await open(context);
    await other.getCountDownLatch(name).trySetCount(1);
    const late = keepUnderWay(proxy, scripts.latchDelete);

    const deleting = client.getCountDownLatch(name).delete();
    await late.sent();
    proxy.cutAll(sendsCommands);
    expect(await deleting).toBe(true);
    await other.getCountDownLatch(name).trySetCount(5);
    await late.deliver();

    expect(await other.getCountDownLatch(name).count()).toBe(5);
    await other.getCountDownLatch(name).delete();
  });
});
