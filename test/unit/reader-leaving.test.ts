// What a reader that stops waiting takes with it, and what the last one leaves.

import { describe, expect, test } from 'vitest';
import { stage } from '../support/reader-stage.js';
import { busy, granted } from '../support/test-waiter.js';

describe('with the last reader', () => {
  test('that was granted nothing stays', () => {
    const { clock, asks, listeners, say, answer, waiting } = stage();
    waiting();
    say();

    answer(granted);

    expect(asks.told).toEqual(['1 queue', 'emptied']);
    expect([listeners.size, clock.pending]).toEqual([0, 0]);
  });

  test('that gives up, the place in the line goes, and the ask is given up', () => {
    const { clock, queue, asks, say, waiting } = stage();
    const [first, second] = [waiting(), waiting()];
    say();
    asks.told.length = 0;

    queue.leave(first);
    expect(asks.told).toEqual([]);
    queue.leave(second);

    expect(asks.told).toEqual([
      'abandoned',
      'cancels 1 and 2 for good',
      'left the line',
      'emptied',
    ]);
    expect(clock.pending).toBe(0);
  });

  test('that gives up before its first answer, the place in the line goes as well', () => {
    const { queue, asks, join } = stage();

    queue.leave(join());

    expect(asks.told).toEqual([
      '1 queue',
      'abandoned',
      'cancels 1 for good',
      'left the line',
      'emptied',
    ]);
  });

  test('an answer that comes later tells nobody, and asks no more', () => {
    const { queue, asked, say, answer, waiting } = stage();
    const first = waiting();
    say();
    queue.leave(first);

    answer(granted);

    expect([first.told, asked.length]).toEqual([['blocked'], 1]);
  });
});

describe('a reader that leaves', () => {
  test.each([
    ['that it waits', busy(-1, 1), 0, []],
    ['that it is in', granted, 0, ['cancels 1 and 2']],
    ['that it waits, with a lost copy', busy(-1, 1), 1, ['cancels 1 and 2 for good']],
  ])('while it is asked for with others is told by the answer: %s', (_, verdict, copies, told) => {
    const { queue, asks, asked, say, answer, waiting, join } = stage();
    const [first, second] = [waiting(), waiting()];
    say();
    join();
    for (const reader of [first, second]) {
      queue.leave(reader);
    }
    asks.told.length = 0;

    asked[0]!.call.unackedCopies = copies;
    answer(verdict, verdict);

    expect(asks.told).toEqual(told);
  });

  test('while it is not asked for leaves nothing to take back', () => {
    const { queue, asks, waiting } = stage();
    const [first] = [waiting(), waiting()];
    asks.told.length = 0;

    queue.leave(first);

    expect(asks.told).toEqual([]);
  });

  test.each([
    [0, []],
    [1, ['cancels 1 for good']],
  ])('after its ask has failed, with %i lost copies: %j', (copies, told) => {
    const { queue, asks, asked, say, fail, waiting } = stage();
    const [first] = [waiting(), waiting()];
    first.failed = () => queue.leave(first);
    say();
    asks.told.length = 0;

    asked[0]!.call.unackedCopies = copies;
    fail('no');

    expect(asks.told).toEqual(told);
  });
});
