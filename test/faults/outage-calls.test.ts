// Redis is away or slow: every call ends in its time, with an error that says what happened.

import { describe, expect, test } from 'vitest';
import {
  AcquireTimeoutError,
  CommandTimeoutError,
  OutcomeUnknownError,
  type Client,
} from '../../src/index.js';
import * as scripts from '../../src/core/scripts.generated.js';
import { eventually } from '../support/eventually.js';
import { listening as latchListening } from '../support/latch-channel.js';
import { rawClient } from '../support/redis.js';
import {
  expectHolder,
  faultWorlds,
  listening,
  rejection,
  runs,
  sendsCommands,
  stored,
  take,
  type World,
} from './world.js';

const open = faultWorlds('outage');
const COMMAND_MS = 400;
const options = { commandTimeoutMs: COMMAND_MS };

/** Room for a busy machine; far from the next limit that a call could have run into. */
const SLACK_MS = 1_500;

function expectInTime(afterMs: number, limitMs: number): void {
  expect(afterMs).toBeGreaterThan(limitMs - 50);
  expect(afterMs).toBeLessThan(limitMs + SLACK_MS);
}

/** A client that finds no Redis when it starts. */
function openInTheDark(world: World): Client {
  world.down();
  return world.open(options);
}

type Act = (client: Client, name: string) => Promise<unknown>;

/** Each call that takes no `waitMs`, or is given none. */
const calls: readonly (readonly [string, Act])[] = [
  ['lock.tryAcquire', (client, name) => client.getLock(name).tryAcquire()],
  ['fencedLock.tryAcquire', (client, name) => client.getFencedLock(name).tryAcquire()],
  ['lock.isLocked', (client, name) => client.getLock(name).isLocked()],
  ['lock.holders', (client, name) => client.getLock(name).holders()],
  ['lock.remainingLeaseMs', (client, name) => client.getLock(name).remainingLeaseMs()],
  ['lock.forceRelease', (client, name) => client.getLock(name).forceRelease()],
  ['latch.trySetCount', (client, name) => client.getCountDownLatch(name).trySetCount(1)],
  ['latch.countDown', (client, name) => client.getCountDownLatch(name).countDown()],
  ['latch.count', (client, name) => client.getCountDownLatch(name).count()],
  ['latch.delete', (client, name) => client.getCountDownLatch(name).delete()],
  ['latch.wait at once', (client, name) => client.getCountDownLatch(name).wait({ waitMs: 0 })],
];

const waits: readonly (readonly [string, Act])[] = [
  ['lock.tryAcquire', (client, name) => client.getLock(name).tryAcquire({ waitMs: 500 })],
  ['lock.acquire', (client, name) => client.getLock(name).acquire({ waitMs: 500 })],
  ['lock.using', (client, name) => client.getLock(name).using(() => 'ran', { waitMs: 500 })],
  ['latch.wait', (client, name) => client.getCountDownLatch(name).wait({ waitMs: 500 })],
];

describe.concurrent('Redis is down from the start', () => {
  for (const [what, act] of calls) {
    test(`${what} ends within commandTimeoutMs`, async (context) => {
      const world = await open(context, options);
      const client = openInTheDark(world);

      const { error, afterMs } = await rejection(act(client, world.name));

      expect(error).toBeInstanceOf(CommandTimeoutError);
      expect((error as CommandTimeoutError).cause).toBeInstanceOf(Error);
      expectInTime(afterMs, COMMAND_MS);
    });
  }

  for (const [what, act] of waits) {
    test(`${what} ends within its waitMs`, async (context) => {
      const world = await open(context, options);
      const client = openInTheDark(world);

      const { error, afterMs } = await rejection(act(client, world.name));

      expect(error).toBeInstanceOf(CommandTimeoutError);
      expectInTime(afterMs, 500);
    });
  }

  test('an acquisition without limit gets in when Redis comes', async (context) => {
    const world = await open(context, options);
    const client = openInTheDark(world);

    const acquiring = client.getLock(world.name).acquire();
    const passing = client.getCountDownLatch(`${world.name}-latch`).wait();
    await rejection(client.getLock(world.name).isLocked());
    await world.up();

    await expectHolder(world.name, await acquiring);
    expect(await passing).toBe(true);
  });

  test('what was given up before it was sent is never sent', async (context) => {
    const world = await open(context, options);
    const { proxy, name, other } = world;
    await other.getCountDownLatch(name).trySetCount(3);
    const client = openInTheDark(world);

    await rejection(client.getCountDownLatch(name).countDown());
    await rejection(client.getLock(`${name}-lock`).tryAcquire());
    await world.up();

    expect(await client.getCountDownLatch(name).count()).toBe(3);
    expect(proxy.requests().some(runs(scripts.latchCountDown, scripts.lockAcquire))).toBe(false);
    await other.getCountDownLatch(name).delete();
  });
});

describe.concurrent('Redis goes down during a wait', () => {
  test('a wait that was told "busy" ends as contention', async (context) => {
    const world = await open(context, options);
    const { name, client, other } = world;
    await take(other.getLock(name));
    const trying = client.getLock(name).tryAcquire({ waitMs: 700 });
    const acquiring = rejection(client.getLock(name).acquire({ waitMs: 700 }));
    await listening(name);

    world.down();
    const startedAt = performance.now();

    expect(await trying).toBeNull();
    expect((await acquiring).error).toBeInstanceOf(AcquireTimeoutError);
    expect(performance.now() - startedAt).toBeLessThan(700 + SLACK_MS);
  });

  test('a latch wait that has seen the count ends with false', async (context) => {
    const world = await open(context, options);
    const { name, client, other } = world;
    await other.getCountDownLatch(name).trySetCount(1);
    const waiting = client.getCountDownLatch(name).wait({ waitMs: 700 });
    await latchListening(rawClient(), name);

    world.down();

    expect(await waiting).toBe(false);
    await other.getCountDownLatch(name).delete();
  });

  test('waits without limit go on and get in afterwards', async (context) => {
    const world = await open(context, options);
    const { name, client, other } = world;
    const held = await take(other.getLock(name));
    await other.getCountDownLatch(`${name}-latch`).trySetCount(1);
    const acquiring = client.getLock(name).acquire();
    const passing = client.getCountDownLatch(`${name}-latch`).wait();
    await listening(name);

    world.down();
    await held.release();
    await other.getCountDownLatch(`${name}-latch`).countDown();
    await rejection(client.getLock(name).isLocked());
    await world.up();

    await expectHolder(name, await acquiring);
    expect(await passing).toBe(true);
  });
});

describe.concurrent('Redis answers more slowly than commandTimeoutMs', () => {
  /** What commands change, and so may have done when the answer does not come. */
  const changes = new Set(['forceRelease', 'trySetCount', 'countDown', 'delete']);

  for (const [what, act] of calls) {
    test(`${what} ends within commandTimeoutMs`, async (context) => {
      const { proxy, name, client } = await open(context, options);
      proxy.delay({ downMs: 3_000 });

      const { error, afterMs } = await rejection(act(client, name));

      const isChange = changes.has(what.split('.')[1] ?? '');
      expect(error).toBeInstanceOf(isChange ? OutcomeUnknownError : CommandTimeoutError);
      expectInTime(afterMs, COMMAND_MS);
      proxy.delay({});
      await client.getCountDownLatch(name).delete();
    });
  }

  test('an acquisition that was given up leaves the lock free', async (context) => {
    const { proxy, name, client } = await open(context, options);
    proxy.delay({ downMs: 3_000 });

    const { error, afterMs } = await rejection(client.getLock(name).tryAcquire({ waitMs: 500 }));
    expect(error).toBeInstanceOf(CommandTimeoutError);
    expectInTime(afterMs, 500);
    proxy.delay({});

    await eventually(async () => Object.keys(await stored(name)).length === 0);
    expect(await client.getLock(name).tryAcquire()).not.toBeNull();
  });

  test('an acquisition without limit gets in when Redis answers again', async (context) => {
    const { proxy, name, client } = await open(context, options);

    proxy.pauseDownstream();
    const acquiring = client.getLock(name).acquire();
    await rejection(client.getLock(name).isLocked());
    proxy.resumeDownstream();
    const hold = await acquiring;

    await expectHolder(name, hold);
  });

  test('a waiter keeps its turn while answers are late', async (context) => {
    const { proxy, name, client, other } = await open(context, options);
    const held = await take(other.getLock(name));
    const acquiring = client.getLock(name).acquire();
    await listening(name);

    proxy.delay({ downMs: 3_000 });
    await held.release();
    proxy.cutAll(sendsCommands);
    await rejection(client.getLock(name).isLocked());
    proxy.delay({});

    await expectHolder(name, await acquiring);
  });
});
