import { describe, expect, test } from 'vitest';
import { stage, type Asked } from '../support/reader-stage.js';
import { busy, granted } from '../support/test-waiter.js';

const idsOf = ({ claims }: Asked): string[] => claims.map(({ holderId }) => holderId);

describe('of the readers of one client', () => {
  test('one that comes while no other waits is asked for alone, those behind it are not', () => {
    const { clock, queue, asks, asked, join } = stage();
    const [first, second] = [join(), join()];

    asks.answer('1', busy(60_000, 1));
    const third = join();

    expect([first.told, second.told, third.told]).toEqual([['blocked'], [], ['queued']]);
    const isContended = queue.contention.proves(clock.now(), undefined);
    expect([asks.told, asked, isContended]).toEqual([['1 queue', '2 queue'], [], true]);
  });

  test('all that wait are asked for together, each with the rank of when it came', () => {
    const { clock, asks, asked, say, answer, waiting, join } = stage();
    join();
    clock.advance(1);
    waiting(10_000);
    clock.advance(2);
    join();

    say();
    expect(asked[0]!.claims).toEqual([
      { holderId: '2', count: 1, leaseMs: 1_000, rank: 10_000 },
      // It came 2 ms after the ask was sent to which the answer was 10,000.
      { holderId: '3', count: 1, leaseMs: 1_000, rank: 12_000 },
    ]);
    answer(busy(60_000, 20_000), busy(60_000, 20_000));
    // The ask of the first ran late.
    asks.answer('1', busy(60_000, 30_000));
    say();

    expect(asked.at(-1)!.claims.map(({ rank }) => rank)).toEqual([17_000, 10_000, 12_000]);
  });

  test('one that comes later than 10 s after the last answer, or by another connection, has no rank', () => {
    const { clock, asked, rests, reconnect, say, answer, waiting, join } = stage();
    waiting(10_000, -1);
    clock.freeze(10_000);
    join();
    say();
    expect(asked[0]!.claims.map(({ rank }) => rank)).toEqual([10_000, 0]);

    answer(busy(-1, 20_000), busy(-1, 20_000));
    reconnect();
    join();
    say();

    expect(asked[1]!.claims.map(({ rank }) => rank)).toEqual([10_000, 20_000, 0]);
    expect(rests).toEqual([0, 0]);
  });

  test('one between whose coming and the last answer the clock was set forward has no rank', () => {
    const { clock, asked, say, answer, waiting, join } = stage();
    waiting(10_000, -1);
    clock.step(5_000);
    join();
    say();
    // By its clock it came 5 s after that answer.
    expect(asked[0]!.claims.map(({ rank }) => rank)).toEqual([10_000, 0]);

    answer(busy(-1, 20_000), busy(-1, 20_000));
    clock.advance(1);
    join();
    say();
    expect(asked[1]!.claims.map(({ rank }) => rank)).toEqual([10_000, 20_000, 21_000]);
  });

  test('at most two hundred and fifty are asked for at a time, then the next ones', () => {
    const { clock, asked, rests, say, answer, waiting } = stage();
    for (let i = 0; i < 300; i += 1) {
      waiting();
      clock.advance(1);
    }

    say();
    expect(asked[0]!.claims.length).toBe(250);
    // The entry of the client stays for those that are left.
    expect(rests).toEqual([250_001]);
    answer(...Array.from({ length: 250 }, () => granted));

    expect(idsOf(asked[1]!)).toEqual(Array.from({ length: 50 }, (_, i) => String(i + 251)));
  });

  test('each is told its own answer, unless it has left', () => {
    const { queue, say, answer, waiting } = stage();
    const [first, second, third] = [waiting(), waiting(), waiting()];
    say();

    queue.leave(second);
    answer(granted, granted, busy(5));

    expect([first.told, second.told, third.told]).toEqual([
      ['blocked', 'granted 1'],
      ['queued'],
      ['queued', 'blocked'],
    ]);
  });

  test('all are told of a failure, and those that stay are asked for again', () => {
    const { queue, asked, say, fail, waiting } = stage();
    const [first, second] = [waiting(), waiting()];
    first.failed = (error) => {
      first.told.push(error.message);
      queue.leave(first);
    };
    say();

    fail('no');

    expect([first.told, second.told]).toEqual([
      ['blocked', 'no'],
      ['queued', 'no'],
    ]);
    expect(asked.map(idsOf)).toEqual([['1', '2'], ['2']]);
  });

  test('one whose grant came too late is asked for again, as another holder', () => {
    const { asks, asked, say, answer, waiting } = stage();
    const first = waiting();
    first.isInTime = false;
    say();

    answer(granted);

    expect(asks.told).toEqual(['1 queue', 'cancels 1']);
    expect(asked.map(idsOf)).toEqual([['1'], ['2']]);
  });
});

describe('readers that wait ask again', () => {
  test('when the lease that they saw has ended, but at least with each heartbeat', () => {
    const { clock, asked, answer, waiting } = stage();
    waiting(1, 100);

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
    waiting();
    waiting();
    say();

    answer(busy(30), busy(90));
    clock.advance(90);
    expect(asked.length).toBe(1);
    clock.advance(1);
    expect(asked.length).toBe(2);
  });

  test('once more when they were woken while they asked', () => {
    const { asked, say, answer, waiting } = stage();
    waiting();
    say();

    say();
    say();
    expect(asked.length).toBe(1);
    answer(busy(60_000));
    expect(asked.length).toBe(2);
    answer(busy(60_000));
    expect(asked.length).toBe(2);
  });

  test('a millisecond later when they are told to ask again at once', () => {
    const { clock, asked, waiting } = stage();
    waiting(1, 0);

    clock.advance(1);

    expect(asked.map(idsOf)).toEqual([['1']]);
  });

  test('at once when something has changed since the first ask', () => {
    const { asks, asked, say, join } = stage(true);
    join();

    say();
    asks.answer('1', busy(60_000, 1));

    expect(asked.map(idsOf)).toEqual([['1']]);
  });
});
