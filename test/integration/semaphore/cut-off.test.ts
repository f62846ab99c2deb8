// Who asks while Redis is away is told so, also when others were waiting before.

import { describe, expect, test } from 'vitest';
import { CommandTimeoutError, type Client, type WaitOptions } from '../../../src/index.js';
import { fixture, rejection } from '../../contract/fixture.js';
import { startProxy, type Proxy } from '../../support/proxy.js';
import { redisUrl } from '../../support/redis.js';
import { listening } from './world.js';

const { client, name, raw } = fixture('sem-cut-off', [/^redlatch-test:/]);

interface Gate {
  available(): Promise<number>;
  acquire(): Promise<unknown>;
  tryAcquire(options?: WaitOptions): Promise<unknown>;
}

const kinds = [
  {
    kind: 'semaphore',
    gate(own: Client, object: string): Gate {
      const semaphore = own.getSemaphore(object);
      return {
        available: async () => await semaphore.availablePermits(),
        acquire: async () => await semaphore.acquire(),
        tryAcquire: async (options) => await semaphore.tryAcquire(1, options),
      };
    },
  },
  {
    kind: 'permit-expirable semaphore',
    gate(own: Client, object: string): Gate {
      const semaphore = own.getPermitExpirableSemaphore(object);
      return {
        available: async () => await semaphore.availablePermits(),
        acquire: async () => await semaphore.acquire(),
        tryAcquire: async (options) => await semaphore.tryAcquire(options),
      };
    },
  },
];

/** From here on the client knows that it has no connection. */
async function cutOff(proxy: Proxy, object: Gate): Promise<void> {
  proxy.refuse();
  proxy.cutAll();
  await rejection(object.available());
}

describe.each(kinds)('$kind', (face) => {
  /** A client over a proxy, of which somebody waits already. */
  async function stage(commandTimeoutMs: number): Promise<{ object: Gate; proxy: Proxy }> {
    const proxy = await startProxy({ target: redisUrl() });
    const own = client({ redis: proxy.url, commandTimeoutMs });
    const id = name();
    const object = face.gate(own, id);
    object.acquire().catch(() => undefined);
    await listening(raw, id);
    await object.available();
    return { object, proxy };
  }

  test('an attempt while Redis is away is no contention', async () => {
    const { object, proxy } = await stage(200);
    await cutOff(proxy, object);

    const errors = await Promise.all([
      rejection(object.tryAcquire()),
      rejection(object.tryAcquire({ waitMs: 300 })),
    ]);

    for (const error of errors) {
      expect(error).toMatchObject({ code: 'ERR_COMMAND_TIMEOUT' });
    }
  });

  test('an attempt while Redis is away is answered when it is back', async () => {
    const { object, proxy } = await stage(1_500);
    await cutOff(proxy, object);
    const order: string[] = [];

    const attempt = object.tryAcquire().then((answer) => {
      order.push('answered');
      return answer;
    });
    await new Promise((resolve) => setImmediate(resolve));
    order.push('back');
    await proxy.accept();

    expect(await attempt).toBeNull();
    expect(order).toEqual(['back', 'answered']);
  });

  test('who was told to wait before Redis went away is told of that', async () => {
    const { object, proxy } = await stage(200);

    const waiting = rejection(object.tryAcquire({ waitMs: 600 }));
    await cutOff(proxy, object);

    expect(await waiting).toBeInstanceOf(CommandTimeoutError);
  });
});
