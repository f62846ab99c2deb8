// Redis is away or slow: every call ends in its time, with an error that says what happened.

import { describe, expect, test, vi } from 'vitest';
import { CommandTimeoutError, OutcomeUnknownError, type Client } from '../../src/index.js';
import * as scripts from '../../src/core/wire/scripts.generated.js';
import { eventually } from '../support/eventually.js';
import { listening as latchListening } from '../support/latch-channel.js';
import { keysUnder, rawClient } from '../support/redis.js';
import { calls, WAIT_MS, waits, type Timed } from './timed-calls.js';
import {
  expectHolder,
  faultWorlds,
  listening,
  rejection,
  runs,
  sendsCommands,
  take,
  type World,
  prepare,
} from './world.js';
import { kinds } from '../support/kinds/kinds.js';
import { titled } from '../support/kinds/kind.js';

// Most of the time these tests wait.
vi.setConfig({ maxConcurrency: 12 });

const open = faultWorlds('outage');
const COMMAND_MS = 400;
const SLOW_MS = 2_000;
/** A client sends no more calls at once before it knows how soon they are answered. */
const SENT_AT_ONCE = 25;
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

/** Makes all calls at once, and tells how each ended, once it is sure that it ended in time. */
async function endings(
  client: Client,
  name: string,
  acts: readonly Timed[],
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

    const ended = await endings(client, world.name, waits, WAIT_MS);

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
  test('a latch wait without limit goes on and ends afterwards', async (context) => {
    const world = await open(context, options);
    const { name, client, other } = world;
    await other.getCountDownLatch(name).trySetCount(1);
    const passing = client.getCountDownLatch(name).wait();
    await latchListening(rawClient(), name);

    world.down();
    await other.getCountDownLatch(name).countDown();
    await rejection(client.getCountDownLatch(name).count());
    await world.up();

    expect(await passing).toBe(true);
  });
});

describe.concurrent.each(titled(kinds))('Redis goes down while a %s is waited for', (_, kind) => {
  test('a wait without limit goes on and gets in afterwards', async (context) => {
    const world = await open(context, options);
    const { name, client, other } = world;
    await prepare(kind, world);
    const held = await take(kind.rival(other, name));
    const acquiring = kind.get(client, name).acquire();
    await listening(name);

    world.down();
    await held.release();
    await rejection(client.getLock(`${name}-other`).isLocked());
    await world.up();

    await kind.expectIn(name, await acquiring);
  });
});

describe.concurrent('Redis answers more slowly than commandTimeoutMs', () => {
  test('every call without waitMs ends within commandTimeoutMs', async (context) => {
    const world = await open(context, options);
    const { proxy, name } = world;
    // Behind these a call would not be sent, and its outcome would be known.
    const clients = await Promise.all(
      Array.from({ length: Math.ceil(calls.length / SENT_AT_ONCE) }, async () => {
        const client = world.open(options);
        await eventually(async () => !(await client.getLock(`${name}-up`).isLocked()));
        return client;
      }),
    );
    proxy.delay({ downMs: SLOW_MS });

    const ended = new Map<string, unknown>();
    await Promise.all(
      clients.map(async (client, i) => {
        const mine = calls.slice(i * SENT_AT_ONCE, (i + 1) * SENT_AT_ONCE);
        for (const [what, error] of await endings(client, `${name}-${i}`, mine, COMMAND_MS)) {
          ended.set(what, error);
        }
      }),
    );
    proxy.delay({});

    for (const { what, changes } of calls) {
      const kind = changes === true ? OutcomeUnknownError : CommandTimeoutError;
      expect(ended.get(what), what).toBeInstanceOf(kind);
    }
    const acquired = kinds.map((_, i) => `${name}-0-${i}`);
    await eventually(async () => (await rawClient().exists(...acquired)) === 0);
    const names = clients.flatMap((_, i) => calls.map((_call, at) => `${name}-${i}-${at}`));
    await rawClient().del(...names);
  });

  test('every wait ends within its waitMs', async (context) => {
    const { proxy, name, client } = await open(context, options);
    proxy.delay({ downMs: SLOW_MS });

    const ended = await endings(client, name, waits, WAIT_MS);
    proxy.delay({});

    for (const [what, error] of ended) {
      expect(error, what).toBeInstanceOf(CommandTimeoutError);
    }
    await eventually(async () =>
      (await keysUnder(`${name}-`)).every((key) => /redlatch_|lock_token/.test(key)),
    );
  });
});

describe.concurrent.each(titled(kinds))('a %s behind answers that come too late', (_, kind) => {
  test('is free when its acquisition was given up', async (context) => {
    const world = await open(context, options);
    const { proxy, name, client } = world;
    await prepare(kind, world);
    const entrance = kind.get(client, name);
    proxy.delay({ downMs: SLOW_MS });

    const { error, afterMs } = await rejection(entrance.tryAcquire({ waitMs: WAIT_MS }));
    expect(error).toBeInstanceOf(CommandTimeoutError);
    expectInTime(afterMs, WAIT_MS);
    proxy.delay({});

    await eventually(async () => await kind.isFree(name));
    expect(await entrance.tryAcquire()).not.toBeNull();
  });

  test('lets an acquisition without limit in when Redis answers again', async (context) => {
    const world = await open(context, options);
    const { proxy, name, client } = world;
    await prepare(kind, world);

    proxy.pauseDownstream();
    const acquiring = kind.get(client, name).acquire();
    await rejection(client.getLock(`${name}-other`).isLocked());
    proxy.resumeDownstream();
    const grant = await acquiring;

    await kind.expectIn(name, grant);
  });

  test('keeps the turn of a waiter', async (context) => {
    const world = await open(context, options);
    const { proxy, name, client, other } = world;
    await prepare(kind, world);
    const held = await take(kind.rival(other, name));
    const acquiring = kind.get(client, name).acquire();
    await listening(name);

    proxy.delay({ downMs: SLOW_MS });
    await held.release();
    proxy.cutAll(sendsCommands);
    await rejection(client.getLock(`${name}-other`).isLocked());
    proxy.delay({});

    await kind.expectIn(name, await acquiring);
  });
});
