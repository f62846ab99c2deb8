import { describe, expect, test } from 'vitest';
import { FairQueue } from '../../src/lock/fair-queue.js';
import { fakeClock } from '../support/fake-clock.js';
import { TestWaiter } from '../support/test-waiter.js';

function stage() {
  const clock = fakeClock();
  const listeners = new Map<string, () => void>();
  const hub = {
    listen: (channel: string, listener: () => void) => {
      listeners.set(channel, listener);
      return () => listeners.delete(channel);
    },
  };
  const queue = new FairQueue({ clock, hub } as never, 'lock', () => {});
  const [head, other] = [new TestWaiter('1'), new TestWaiter('2')];
  for (const waiter of [head, other]) {
    queue.join(waiter);
    queue.busy(waiter, { is: 'busy', busyMs: -1 });
    waiter.asked = [];
  }
  return { clock, listeners, queue, head, other };
}

const busy = { is: 'busy', busyMs: -1 } as const;

describe('a waiter whose grant came too late to be of use', () => {
  test('goes on under its new holder id behind the others, where it has a place anew', () => {
    const { queue, listeners, head, other } = stage();
    head.holderId = '3';

    queue.busy(head, busy);

    expect(head.asked).toEqual(['queue']);
    expect([...listeners.keys()]).toEqual(['lock:2', 'lock:3']);
    queue.wakeUp();
    expect([head.asked, other.asked]).toEqual([['queue'], ['front']]);
  });

  test('leaves the heartbeat to the new head', () => {
    const { queue, clock, head, other } = stage();
    head.holderId = '3';

    queue.busy(head, busy);
    clock.advance(60_000);

    expect(head.asked).toEqual(['queue']);
    expect(other.asked).toEqual(['front']);
  });

  test('hears the message about its turn when it is the head again', () => {
    const { queue, listeners, head, other } = stage();
    head.holderId = '3';
    queue.busy(head, busy);
    queue.busy(head, busy);
    listeners.get('lock:3')?.();
    head.asked = [];

    queue.leave(other);
    listeners.get('lock:3')?.();

    expect(head.asked).toEqual(['front']);
  });
});

test('a head whose subscription is confirmed asks again, unless a holder here will wake it', () => {
  const { queue, listeners, head, other } = stage();
  queue.granted(head, 1_000);

  listeners.get('lock:2')?.();
  expect(other.asked).toEqual([]);
});

test('a head that was woken since asks again when its subscription is confirmed', () => {
  const { queue, listeners, head, other } = stage();
  queue.granted(head, 1_000);
  queue.wakeUp();
  queue.busy(other, busy);

  listeners.get('lock:2')?.();

  expect(other.asked).toEqual(['front', 'front']);
});

test('the next one asks when the lease of the one before it should have ended', () => {
  const { queue, clock, head, other } = stage();

  queue.granted(head, 1_000);
  clock.advance(1_000);
  const early = [...other.asked];
  clock.advance(1);

  expect([early, other.asked]).toEqual([[], ['front']]);
});

test('a waiter that leaves behind the head passes nothing on', () => {
  const { queue, clock, head, other } = stage();
  const last = new TestWaiter('3');
  queue.join(last);

  queue.leave(last);
  clock.advance(10);

  expect([head.asked, other.asked]).toEqual([[], []]);
});

test('a waiter that is refused behind the head moves nothing', () => {
  const { queue, clock, head, other } = stage();

  queue.busy(other, { is: 'busy', busyMs: 10 });
  clock.advance(100);

  expect([head.asked, other.asked]).toEqual([[], []]);
});
