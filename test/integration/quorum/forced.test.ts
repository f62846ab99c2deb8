// A lock of a quorum that is freed by force, on all servers or on some.

import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { lockRenew } from '../../../src/core/wire/scripts.generated.js';
import { LeaseLostError, OutcomeUnknownError } from '../../../src/index.js';
import { rejection } from '../../contract/fixture.js';
import { eventually } from '../../support/eventually.js';
import { startProxy } from '../../support/proxy.js';
import { quorumOfFile } from '../../support/quorum.js';

const stage = await quorumOfFile('quorum-forced');

const renews = ([, script = '']: readonly string[]): boolean =>
  script === lockRenew.sha1 || script === lockRenew.source;

/** Someone else who has the lock on one server, for long enough. */
async function occupy(name: string, place: number): Promise<void> {
  await stage.raw(place).hset(name, `${randomUUID()}:1`, 1);
  await stage.raw(place).pexpire(name, 60_000);
}

test('a client is never told to hold it twice, though it has not heard that it was forced out', async () => {
  const [client, other] = [await stage.connected(), await stage.connected()];
  const lock = client.getLock(stage.name());
  const before = await lock.acquire();
  const losses: string[] = [];
  client.on('lost', ({ holderId, error }) => losses.push(`${holderId} ${error.reason}`));

  expect(await other.getLock(lock.name).forceRelease()).toBe(true);
  const next = await eventually(async () => await lock.tryAcquire({ within: null }));

  expect([before.isHeld, before.state, next.isHeld]).toEqual([false, 'lost', true]);
  await eventually(() => losses.length > 0);
  expect(losses).toEqual([expect.stringContaining(before.holderId)]);
  await rejection(before.release());
  await next.release();
  await stage.expectNothingLeft();
});

test('a release that finds it freed on so many servers that no majority had it reports the loss', async () => {
  const client = await stage.connected();
  const name = stage.name();
  await occupy(name, 2);
  const hold = await client.getLock(name).acquire();

  await stage.raw(0).del(name);
  const error = await rejection(hold.release());

  expect(error).toBeInstanceOf(LeaseLostError);
  expect(error).toMatchObject({ reason: 'deleted' });
  await stage.raw(2).del(name);
  await stage.expectNothingLeft();
});

test('a server that never had it gives no reason for the loss', async () => {
  const [one, third] = [
    await startProxy({ target: stage.urls[0]! }),
    await startProxy({ target: stage.urls[2]! }),
  ];
  const client = await stage.connected({ servers: [one.url, stage.urls[1]!, third.url] });
  const name = stage.name();
  await occupy(name, 2);
  third.pauseDownstream();
  const hold = await client.getLock(name).acquire();
  await stage.raw(0).del(name);
  one.pauseDownstream();

  const released = rejection(hold.release());
  third.resumeDownstream();
  // Two of three have answered this, so the third has answered the release, too.
  await using _other = await client.getLock(stage.name()).acquire();
  one.resumeDownstream();

  expect(await released).toMatchObject({ name: 'LeaseLostError', reason: 'deleted' });
  await stage.raw(2).del(name);
});

test('an extension counts the server whose grant has not arrived yet', async () => {
  const [one, third] = [
    await startProxy({ target: stage.urls[0]! }),
    await startProxy({ target: stage.urls[2]! }),
  ];
  const client = await stage.connected({ servers: [one.url, stage.urls[1]!, third.url] });
  const name = stage.name();
  third.pauseDownstream();
  const hold = await client.getLock(name).acquire();
  await stage.raw(0).del(name);
  one.pauseDownstream();

  const extended = hold.extend(2_000);
  third.resumeDownstream();
  await eventually(() => third.requests().some(renews));
  one.resumeDownstream();
  await extended;

  expect(hold.isHeld).toBe(true);
  await hold.release();
  await stage.expectNothingLeft();
});

test('a server that cannot be reached may have had the vote that was decisive', async () => {
  const proxies = await Promise.all(stage.urls.map(async (target) => await startProxy({ target })));
  const servers = proxies.map(({ url }) => url);
  const [client, other] = [
    await stage.connected(),
    await stage.connected({ servers, serverTimeoutMs: 300 }),
  ];
  const name = stage.name();
  await occupy(name, 1);
  const hold = await client.getLock(name).acquire();
  await stage.raw(1).del(name);
  proxies[2]?.refuse();
  proxies[2]?.cutAll();

  const wasHeld = await other.getLock(name).forceRelease();

  expect(wasHeld).toBe(true);
  await rejection(hold.release());
  expect(await other.getLock(name).forceRelease()).toBe(false);
  await stage.raw(2).del(name);
  await stage.expectNothingLeft();
});

test('the holds of the client that frees it are lost with the answer', async () => {
  const client = await stage.connected();
  const lock = client.getLock(stage.name());
  const hold = await lock.acquire();

  const wasHeld = await lock.forceRelease();

  expect([wasHeld, hold.isHeld, hold.state]).toEqual([true, false, 'lost']);
  await rejection(hold.release());
  await stage.expectNothingLeft();
});

test('where its answers are missing, it is unknown whether it was freed', async () => {
  const proxies = await Promise.all(stage.urls.map(async (target) => await startProxy({ target })));
  const servers = proxies.map(({ url }) => url);
  const other = await stage.connected({ servers, commandTimeoutMs: 500 });
  const client = await stage.connected();
  const name = stage.name();
  const hold = await client.getLock(name).acquire();
  proxies.forEach((proxy) => proxy.pauseDownstream());

  const error = await rejection(other.getLock(name).forceRelease());

  expect(error).toBeInstanceOf(OutcomeUnknownError);
  await eventually(() => hold.state === 'lost');
  proxies.forEach((proxy) => proxy.resumeDownstream());
  await stage.expectNothingLeft();
});

test('a server that has refused it frees nothing that was acquired after it', async () => {
  const commandTimeoutMs = 600;
  const other = await stage.connected({ serverTimeoutMs: 50, commandTimeoutMs });
  const client = await stage.connected();
  const name = stage.name();
  const third = stage.raw(2);
  const before = await client.getLock(name).acquire();
  await third.config('SET', 'min-replicas-to-write', '1');
  const startedAt = performance.now();

  expect(await other.getLock(name).forceRelease()).toBe(true);
  await rejection(before.release());
  // It takes writes again, and somebody has it there.
  const later = `${randomUUID()}:1`;
  await third
    .pipeline()
    .config('SET', 'min-replicas-to-write', '0')
    .del(name)
    .hset(name, later, 1)
    .pexpire(name, 60_000)
    .exec();
  // Waiting for all that the call may send again.
  await eventually(() => performance.now() > startedAt + 3 * commandTimeoutMs);

  expect(await third.hkeys(name)).toEqual([later]);
  await third.del(name);
  await stage.expectNothingLeft();
});
