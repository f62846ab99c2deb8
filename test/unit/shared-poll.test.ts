import { describe, expect, test } from 'vitest';
import type { Receiver } from '../../src/core/wire/call.js';
import { SharedPoll, type Watcher } from '../../src/latch/shared-poll.js';
import { fakeClock } from '../support/fake-clock.js';

interface View {
  readonly count: number;
  readonly quietMs: number;
}

/** A waiter for zero. */
function watcher(): Watcher<View> & { readonly seen: unknown[] } {
  const seen: unknown[] = [];
  return {
    seen,
    see: ({ count }) => {
      seen.push(count);
      return count === 0;
    },
    fail: ({ message }) => seen.push(message),
  };
}

function stage(isKnown = false) {
  const clock = fakeClock();
  const [polls, done]: [Receiver<View>[], string[]] = [[], []];
  const listeners = new Set<() => void>();
  const services = {
    clock,
    hub: {
      knows: () => isKnown,
      listen: (channel: string, listener: () => void) => {
        done.push(`listens to ${channel}`);
        listeners.add(listener);
        return () => listeners.delete(listener);
      },
    },
    delivery: {
      start: (_: unknown, receiver: Receiver<View>) => polls.push(receiver),
      abandon: () => done.push('abandons a poll'),
    },
  };
  const watched = {
    channel: 'channel',
    read: () => ({}) as never,
    quietMs: ({ quietMs }: View) => quietMs,
  };
  const poll = new SharedPoll<View>(services as never, watched, () => done.push('emptied'));
  const answer = (count: number, quietMs = -1): void => {
    polls.at(-1)!.answered({ count, quietMs }, { lastSentAt: clock.now() } as never);
  };
  const say = (): void => {
    for (const listener of listeners) {
      listener();
    }
  };
  return { clock, poll, polls, done, listeners, answer, say };
}

describe('the waiters of one client for one object', () => {
  test('share a poll, and each sees only what was read after it came', () => {
    const { poll, polls, answer } = stage();
    const [first, second] = [watcher(), watcher()];
    poll.join(first);

    poll.join(second);
    expect(polls.length).toBe(1);
    answer(0);

    expect([first.seen, second.seen, polls.length]).toEqual([[0], [], 2]);
    answer(0);
    expect([first.seen, second.seen, polls.length]).toEqual([[0], [0], 2]);
  });

  test('fail together with a poll that was sent after they came', () => {
    const { poll, polls, done } = stage();
    const [first, second] = [watcher(), watcher()];
    poll.join(first);
    poll.join(second);

    polls[0]!.failed(new Error('no'), undefined as never);
    expect([first.seen, second.seen, polls.length]).toEqual([['no'], [], 2]);
    polls[1]!.failed(new Error('nor'), undefined as never);

    expect([second.seen, done]).toEqual([['nor'], ['emptied']]);
  });

  test('listen once they have to wait, and look again with every message', () => {
    const { poll, polls, answer, done, say } = stage();
    poll.join(watcher());
    expect(done).toEqual([]);
    answer(2);
    expect(done).toEqual(['listens to channel']);

    say();
    expect(polls.length).toBe(2);
    say();
    say();
    expect(polls.length).toBe(2);
    answer(1);
    expect(polls.length).toBe(3);
    answer(1);
    expect(polls.length).toBe(3);
  });

  test('listen before the first poll where the channel is still known', () => {
    expect(stage(true).done).toEqual(['listens to channel']);
  });

  test.each([
    [-1, 5_000],
    [60_000, 5_000],
    [4_999, 5_000],
    [4_000, 4_001],
    [0, 1],
  ])('look again when %i ms were quiet, after %i ms', (quietMs, afterMs) => {
    const { clock, poll, polls, answer } = stage();
    poll.join(watcher());
    answer(1, quietMs);

    clock.advance(afterMs - 1);
    expect(polls.length).toBe(1);
    clock.advance(1);
    expect(polls.length).toBe(2);
  });

  test('leave no timer when the last one leaves between two looks', () => {
    const { clock, poll, answer, done, listeners } = stage();
    const only = watcher();
    poll.join(only);
    answer(1);
    expect(clock.pending).toBe(1);

    poll.leave(only);

    expect(done).toEqual(['listens to channel', 'emptied']);
    expect([listeners.size, clock.pending]).toEqual([0, 0]);
  });

  test('leave nothing behind', () => {
    const { clock, poll, answer, done, listeners, say } = stage();
    const [first, second] = [watcher(), watcher()];
    poll.join(first);
    poll.join(second);
    answer(1);
    answer(1);
    say();

    poll.leave(first);
    poll.leave(first);
    expect(done).toEqual(['listens to channel']);
    poll.leave(second);

    expect(done).toEqual(['listens to channel', 'abandons a poll', 'emptied']);
    expect([listeners.size, clock.pending]).toEqual([0, 0]);
  });
});
