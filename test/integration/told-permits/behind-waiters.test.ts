// The first use of a number of permits while a wait of the same client is blocked, which nobody's
// number could serve so far.

import { describe, expect, test } from 'vitest';
import type { Client } from '../../../src/index.js';
import { fixture } from '../../contract/fixture.js';
import { eventually } from '../../support/eventually.js';
import { startProxy, type Proxy } from '../../support/proxy.js';
import { redisUrl } from '../../support/redis.js';
import { configured, kinds, lasting, left, scriptsAbout, takes, type Kind } from './world.js';

const { client, name, raw } = fixture('behind-waiters', lasting);

/** A wait of this client that the server has refused: it asks again after five seconds. */
async function blocked(
  kind: Kind,
  own: Client,
  id: string,
): Promise<{ granted: Promise<unknown>; since: number }> {
  const since = performance.now();
  const granted = kind.wait(own, id, 20_000);
  await eventually(async () => {
    const [, listeners] = (await raw.pubsub('NUMSUB', `redisson_sc:{${id}}`)) as [string, number];
    expect(listeners).toBe(1);
  });
  await own.getLock(name()).isLocked();
  return { granted, since };
}

/** How many scripts about a name went through a proxy. */
function asks(proxy: Proxy, id: string): number {
  const about = proxy.requests().filter((command) => command.some((part) => part.includes(id)));
  return about.filter(([command = '']) => /^eval/iu.test(command)).length;
}

describe.each(kinds)('$kind', (kind) => {
  test('an attempt sets the number, and gets what the wait before it leaves', async () => {
    const [own, id] = [client(), name()];
    const { granted, since } = await blocked(kind, own, id);

    const back = await takes(kind, own, id, 5);
    await granted;

    expect(performance.now() - since).toBeLessThan(4_000);
    expect(await left(id)).toBe(3);
    await back();
  });

  test('a wait sets the number at once', async () => {
    const [own, id] = [client(), name()];
    const { granted, since } = await blocked(kind, own, id);

    await Promise.all([granted, kind.wait(own, id, 20_000, 5)]);

    expect(performance.now() - since).toBeLessThan(4_000);
    expect(await left(id)).toBe(3);
  });

  test('an attempt that is made while the wait is asked for sets the number', async () => {
    const proxy = await startProxy({ target: redisUrl() });
    const own = client({ redis: proxy.url });
    const id = name();
    await own.getLock(name()).isLocked();
    proxy.pauseDownstream();
    const waiting = kind.wait(own, id, 20_000);
    await eventually(() => expect(scriptsAbout(proxy, id)).toHaveLength(1));

    const taking = takes(kind, own, id, 5);
    proxy.resumeDownstream();
    await Promise.all([waiting, taking]);

    expect(await left(id)).toBe(3);
  });

  test('an attempt compares the number, and is refused by the wait before it', async () => {
    const [own, id] = [client(), name()];
    const events = configured(own);
    await kind.get(client(), id).trySetPermits(0);
    const { granted } = await blocked(kind, own, id);

    expect(await kind.take(own, id, 5)).toBeNull();

    expect(events).toEqual([{ resource: id, kind: kind.kind, permits: 0, wanted: 5 }]);
    await kind.get(client(), id).addPermits(1);
    await granted;
  });

  test('once the number is known an attempt behind the wait sends nothing', async () => {
    const proxy = await startProxy({ target: redisUrl() });
    const own = client({ redis: proxy.url });
    const id = name();
    expect(await kind.take(own, id, 0)).toBeNull();
    const { granted } = await blocked(kind, own, id);
    // The confirmation of the subscription makes the wait ask once more.
    await eventually(() => expect(asks(proxy, id)).toBe(4));
    await own.getLock(name()).isLocked();

    expect(await kind.take(own, id, 0)).toBeNull();

    expect(asks(proxy, id)).toBe(4);
    await kind.get(client(), id).addPermits(1);
    await granted;
  });
});

test('with set an attempt grows the semaphore, and gets what the wait before it leaves', async () => {
  const [own, id] = [client(), name()];
  const kind = kinds[1];
  if (kind === undefined) {
    throw new Error('there is a second kind');
  }
  const theirs = client().getPermitExpirableSemaphore(id);
  await theirs.trySetPermits(1);
  await theirs.acquire();
  const { granted, since } = await blocked(kind, own, id);

  await takes(kind, own, id, { count: 5, onMismatch: 'set' });
  await granted;

  expect(performance.now() - since).toBeLessThan(4_000);
  expect(await left(id)).toBe(2);
});
