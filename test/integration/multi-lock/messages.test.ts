// What a multi-lock is told, and tells, while it waits.

import { expect, test } from 'vitest';
import { lockRecheck } from '../../../src/core/wire/scripts.generated.js';
import { eventually } from '../../support/eventually.js';
import { messagesOn } from '../../support/messages.js';
import { startProxy } from '../../support/proxy.js';
import { rawClient, redisUrl } from '../../support/redis.js';
import { testScope } from '../../support/scope.js';
import { waitsFor } from './world.js';

const scope = testScope('multi-messages');
const raw = rawClient();

test('a grant whose message comes before the ticket is known is kept until then', async () => {
  const proxy = await startProxy({ target: redisUrl() });
  const [client, other] = [scope.client({ redis: proxy.url }), scope.client()];
  const lock = client.getMultiLock([scope.name(), scope.name()]);
  const [, second = ''] = lock.names;
  // It listens to its own channel from its first wait on.
  const before = await other.getLock(second).acquire();
  const waiting = lock.acquire();
  await waitsFor(second);
  await before.release();
  await (await waiting).release();
  const messages = await messagesOn(`redlatch:${client.id}`);
  const busy = await other.getLock(second).acquire();
  const commands = proxy.connections().find(({ isSubscriber }) => !isSubscriber);

  commands?.down.stop('paused');
  const acquiring = lock.acquire();
  await waitsFor(second);
  const [ticket] = await raw.lrange(`redlatch_line:{${second}}`, 0, -1);
  await busy.release();
  await eventually(() => messages.some((message) => message.startsWith(`g${ticket} `)));
  commands?.down.go('paused');
  const hold = await acquiring;

  expect(await raw.hkeys(second)).toEqual([ticket]);
  expect(hold.isHeld).toBe(true);
  const asked = proxy.requests().filter(([, script]) => script === lockRecheck.sha1);
  expect(asked).toEqual([]);
  await hold.release();
});

test('the first waiter of a name whose lease is shortened is told of that', async () => {
  const [client, other, third] = [scope.client(), scope.client(), scope.client()];
  const lock = client.getMultiLock([scope.name(), scope.name()]);
  const [first = '', second = ''] = lock.names;
  const busy = await other.getLock(second).acquire();
  const acquiring = lock.acquire({ leaseMs: 5_000 });
  await waitsFor(second);
  const waiting = third.getLock(first).acquire();
  await waitsFor(first);
  const [ticket] = await raw.lrange(`redlatch_line:{${first}}`, 0, -1);
  const messages = await messagesOn(`redlatch:${third.id}`);

  await busy.release();
  const hold = await acquiring;

  await eventually(() => expect(messages).toContain(`r${ticket} ${first}`));
  expect(await raw.pttl(first)).toBeLessThanOrEqual(5_000);
  await hold.release();
  await (await waiting).release();
});

test('the ticket that a multi-lock leaves to another waiter of its client is granted to that', async () => {
  const [client, other] = [scope.client(), scope.client()];
  const lock = client.getMultiLock([scope.name(), scope.name()]);
  const [first = '', second = ''] = lock.names;
  const busy = await other.getLock(second).acquire();
  const leaving = lock.tryAcquire({ waitMs: 400 });
  await waitsFor(second);
  const waiting = client.getLock(second).acquire();
  const [ticket] = await raw.lrange(`redlatch_line:{${second}}`, 0, -1);
  // What it had of the other lock was held under the id of that ticket.
  expect(await raw.hkeys(first)).toEqual([ticket]);
  expect(await leaving).toBeNull();
  await eventually(async () => (await raw.exists(first)) === 0);

  await busy.release();
  const hold = await waiting;

  expect(hold.holderId).toBe(ticket);
  // Behind all that was sent about the message.
  expect(await client.getLock(second).isLocked()).toBe(true);
  expect(await raw.hkeys(second)).toEqual([ticket]);
  await hold.release();
});

test('the next waiter of a client is asked for right behind the release', async () => {
  const proxy = await startProxy({ target: redisUrl() });
  const client = scope.client({ redis: proxy.url });
  const lock = client.getMultiLock([scope.name(), scope.name()]);
  const [first = ''] = lock.names;
  const hold = await lock.acquire();
  const waiting = lock.acquire();
  await waitsFor(first);
  const behind = lock.acquire();
  await hold.release();
  const next = await waiting;
  const commands = proxy.connections().find(({ isSubscriber }) => !isSubscriber);

  commands?.down.stop('paused');
  const released = next.release();
  await eventually(async () => {
    const [holder = ''] = await raw.hkeys(first);
    expect(holder).toContain(client.id);
    expect(holder).not.toBe(next.holderId);
  });
  commands?.down.go('paused');
  await released;

  await (await behind).release();
});

test('its release hands each name on to those who wait, and leaves it to those who stand in no line', async () => {
  const [client, other, stranger] = [scope.client(), scope.client(), rawClient()];
  const lock = client.getMultiLock([scope.name(), scope.name(), scope.name()]);
  const [first = '', second = '', third = ''] = lock.names;
  const hold = await lock.acquire();
  const waiting = other.getLock(second).acquire();
  await waitsFor(second);
  const [ticket] = await raw.lrange(`redlatch_line:{${second}}`, 0, -1);

  await hold.release();
  const holders = [await raw.hkeys(first), await raw.hkeys(second), await raw.hkeys(third)];
  await (await waiting).release();
  await stranger.subscribe(`redisson_lock__channel:{${third}}`);
  await (await lock.acquire()).release();
  const leftTo = await raw.hget(`redlatch_tickets:{${third}}`, 'back');

  expect(holders).toEqual([[], [ticket], []]);
  expect(Number(leftTo)).toBeGreaterThan(0);
});
