// A queue of readers whose clock, messages and answers a test gives.

import type { Verdict } from '../../src/core/locks/wait-queue.js';
import type { Call, Receiver } from '../../src/core/wire/call.js';
import { ReaderQueue, type ReadAttempt } from '../../src/rwlock/reader-queue.js';
import { fakeClock } from './fake-clock.js';
import { busy, TestAsks, TestWaiter, type TestCall } from './test-waiter.js';

/** An ask for several readers that is under way. */
export interface Asked {
  readonly claims: readonly ReadAttempt[];
  readonly receiver: Receiver<Verdict[]>;
  readonly call: TestCall;
}

export function stage(isKnown = false) {
  const clock = fakeClock();
  const asked: Asked[] = [];
  const listeners = new Set<() => void>();
  const services = {
    epoch: 1,
    clock,
    hub: {
      knows: () => isKnown,
      listen: (_: string, listener: () => void) => {
        listeners.add(listener);
        return () => listeners.delete(listener);
      },
    },
    delivery: {
      start: (claims: readonly ReadAttempt[], receiver: Receiver<Verdict[]>) => {
        const sentAt = clock.now();
        const call = { sent: true, unackedCopies: 0, sentAt, lastSentAt: sentAt };
        asked.push({ claims, receiver, call });
        return call;
      },
      abandon: () => {
        asks.told.push('abandoned');
        return true;
      },
      inBackground: (what: string) => asks.told.push(what),
    },
  };
  const rests: number[] = [];
  const commands = {
    channel: 'channel',
    acquireMany: (claims: readonly ReadAttempt[], rest: number) => {
      rests.push(rest);
      return claims;
    },
    leaveQueue: () => 'left the line',
  };
  const asks = new TestAsks(services);
  const queue = new ReaderQueue(asks, commands as never);
  const say = (): void => {
    for (const listener of listeners) {
      listener();
    }
  };
  /** Answers the last ask for several readers. */
  const answer = (...verdicts: Verdict[]): void => {
    const { receiver, call } = asked.at(-1)!;
    receiver.answered(verdicts, call as unknown as Call<Verdict[]>);
  };
  const fail = (message: string): void => {
    const { receiver, call } = asked.at(-1)!;
    receiver.failed(new Error(message), call as unknown as Call<Verdict[]>);
  };
  const join = (): TestWaiter => {
    const reader = new TestWaiter(1_000, clock.now());
    queue.join(reader);
    return reader;
  };
  /** A reader that has found the lock busy. */
  const waiting = (rank = 1, busyMs = 60_000): TestWaiter => {
    const before = asks.told.length;
    const reader = join();
    if (asks.told.length > before) {
      asks.answer(asks.told.at(-1)!.split(' ')[0]!, busy(busyMs, rank));
    }
    return reader;
  };
  const reconnect = (): void => {
    Object.assign(asks.locks.services, { epoch: 2 });
  };
  return {
    reconnect,
    clock,
    queue,
    asks,
    asked,
    rests,
    listeners,
    say,
    answer,
    fail,
    join,
    waiting,
  };
}
