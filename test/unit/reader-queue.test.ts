import { describe, expect, test } from 'vitest';
import { Linked } from '../../src/core/base/linked-list.js';
import type { Position, Verdict, Waiter } from '../../src/core/locks/wait-queue.js';
import type { Call, PendingCall, Receiver } from '../../src/core/wire/call.js';
import { ReaderQueue, type ReadAttempt } from '../../src/rwlock/reader-queue.js';
import { fakeClock } from '../support/fake-clock.js';

class Reader extends Linked implements Waiter {
  readonly leaseMs = 1_000;
  readonly holderId: string;
  readonly told: unknown[] = [];
  constructor(holderId: string) {
    super();
    this.holderId = holderId;
  }

  ask(position: Position): void {
    this.told.push(`asks ${position}`);
  }

  answered({ is }: Verdict): void {
    this.told.push(is);
  }

  failed({ message }: Error): void {
    this.told.push(message);
  }
}

/** An ask for several readers that is under way. */
interface Asked {
  readonly claims: readonly ReadAttempt[];
  readonly receiver: Receiver<Verdict[]>;
  readonly call: { unackedCopies: number };
}

const busy = (busyMs: number, rank = 0) => ({ is: 'busy' as const, busyMs, rank });
const granted: Verdict = { is: 'granted' };

function stage(isKnown = false) {
  const clock = fakeClock();
  const asked: Asked[] = [];
  const done: string[] = [];
  const listeners = new Set<() => void>();
  const services = {
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
        const call = { unackedCopies: 0 };
        asked.push({ claims, receiver, call });
        return call;
      },
      abandon: () => done.push('abandoned'),
      inBackground: (what: string) => done.push(what),
    },
  };
  const commands = {
    channel: 'channel',
    acquireMany: (claims: readonly ReadAttempt[]) => claims,
    leaveQueue: () => 'left the line',
  };
  const queue = new ReaderQueue(services as never, commands as never, () => done.push('emptied'));
  const say = (): void => {
    for (const listener of listeners) {
      listener();
    }
  };
  const answer = (...verdicts: Verdict[]): void => {
    const { receiver, call } = asked.at(-1)!;
    receiver.answered(verdicts, call as unknown as Call<Verdict[]>);
  };
  /** A reader that has found the lock busy. */
  const waiting = (id: string, rank = 1, busyMs = 60_000): Reader => {
    const reader = new Reader(id);
    if (queue.join(reader)) {
      queue.busy(reader, busy(busyMs, rank));
    }
    return reader;
  };
  return { clock, queue, asked, done, listeners, say, answer, waiting };
}

const idsOf = ({ claims }: Asked): string[] => claims.map(({ holderId }) => holderId);

describe('of the readers of one client', () => {
  test('one that comes while no other waits asks for itself, those behind it do not', () => {
    const { queue, asked } = stage();
    const [first, second, third] = [new Reader('1'), new Reader('2'), new Reader('3')];

    expect([queue.join(first), queue.join(second)]).toEqual([true, true]);
    queue.busy(first, busy(60_000, 1));
    expect(queue.join(third)).toBe(false);

    expect([first.told, second.told, third.told]).toEqual([['asks queue'], ['asks queue'], []]);
    expect([asked, queue.contended]).toEqual([[], true]);
  });

  test('all that wait are asked for together, each with the rank that it had first', () => {
    const { queue, asked, say, answer, waiting } = stage();
    const first = waiting('1', 10);
    const second = new Reader('2');
    queue.join(second);

    say();
    expect(asked[0]!.claims).toEqual([
      { holderId: '1', count: 1, leaseMs: 1_000, rank: 10 },
      { holderId: '2', count: 1, leaseMs: 1_000, rank: 0 },
    ]);
    queue.busy(first, busy(60_000, 20));
    queue.busy(second, busy(60_000, 20));
    answer(busy(60_000, 20), busy(60_000, 20));
    queue.busy(second, busy(60_000, 30));
    say();

    expect(asked[1]!.claims.map(({ rank }) => rank)).toEqual([10, 20]);
  });

  test('at most two hundred and fifty are asked for at a time, then the next ones', () => {
    const { queue, asked, say, answer, waiting } = stage();
    const readers = Array.from({ length: 300 }, (_, i) => waiting(String(i)));

    say();
    expect(asked[0]!.claims.length).toBe(250);
    for (const reader of readers.slice(0, 250)) {
      queue.granted(reader);
    }
    answer(...readers.slice(0, 250).map(() => granted));

    expect(idsOf(asked[1]!)).toEqual(readers.slice(250).map(({ holderId }) => holderId));
  });

  test('each is told its own answer, unless it has left', () => {
    const { queue, say, answer, waiting } = stage();
    const [first, second, third] = [waiting('1'), waiting('2'), waiting('3')];
    say();

    queue.leave(second);
    answer(granted, granted, busy(5));

    expect([first.told, second.told, third.told]).toEqual([
      ['asks queue', 'granted'],
      [],
      ['busy'],
    ]);
  });

  test('all are told of a failure, and asked for again', () => {
    const { asked, say, waiting } = stage();
    const first = waiting('1');
    say();

    asked[0]!.receiver.failed(new Error('no'), asked[0]!.call as unknown as Call<Verdict[]>);

    expect(first.told).toEqual(['asks queue', 'no']);
    expect(asked.length).toBe(2);
  });
});

describe('readers that wait ask again', () => {
  test('when the lease that they saw has ended, but at least with each heartbeat', () => {
    const { clock, asked, answer, waiting } = stage();
    waiting('1', 1, 100);

    clock.advance(100);
    expect(asked.length).toBe(0);
    clock.advance(1);
    expect(asked.length).toBe(1);
    answer(busy(60_000));
    clock.advance(1_299);
    expect(asked.length).toBe(1);
    clock.advance(1);
    expect(asked.length).toBe(2);
    answer(busy(-1));
    clock.advance(1_300);
    expect(asked.length).toBe(3);
  });

  test('after the longest of the times that they were told', () => {
    const { clock, asked, say, answer, waiting } = stage();
    waiting('1');
    waiting('2');
    say();

    answer(busy(30), busy(90));
    clock.advance(90);
    expect(asked.length).toBe(1);
    clock.advance(1);
    expect(asked.length).toBe(2);
  });

  test('once more when they were woken while they asked', () => {
    const { asked, say, answer, waiting } = stage();
    waiting('1');
    say();

    say();
    say();
    expect(asked.length).toBe(1);
    answer(busy(60_000));
    expect(asked.length).toBe(2);
    answer(busy(60_000));
    expect(asked.length).toBe(2);
  });

  test('at once when something has changed since the first ask', () => {
    const { queue, asked, say } = stage(true);
    const first = new Reader('1');
    queue.join(first);

    say();
    queue.busy(first, busy(60_000, 1));

    expect(asked.map(idsOf)).toEqual([['1']]);
  });
});

describe('with the last reader', () => {
  test('that was granted nothing stays', () => {
    const { clock, queue, done, listeners, waiting } = stage();
    const first = waiting('1');

    queue.granted(first);

    expect([done, listeners.size, clock.pending]).toEqual([['emptied'], 0, 0]);
  });

  test('that gives up, the place in the line goes, and the ask is given up', () => {
    const { clock, queue, done, say, waiting } = stage();
    const [first, second] = [waiting('1'), waiting('2')];
    say();

    queue.leave(first);
    expect(done).toEqual([]);
    queue.leave(second);

    expect(done).toEqual(['abandoned', 'left the line', 'emptied']);
    expect(clock.pending).toBe(0);
  });

  test('that gives up before its first answer, the place in the line goes as well', () => {
    const { queue, done } = stage();
    const first = new Reader('1');
    queue.join(first);

    queue.leave(first);

    expect(done).toEqual(['left the line', 'emptied']);
  });

  test('an answer that comes later tells nobody, and asks no more', () => {
    const { queue, asked, say, answer, waiting } = stage();
    const first = waiting('1');
    say();
    queue.leave(first);

    answer(granted);

    expect([first.told, asked.length]).toEqual([['asks queue'], 1]);
  });
});

test('a reader that is being asked for may still be granted, until that is known', () => {
  const { queue, asked, say, waiting } = stage();
  const [first, second] = [waiting('1'), waiting('2')];
  expect(queue.isAskingFor(first)).toBe(false);
  say();
  const late = new Reader('3');
  queue.join(late);

  expect([first, second, late].map((each) => queue.isAskingFor(each))).toEqual([true, true, false]);

  const seen: boolean[] = [];
  first.failed = () => seen.push(queue.isAskingFor(first));
  const call = asked[0]!.call as unknown as PendingCall;
  asked[0]!.receiver.failed(new Error('no'), call as Call<Verdict[]>);
  expect(seen).toEqual([false]);
});
