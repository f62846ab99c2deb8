// Redis is away or slow: every call ends in its time, with an error that says what happened.

import { describe, expect, test } from 'vitest';
import {
  AcquireTimeoutError,
  CommandTimeoutError,
  OutcomeUnknownError,
  type Client,
  type CountDownLatch,
} from '../../src/index.js';
import * as scripts from '../../src/core/scripts.generated.js';
import { eventually } from '../support/eventually.js';
import { listening as latchListening } from '../support/latch-channel.js';
import { keysUnder, rawClient } from '../support/redis.js';
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
const SLOW_MS = 2_000;
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

/** Each call that takes no `waitMs`, or is given none, and whether it changes anything. */
const calls: readonly { what: string; act: Act; changes?: true }[] = [
  { what: 'tryAcquire', act: (client, name) => client.getLock(name).tryAcquire() },
  { what: 'fenced tryAcquire', act: (client, name) => client.getFencedLock(name).tryAcquire() },
  { what: 'isLocked', act: (client, name) => client.getLock(name).isLocked() },
  { what: 'holders', act: (client, name) => client.getLock(name).holders() },
  { what: 'remainingLeaseMs', act: (client, name) => client.getLock(name).remainingLeaseMs() },
  {
    what: 'forceRelease',
    act: (client, name) => client.getLock(name).forceRelease(),
    changes: true,
  },
  {
    what: 'trySetCount',
    act: (client, name) => latchOf(client, name).trySetCount(1),
    changes: true,
  },
  { what: 'countDown', act: (client, name) => latchOf(client, name).countDown(), changes: true },
  { what: 'count', act: (client, name) => latchOf(client, name).count() },
  { what: 'delete', act: (client, name) => latchOf(client, name).delete(), changes: true },
  { what: 'wait at once', act: (client, name) => latchOf(client, name).wait({ waitMs: 0 }) },
];

const waits: readonly { what: string; act: Act }[] = [
  { what: 'tryAcquire', act: (client, name) => client.getLock(name).tryAcquire({ waitMs: 500 }) },
  { what: 'acquire', act: (client, name) => client.getLock(name).acquire({ waitMs: 500 }) },
  { what: 'using', act: (client, name) => client.getLock(name).using(() => 0, { waitMs: 500 }) },
  { what: 'latch wait', act: (client, name) => latchOf(client, name).wait({ waitMs: 500 }) },
];

function latchOf(client: Client, name: string): CountDownLatch {
  return client.getCountDownLatch(name);
}

/** Makes all calls at once, and tells how each ended, once it is sure that it ended in time. */
async function endings(
  client: Client,
  name: string,
  acts: readonly { what: string; act: Act }[],
  limitMs: number,
): Promise<Map<string, unknown>> {
  const ended = await Promise.all(
    acts.map(async ({ what, act }, i) => {
      const { error, afterMs } = await rejection(act(client, `${name}-${i}`));
      expectInTime(afterMs, limitMs);
      return [what, error] as const;
    }),
  );
  return new Map(ended);
}

describe.concurrent('Redis is down from the start', () => {
  test('every call without waitMs ends within commandTimeoutMs', async (context) => {
    const world = await open(context, options);
    const client = openInTheDark(world);

    const ended = await endings(client, world.name, calls, COMMAND_MS);

    for (const [what, error] of ended) {
      expect(error, what).toBeInstanceOf(CommandTimeoutError);
      expect((error as CommandTimeoutError).cause, what).toBeInstanceOf(Error);
    }
  });

  test('every wait ends within its waitMs', async (context) => {
    const world = await open(context, options);
    const client = openInTheDark(world);

    const ended = await endings(client, world.name, waits, 500);

    for (const [what, error] of ended) {
      expect(error, what).toBeInstanceOf(CommandTimeoutError);
    }
  });

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

    await eventually(async () => (await client.getCountDownLatch(name).count()) === 3);
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
  test('every call without waitMs ends within commandTimeoutMs', async (context) => {
    const { proxy, name, client } = await open(context, options);
    proxy.delay({ downMs: SLOW_MS });

    const ended = await endings(client, name, calls, COMMAND_MS);
    proxy.delay({});

    for (const { what, changes } of calls) {
      const kind = changes === true ? OutcomeUnknownError : CommandTimeoutError;
      expect(ended.get(what), what).toBeInstanceOf(kind);
    }
    await eventually(async () => (await rawClient().exists(`${name}-0`, `${name}-1`)) === 0);
    await Promise.all(calls.map(async (_call, i) => await rawClient().del(`${name}-${i}`)));
  });

  test('every wait ends within its waitMs', async (context) => {
    const { proxy, name, client } = await open(context, options);
    proxy.delay({ downMs: SLOW_MS });

    const ended = await endings(client, name, waits, 500);
    proxy.delay({});

    for (const [what, error] of ended) {
      expect(error, what).toBeInstanceOf(CommandTimeoutError);
    }
    await eventually(async () =>
      (await keysUnder(`${name}-`)).every((key) => key.includes('latchkey_')),
    );
  });

  test('an acquisition that was given up leaves the lock free', async (context) => {
    const { proxy, name, client } = await open(context, options);
    proxy.delay({ downMs: SLOW_MS });

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

    proxy.delay({ downMs: SLOW_MS });
    await held.release();
    proxy.cutAll(sendsCommands);
    await rejection(client.getLock(name).isLocked());
    proxy.delay({});

    await expectHolder(name, await acquiring);
  });
});
