import { describe, expect, test } from 'vitest';
import { ExclusiveQueue } from '../../src/core/locks/exclusive-queue.js';
import { fakeClock } from '../support/fake-clock.js';
import { TestWaiter } from '../support/test-waiter.js';

const waiter = (id: string): TestWaiter => new TestWaiter(id);

interface Given {
  readonly heartbeatMs?: number;
  readonly isKnown?: boolean;
}

function stage({ heartbeatMs, isKnown = false }: Given = {}) {
  const clock = fakeClock();
  const told: string[] = [];
  const world = {
    listeners: new Set<(payload?: string) => void>(),
    sleepers: new Set<unknown>(),
    delayMs: 0,
  };
  const services = {
    clock,
    hub: {
      knows: () => isKnown,
      listen: (channel: string, listener: (payload?: string) => void) => {
        told.push(`listen ${channel}`);
        world.listeners.add(listener);
        return () => world.listeners.delete(listener);
      },
    },
    rechecks: {
      add: (sleeper: unknown) => world.sleepers.add(sleeper),
      delete: (sleeper: unknown) => world.sleepers.delete(sleeper),
    },
    fairness: { delayMs: () => world.delayMs },
  } as never;
  const awaited = {
    key: 'key',
    channel: 'channel',
    ...(heartbeatMs === undefined ? {} : { heartbeatMs }),
  };
  const queue = new ExclusiveQueue(services, awaited, () => told.push('emptied'));
  const say = (payload?: string): void => {
    for (const listener of world.listeners) {
      listener(payload);
    }
  };
  return { clock, queue, told, world, say };
}

const busy = (busyMs: number) => ({ is: 'busy' as const, busyMs });

describe('of the waiters of one client for one lock', () => {
  test('only the head asks; those behind it listen', () => {
    const { queue, told } = stage();
    const [head, other] = [waiter('1'), waiter('2')];

    expect([queue.join(head), queue.join(other)]).toEqual([true, false]);

    expect([head.asked, other.asked, told]).toEqual([['none'], [], ['listen channel']]);
    expect([queue.holderId, queue.contended]).toEqual(['1', false]);
  });

  test('the head asks with a place in the line where there is one on the server', () => {
    const { queue } = stage({ heartbeatMs: 1_300 });
    const head = waiter('1');

    queue.join(head);

    expect(head.asked).toEqual(['queue']);
  });

  test('the head asks again when its subscription is confirmed, and with every message', () => {
    const { queue, say } = stage();
    const head = waiter('1');
    queue.join(head);
    queue.busy(head, busy(-1));

    say();
    expect(head.asked.length).toBe(2);
    queue.busy(head, busy(-1));
    say('0');
    expect(head.asked.length).toBe(3);
  });

  test('a wake-up while the head asks makes it ask once more, as the answer may be older', () => {
    const { queue, say, world } = stage();
    const head = waiter('1');
    queue.join(head);
    queue.busy(head, busy(100));
    say();

    say('0');
    say('0');
    expect(head.asked.length).toBe(2);
    queue.busy(head, busy(100));
    expect(head.asked.length).toBe(3);
    queue.busy(head, busy(-1));

    expect(head.asked.length).toBe(3);
    expect(world.sleepers.size).toBe(1);
  });

  test('the head sleeps until the lease that it saw has ended', () => {
    const { clock, queue } = stage();
    const head = waiter('1');
    queue.join(head);
    queue.busy(head, busy(100));

    clock.advance(100);
    expect(head.asked.length).toBe(1);
    clock.advance(1);
    expect(head.asked.length).toBe(2);
  });

  test.each([-1, 5_000, 60_000])('a lease of %i ms is left to the shared polls', (busyMs) => {
    const { clock, queue, world } = stage();
    const head = waiter('1');
    queue.join(head);

    queue.busy(head, busy(busyMs));

    expect([[...world.sleepers], clock.pending]).toEqual([[queue], 0]);
  });

  test('a lease that ends sooner than the next poll is waited for alone', () => {
    const { clock, queue, world } = stage();
    const head = waiter('1');
    queue.join(head);

    queue.busy(head, busy(4_999));

    expect([world.sleepers.size, clock.pending]).toEqual([0, 1]);
  });

  test('the head with a place in the line asks as often as its heartbeat', () => {
    const { clock, queue, world } = stage({ heartbeatMs: 1_300 });
    const head = waiter('1');
    queue.join(head);
    queue.busy(head, busy(60_000));

    clock.advance(1_299);
    expect(head.asked.length).toBe(1);
    clock.advance(1);

    expect([head.asked.length, world.sleepers.size]).toEqual([2, 0]);
  });

  test('a poll makes the head ask, or sleep on', () => {
    const { clock, queue } = stage();
    const head = waiter('1');
    queue.join(head);
    queue.polled(-2);
    expect(head.asked.length).toBe(1);
    queue.busy(head, busy(-1));

    queue.polled(30);
    expect([head.asked.length, clock.pending]).toEqual([1, 1]);
    queue.polled(-2);
    expect([head.asked.length, clock.pending]).toEqual([2, 0]);
  });
});

describe('after a grant', () => {
  test('the next waiter sleeps as long as the lease of the first, or until its release', () => {
    const { clock, queue } = stage();
    const [head, next] = [waiter('1'), waiter('2')];
    queue.join(head);
    queue.join(next);

    queue.granted(head, 200);
    expect([queue.contended, queue.holderId]).toEqual([true, '2']);
    clock.advance(200);
    expect(next.asked).toEqual([]);
    clock.advance(1);
    expect(next.asked).toEqual(['none']);
  });

  test('a wake-up that came with it makes the next waiter poll soon', () => {
    const { clock, queue, say } = stage();
    const [head, next] = [waiter('1'), waiter('2')];
    queue.join(head);
    queue.join(next);
    say('0');

    queue.granted(head, 4_000);
    clock.advance(50);
    expect(next.asked).toEqual([]);
    clock.advance(1);
    expect(next.asked).toEqual(['none']);
  });

  test('nothing is left when nobody waits behind', () => {
    const { clock, queue, told, world } = stage();
    const head = waiter('1');
    queue.join(head);
    queue.busy(head, busy(100));

    queue.granted(head, 200);

    expect([told.at(-1), world.listeners.size, clock.pending]).toEqual(['emptied', 0, 0]);
  });
});

describe('a waiter that leaves', () => {
  test('passes its turn on when it was asking', () => {
    const { queue } = stage();
    const [head, next] = [waiter('1'), waiter('2')];
    queue.join(head);
    queue.join(next);

    queue.leave(head);

    expect([next.asked, queue.holderId]).toEqual([['none'], '2']);
  });

  test('passes nothing on when it was asleep', () => {
    const { queue } = stage();
    const [head, next] = [waiter('1'), waiter('2')];
    queue.join(head);
    queue.busy(head, busy(60_000));
    queue.join(next);

    queue.leave(head);

    expect(next.asked).toEqual([]);
  });

  test('from behind the head changes nothing', () => {
    const { queue } = stage();
    const [head, next, last] = [waiter('1'), waiter('2'), waiter('3')];
    for (const each of [head, next, last]) {
      queue.join(each);
    }

    queue.leave(next);
    queue.leave(head);

    expect([next.asked, last.asked]).toEqual([[], ['none']]);
  });
});

test('a channel that is still known is listened to before the first ask', () => {
  const { told } = stage({ isKnown: true });

  expect(told).toEqual(['listen channel']);
});

test('a head that leaves the lock to others listens, and asks when the delay is over', () => {
  const { clock, queue, world, told } = stage();
  const head = waiter('1');
  world.delayMs = 3;

  queue.join(head);
  expect([head.asked, told, queue.contended]).toEqual([[], ['listen channel'], true]);
  world.delayMs = 0;
  clock.advance(3);

  expect(head.asked).toEqual(['none']);
});
