import { describe, expect, test } from 'vitest';
import { ExclusiveQueue } from '../../src/core/locks/exclusive-queue.js';
import { fakeClock } from '../support/fake-clock.js';
import { busy, granted, TestAsks, TestWaiter } from '../support/test-waiter.js';

interface Given {
  readonly heartbeatMs?: number;
  readonly isKnown?: boolean;
}

function stage({ heartbeatMs, isKnown = false }: Given = {}) {
  const clock = fakeClock();
  const listened: string[] = [];
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
        listened.push(channel);
        world.listeners.add(listener);
        return () => world.listeners.delete(listener);
      },
    },
    rechecks: {
      add: (sleeper: unknown) => world.sleepers.add(sleeper),
      delete: (sleeper: unknown) => world.sleepers.delete(sleeper),
    },
  };
  const awaited = {
    key: 'key',
    channel: 'channel',
    ...(heartbeatMs === undefined ? {} : { heartbeatMs }),
  };
  const asks = new TestAsks(services, { delayMs: () => world.delayMs }, heartbeatMs !== undefined);
  const queue = new ExclusiveQueue(asks, awaited);
  const join = (leaseMs?: number): TestWaiter => {
    const waiter = new TestWaiter(leaseMs);
    queue.join(waiter);
    return waiter;
  };
  const say = (payload?: string): void => {
    for (const listener of world.listeners) {
      listener(payload);
    }
  };
  return { clock, queue, asks, join, listened, world, say };
}

describe('of the waiters of one client for one lock', () => {
  test('only the head is asked for; those behind it listen', () => {
    const { queue, asks, join, listened } = stage();

    const [head, other] = [join(), join()];

    expect([asks.told, listened]).toEqual([['1 none'], ['channel']]);
    expect([head.told, other.told]).toEqual([[], ['queued']]);
    expect([queue.holderId, queue.contended]).toEqual(['1', false]);
  });

  test('the head is asked for with a place in the line where there is one on the server', () => {
    const { asks, join } = stage({ heartbeatMs: 1_300 });

    join();

    expect(asks.told).toEqual(['1 queue']);
  });

  test('the head is told that it has to wait, with each answer', () => {
    const { asks, join, queue } = stage();
    const head = join();

    asks.answer('1', busy(-1));

    expect([head.told, queue.contended]).toEqual([['blocked'], true]);
  });

  test('it asks again when its subscription is confirmed, and with every message', () => {
    const { asks, join, say } = stage();
    join();
    asks.answer('1', busy(-1));

    say();
    expect(asks.told).toEqual(['1 none', '1 none']);
    asks.answer('1', busy(-1));
    say('0');
    expect(asks.told.length).toBe(3);
  });

  test('a wake-up during an ask makes it ask once more, as the answer may be older', () => {
    const { asks, join, say, world } = stage();
    join();
    asks.answer('1', busy(100));
    say();

    say('0');
    say('0');
    expect(asks.told.length).toBe(2);
    asks.answer('1', busy(100));
    expect(asks.told.length).toBe(3);
    asks.answer('1', busy(-1));

    expect(asks.told.length).toBe(3);
    expect(world.sleepers.size).toBe(1);
  });

  test('it sleeps until the lease that it saw has ended', () => {
    const { clock, asks, join } = stage();
    join();
    asks.answer('1', busy(100));

    clock.advance(100);
    expect(asks.told.length).toBe(1);
    clock.advance(1);
    expect(asks.told.length).toBe(2);
  });

  test.each([-1, 5_000, 60_000])('a lease of %i ms is left to the shared polls', (busyMs) => {
    const { clock, queue, asks, join, world } = stage();
    join();

    asks.answer('1', busy(busyMs));

    expect([[...world.sleepers], clock.pending]).toEqual([[queue], 0]);
  });

  test('a lease that ends sooner than the next poll is waited for alone', () => {
    const { clock, asks, join, world } = stage();
    join();

    asks.answer('1', busy(4_999));

    expect([world.sleepers.size, clock.pending]).toEqual([0, 1]);
  });

  test('it asks as often as its heartbeat where the head has a place in the line', () => {
    const { clock, asks, join, world } = stage({ heartbeatMs: 1_300 });
    join();
    asks.answer('1', busy(60_000));

    clock.advance(1_299);
    expect(asks.told.length).toBe(1);
    clock.advance(1);

    expect([asks.told.length, world.sleepers.size]).toEqual([2, 0]);
  });

  test('a poll makes it ask, or sleep on', () => {
    const { clock, queue, asks, join } = stage();
    join();
    queue.polled(-2);
    expect(asks.told.length).toBe(1);
    asks.answer('1', busy(-1));

    queue.polled(30);
    expect([asks.told.length, clock.pending]).toEqual([1, 1]);
    queue.polled(-2);
    expect([asks.told.length, clock.pending]).toEqual([2, 0]);
  });
});

describe('after a grant', () => {
  test('the next waiter sleeps as long as the lease of the first, or until its release', () => {
    const { clock, queue, asks, join } = stage();
    const head = join(200);
    join();

    asks.answer('1', granted);
    expect(head.told).toEqual(['granted 1']);
    expect([queue.contended, queue.holderId]).toEqual([true, '2']);
    clock.advance(200);
    expect(asks.asksOf('2')).toEqual([]);
    clock.advance(1);
    expect(asks.asksOf('2')).toEqual(['2 none']);
  });

  test('a wake-up that came with it makes the next waiter poll soon', () => {
    const { clock, asks, join, say } = stage();
    join(4_000);
    join();
    say('0');

    asks.answer('1', granted);
    clock.advance(50);
    expect(asks.asksOf('2')).toEqual([]);
    clock.advance(1);
    expect(asks.asksOf('2')).toEqual(['2 none']);
  });

  test('nothing is left when nobody waits behind', () => {
    const { clock, asks, join, world } = stage();
    join();
    asks.answer('1', busy(100));
    clock.advance(101);

    asks.answer('1', granted);

    expect([asks.told.at(-1), world.listeners.size, clock.pending]).toEqual(['emptied', 0, 0]);
  });

  test('that came too late to be of use, the head keeps its turn under another holder id', () => {
    const { clock, queue, asks, join } = stage();
    const head = join();
    head.isInTime = false;

    asks.answer('1', granted);
    expect([asks.told, queue.holderId]).toEqual([['1 none', 'cancels 1 for good'], '2']);
    clock.advance(1);

    expect(asks.asksOf('2')).toEqual(['2 none']);
  });
});

describe('a waiter that leaves', () => {
  test('passes its turn on while it is asked for', () => {
    const { queue, asks, join } = stage();
    const head = join();
    join();

    queue.leave(head);

    expect(asks.told).toEqual(['1 none', 'abandoned', 'cancels 1 for good', '2 none']);
    expect(queue.holderId).toBe('2');
  });

  test('passes nothing on when it was asleep, and has nothing to take back', () => {
    const { queue, asks, join } = stage();
    const head = join();
    asks.answer('1', busy(60_000));
    join();

    queue.leave(head);

    expect(asks.told).toEqual(['1 none']);
  });

  test('from behind the head changes nothing', () => {
    const { queue, asks, join } = stage();
    const [head, next] = [join(), join()];
    join();

    queue.leave(next);
    expect(asks.told).toEqual(['1 none']);
    queue.leave(head);

    expect(asks.asksOf()).toEqual(['1 none', '2 none']);
  });
});

test('a channel that is still known is listened to before the first ask', () => {
  const { listened } = stage({ isKnown: true });

  expect(listened).toEqual(['channel']);
});

test('a head that leaves the lock to others listens, and asks when the delay is over', () => {
  const { clock, queue, asks, join, world, listened } = stage();
  world.delayMs = 3;

  join();
  expect([asks.told, listened, queue.contended]).toEqual([[], ['channel'], true]);
  world.delayMs = 0;
  clock.advance(3);

  expect(asks.told).toEqual(['1 none']);
});
