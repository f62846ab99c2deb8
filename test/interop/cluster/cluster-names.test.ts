// Names with which Redisson cannot work in a cluster, or runs in a circle: what it does with each,
// and what we do. They are those of the defect register, on a cluster of this file alone.

import { describe, expect, onTestFinished, test } from 'vitest';
import type { Client } from '../../../src/index.js';
import { rejection } from '../../contract/fixture.js';
import { thrown } from '../../integration/bad-input/bad-input.js';
import { eventually } from '../../support/eventually.js';
import { channelsUnder } from '../../support/redis.js';
import { interopCluster, MASTERS } from './cluster.js';
import { objectKinds } from '../../support/kinds/objects.js';
import { stopTimers } from '../support/world.js';

const cluster = await interopCluster();

/** Fails unless Redis has refused the call, since its keys are in several slots. */
async function expectCrossSlot(call: Promise<unknown>, what: string): Promise<void> {
  expect(String(await rejection(call)), what).toContain('RedisException: CROSSSLOT');
}

type Call = readonly [op: string, args?: Readonly<Record<string, unknown>>];

const latchCalls: readonly Call[] = [
  ['latch.trySetCount', { count: 1 }],
  ['latch.countDown'],
  ['latch.delete'],
];

/** All that has more than one key, of other objects than latches. */
const calls: readonly Call[] = [
  ['lock.forceUnlock'],
  ['fair.lock'],
  ['fair.unlock'],
  ['fenced.lock'],
  ['fenced.unlock'],
  ['read.lock'],
  ['read.unlock'],
  ['semaphore.trySetPermits', { permits: 1 }],
  ['semaphore.release'],
  ['permits.trySetPermits', { permits: 1 }],
  ['permits.acquire'],
  ['permits.release', { permit: '0123456789abcdef0123456789abcdef' }],
];

function expectRefusedHere(node: Client, name: string): void {
  for (const { get } of objectKinds) {
    const error = thrown(() => get(node, name));
    expect(error).toBeInstanceOf(RangeError);
    expect(String(error)).toContain(`no braces or one hash tag such as "{tag}rest", got "${name}"`);
  }
}

/** On how many masters there is such a key. */
async function copies(name: string): Promise<number> {
  const found = MASTERS.map(async (master) => {
    const keys = await cluster.master(master).keys('*');
    return keys.filter((key) => key === name).length;
  });
  return (await Promise.all(found)).reduce((sum, count) => sum + count, 0);
}

describe.each(['a{b', '{}x', 'a}b'])('N1: the name %s', (name) => {
  test.each(['lock', 'write'])(
    'can be locked by Java as a %s, and not be unlocked: it stays so until its lease ends',
    async (kind) => {
      const java = await cluster.openJava({ onTestFinished }, 'auto', { leaseMs: 900 });
      const thread = java.thread('holder');

      await thread.call(`${kind}.lock`, name);
      await expectCrossSlot(thread.call(`${kind}.unlock`, name), `${kind}.unlock`);

      expect(await java.thread('other').call(`${kind}.tryLock`, name)).toBe(false);
      // Nobody renews it any more.
      await eventually(async () => (await copies(name)) === 0, { withinMs: 15_000 });
    },
  );

  test('is no name for anything else in Java but a lock', async (context) => {
    const java = await cluster.openJava(context, 'auto');
    const thread = java.thread('only');

    for (const [op, args] of calls) {
      await expectCrossSlot(thread.call(op, name, args), op);
    }

    expect(await copies(name)).toBe(0);
  });

  test('is refused by Node before anything is sent', async (context) => {
    expectRefusedHere(await cluster.openNode(context, 'auto'), name);
  });
});

test.each(['{}x', 'a}b'])('N1: a latch named %s fails in Java', async (name) => {
  const java = await cluster.openJava({ onTestFinished }, 'auto');

  for (const [op, args] of latchCalls) {
    await expectCrossSlot(java.thread('only').call(op, name, args), op);
  }
});

test('N1: a latch named a{b works in Java: the channel has the whole name for its tag', async (context) => {
  const java = await cluster.openJava(context, 'auto');
  const thread = java.thread('only');

  expect(await thread.call('latch.trySetCount', 'a{b', { count: 1 })).toBe(true);
  await thread.call('latch.countDown', 'a{b');

  expect(await copies('a{b')).toBe(0);
});

describe.each(['auto', 'off'] as const)('C1: a latch with a hash tag, told %s', (mode) => {
  test.each(MASTERS)('on master %i fails in Java, but for reading the count', async (master) => {
    const { java, node } = await cluster.open({ onTestFinished }, mode);
    const name = `{${cluster.nameOn(master)}}:latch`;
    const thread = java.thread('only');

    for (const [op, args] of latchCalls) {
      await expectCrossSlot(thread.call(op, name, args), op);
    }

    await node.getCountDownLatch(name).trySetCount(2);
    expect(await thread.call('latch.count', name)).toBe(2);
    expect(await node.getCountDownLatch(name).delete()).toBe(true);
  });

  test.each(MASTERS)('on master %i works among Node clients, by messages', async (master) => {
    stopTimers();
    const context = { onTestFinished };
    const [waiter, other] = [
      await cluster.openNode(context, mode),
      await cluster.openNode(context, mode),
    ];
    const name = `{${cluster.nameOn(master)}}:latch`;
    await other.getCountDownLatch(name).trySetCount(1);
    const waiting = waiter.getCountDownLatch(name).wait();
    // In the slot of the tag, not in that of Redisson's `redisson_countdownlatch__channel__{{`.
    const channel = `redisson_countdownlatch__channel__:${name}`;
    await eventually(async () => {
      expect(await channelsUnder(name, cluster.master(master))).toEqual([channel]);
    });

    await other.getCountDownLatch(name).countDown();

    expect(await waiting).toBe(true);
  });
});

describe('N2: the name a}b{c}d', () => {
  const name = 'a}b{c}d';
  // Redis: the slot of "c". Redisson: that of the whole name, which another master has.
  const [right, wrong] = [1, 0];

  /** How often the wrong master has sent Java on. */
  const sentOn = async (): Promise<number> => {
    const stats = await cluster.master(wrong).info('errorstats');
    return Number(/errorstat_MOVED:count=(\d+)/u.exec(stats)?.[1] ?? 0);
  };

  test('is looked for on the wrong master each time by Java, and works by a detour', async (context) => {
    const java = await cluster.openJava(context, 'auto');
    const thread = java.thread('only');
    // Makes the scripts known where the name belongs.
    await thread.call('lock.lock', '{c}');
    await thread.call('lock.unlock', '{c}');
    const before = await sentOn();

    await thread.call('lock.lock', name);
    const isThere = await cluster.master(right).exists(name);
    await thread.call('lock.unlock', name);

    expect(isThere).toBe(1);
    expect(await sentOn()).toBeGreaterThanOrEqual(before + 2);
    expect(await copies(name)).toBe(0);
  });

  test('runs Java in a circle while the right master does not know the script', async (context) => {
    const java = await cluster.openJava(context, 'auto');
    for (const master of MASTERS) {
      await cluster.master(master).script('FLUSH');
    }
    const before = await sentOn();

    // Sent on by the wrong master, not known to the right one, made known to the wrong one, ...
    const locking = java.thread('only').call('lock.lock', name);
    await eventually(async () => (await sentOn()) > before + 200, { withinMs: 30_000 });
    expect(await copies(name)).toBe(0);
    await java.thread('other').call('lock.lock', '{c}');
    await java.thread('other').call('lock.unlock', '{c}');
    await locking;

    expect(await copies(name)).toBe(1);
    await java.thread('only').call('lock.unlock', name);
  });

  test('is refused by Node before anything is sent', async (context) => {
    expectRefusedHere(await cluster.openNode(context, 'auto'), name);
  });
});
