import { describe, expect, test } from 'vitest';
import { FairQueue } from '../../src/lock/fair-queue.js';
import { fakeClock } from '../support/fake-clock.js';
import { busy, granted, TestAsks, TestWaiter } from '../support/test-waiter.js';

/** Two waiters, with the holder ids 1 and 2, that have found the lock busy. */
function stage() {
  const clock = fakeClock();
  const listeners = new Map<string, () => void>();
  const hub = {
    listen: (channel: string, listener: () => void) => {
      listeners.set(channel, listener);
      return () => listeners.delete(channel);
    },
  };
  const asks = new TestAsks({ clock, hub }, {}, true);
  const queue = new FairQueue(asks, 'lock');
  const [head, other] = [new TestWaiter(), new TestWaiter()];
  for (const [i, waiter] of [head, other].entries()) {
    queue.join(waiter);
    asks.answer(String(i + 1), busy(-1));
  }
  asks.told.length = 0;
  /** The head is asked for, and granted a lease that is over already. */
  const grantTooLate = (): void => {
    head.isInTime = false;
    queue.wakeUp();
    asks.answer('1', granted);
    asks.told.length = 0;
  };
  /** The head is asked for, and gets in. */
  const grant = (): void => {
    queue.wakeUp();
    asks.answer('1', granted);
    asks.told.length = 0;
  };
  return { clock, listeners, queue, asks, head, other, grant, grantTooLate };
}

test('every waiter is asked for at once, and told where it stands', () => {
  const { head, other } = stage();

  expect([head.told, other.told]).toEqual([['blocked'], ['queued', 'blocked']]);
});

describe('a waiter whose grant came too late to be of use', () => {
  test('goes on under its new holder id behind the others, where it has a place anew', () => {
    const { queue, listeners, asks, head } = stage();
    head.isInTime = false;
    queue.wakeUp();

    asks.answer('1', granted);

    expect(asks.told).toEqual(['1 front', 'cancels 1 for good', '3 queue']);
    expect([...listeners.keys()]).toEqual(['lock:2', 'lock:3']);
    queue.wakeUp();
    expect(asks.asksOf('2')).toEqual(['2 front']);
    expect(asks.asksOf('3')).toEqual(['3 queue']);
  });

  test('leaves the heartbeat to the new head', () => {
    const { clock, asks, grantTooLate } = stage();

    grantTooLate();
    clock.advance(60_000);

    expect(asks.told).toEqual(['2 front']);
  });

  test('is asked for once when nobody else waits here', () => {
    const { queue, clock, asks, other, grantTooLate } = stage();
    queue.leave(other);
    grantTooLate();

    clock.advance(100);

    expect(asks.told).toEqual([]);
  });

  test('hears the message about its turn when it is the head again', () => {
    const { queue, listeners, asks, other, grantTooLate } = stage();
    grantTooLate();
    asks.answer('3', busy(-1));
    listeners.get('lock:3')?.();
    asks.told.length = 0;

    queue.leave(other);
    listeners.get('lock:3')?.();

    expect(asks.asksOf('3')).toEqual(['3 front']);
  });
});

test('a head whose subscription is confirmed asks again, unless a holder here will wake it', () => {
  const { listeners, asks, grant } = stage();
  grant();

  listeners.get('lock:2')?.();
  expect(asks.asksOf('2')).toEqual([]);
});

test('a head that was woken since asks again when its subscription is confirmed', () => {
  const { queue, listeners, asks, grant } = stage();
  grant();
  queue.wakeUp();
  asks.answer('2', busy(-1));

  listeners.get('lock:2')?.();

  expect(asks.asksOf('2')).toEqual(['2 front', '2 front']);
});

test('the next one is asked for when the lease of the one before it should have ended', () => {
  const { clock, asks, grant } = stage();

  grant();
  clock.advance(1_000);
  const early = [...asks.told];
  clock.advance(1);

  expect([early, asks.told]).toEqual([[], ['2 front']]);
});

test('a waiter that leaves behind the head passes nothing on, and its entry goes', () => {
  const { queue, clock, asks } = stage();
  const last = new TestWaiter();
  queue.join(last);
  asks.answer('3', busy(-1));

  queue.leave(last);
  clock.advance(10);

  expect(asks.told).toEqual(['3 queue', 'cancels 3']);
});

test('a head that leaves while it is asked for passes its turn on', () => {
  const { queue, clock, asks, head } = stage();
  queue.wakeUp();

  queue.leave(head);
  clock.advance(1);

  expect(asks.told).toEqual(['1 front', 'abandoned', 'cancels 1 for good', '2 front']);
});

test('a waiter that is refused behind the head moves nothing', () => {
  const { queue, clock, asks } = stage();
  queue.join(new TestWaiter());

  asks.answer('3', busy(10));
  clock.advance(100);

  expect(asks.told).toEqual(['3 queue']);
});
