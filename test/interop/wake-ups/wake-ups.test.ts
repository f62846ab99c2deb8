// Scenario 1: Java holds, Node waits. Java's message lets Node in, not a look of Node's own.

import { beforeAll, describe, expect, test } from 'vitest';
import { eventually } from '../../support/eventually.js';
import { channelsUnder } from '../../support/redis.js';
import { untilAsleep } from './sleeps.js';
import { firstOf, isLined, kinds, titledKinds } from './wake-up-kinds.js';
import { startMonitor } from '../support/monitor.js';
import { stepReader } from '../support/steps.js';
import { interopWorlds, stopTimers } from '../support/world.js';

const open = interopWorlds('wake-ups');
let stepsOf: ReturnType<typeof stepReader>;

beforeAll(async () => {
  stepsOf = stepReader(await startMonitor());
});

/** Other Node clients pass over a waiter that was silent for so long. */
const FAIR_LIVENESS_MS = 4_000;

/** It has asked, listened, and asked again: now nothing of its own makes it ask once more. */
const nodeWaits = ['node asks', 'node listens', 'node asks'];

describe.each(titledKinds)('%s: Java holds, Node waits', (_, kind) => {
  describe.each(Object.entries(kind.nodeWaits))('in %s', (__, waits) => {
    test.for(['sync', 'async'] as const)(
      'a release (%s) lets Node in with a single script',
      async (form, context) => {
        stopTimers();
        const { name, java, node } = await open(context);
        const steps = stepsOf(name);
        const release = await kind.javaHolds(java.thread('holder'), name);
        await steps.take();
        const waiting = waits(node, name);
        await untilAsleep(steps, node);

        await release(form);
        const leave = await waiting;

        await steps.expect([`java tells ${kind.message}`, `node ${kind.entry}`]);
        await leave();
      },
    );
  });

  test('without a message Node stays out, and the message alone lets it in', async (context) => {
    stopTimers();
    const { name, raw, java, node } = await open(context);
    const steps = stepsOf(name);
    await kind.javaHolds(java.thread('holder'), name);
    await steps.take();
    let isIn = false;
    const waiting = firstOf(kind.nodeWaits)(node, name).then((leave) => {
      isIn = true;
      return leave;
    });
    await untilAsleep(steps, node);

    await kind.freeSilently(raw, name);
    await node.getLock(`${name}-other`).isLocked();
    await steps.expect([]);
    expect(isIn).toBe(false);

    const channels = await channelsUnder(`{${name}}`, raw);
    expect(channels).toHaveLength(1);
    await Promise.all(channels.map(async (channel) => await raw.publish(channel, kind.message)));
    const leave = await waiting;
    await steps.expect([`node ${kind.entry}`]);
    await leave();
  });
});

// The counterpart of staying out without a message: what it lacked were timers.
test('without a message Node gets in by looking again', async (context) => {
  const scenes = kinds.map(async (kind) => {
    const { name, raw, java, node } = await open(context);
    const steps = stepsOf(name);
    await kind.javaHolds(java.thread('holder'), name);
    await steps.take();
    const waiting = firstOf(kind.nodeWaits)(node, name);
    const made: string[] = [];
    await eventually(
      async () => {
        made.push(...(await steps.take()));
        if (isLined(kind)) {
          expect(made.at(-1), kind.what).toBe('node asks');
          expect(made, kind.what).toContain('node listens');
        } else {
          expect(made.slice(0, 3), kind.what).toEqual(nodeWaits);
        }
      },
      { withinMs: 20_000 },
    );

    await kind.freeSilently(raw, name);
    const leave = await waiting;

    const since = await steps.take();
    expect(since.at(-1), kind.what).toMatch(new RegExp(`^node ${kind.entry}`));
    expect(since.slice(0, -1).filter((step) => step.includes('tells'))).toEqual([]);
    await leave();
  });
  await Promise.all(scenes);
});

test('a waiter of a fair lock that stopped beating is told by Java all the same', async (context) => {
  stopTimers();
  const { name, raw, java, node } = await open(context);
  const steps = stepsOf(name);
  const thread = java.thread('holder');
  await thread.call('fair.lock', name);
  await steps.take();
  const waiting = node.getFairLock(name).acquire();
  await untilAsleep(steps, node);
  // Java would drop it 5 s after its last beat, and it is to be told after 4 s.
  const [holderId = ''] = await raw.lrange(`redisson_lock_queue:{${name}}`, 0, -1);
  await raw.zincrby(`redisson_lock_timeout:{${name}}`, 60_000, holderId);
  await eventually(
    async () => {
      const beatAt = await raw.zscore(`redlatch_beats:{${name}}`, node.id);
      const [seconds = 0] = await raw.time();
      return seconds * 1_000 - Number(beatAt) > FAIR_LIVENESS_MS;
    },
    { withinMs: 20_000, everyMs: 200 },
  );

  await thread.call('fair.unlock', name);
  const hold = await waiting;

  await steps.expect(['java tells 0', 'node enters']);
  await hold.release();
});
