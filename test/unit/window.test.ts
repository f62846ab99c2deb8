import { expect, test } from 'vitest';
import { fc } from '../support/fast-check.js';
import type { Call } from '../../src/core/wire/call.js';
import { AT_FIRST, FEWEST, LIMIT_MS, windowStage } from './window-stage.js';

const SHORT_MS = 16;

const LOADING = new Error('LOADING Redis is loading the dataset in memory');

/** A window that begins with the fewest calls that there may be. */
const small = { leaseMs: 12 * SHORT_MS };
const upTo = (count: number): number[] => Array.from({ length: count }, (_, i) => i + 1);

test.each([
  { leaseMs: 3_600_000, size: 1_000 },
  { leaseMs: 30_000, size: 1_000 },
  { leaseMs: 3_000, size: 100 },
  { leaseMs: 1_000, size: 33 },
  { leaseMs: 100, size: FEWEST },
])('with a lease of $leaseMs ms $size calls are written at once', ({ leaseMs, size }) => {
  const { written, add } = windowStage({ leaseMs });

  add(size + 10);

  expect(written).toEqual(upTo(size));
});

test('calls are written as others are answered, in order', () => {
  const { written, add, answer } = windowStage(small);

  add(FEWEST + 10);
  answer(1, SHORT_MS / 2);
  expect(written).toEqual(upTo(FEWEST + 1));
  answer(20, 0);

  expect(written).toEqual(upTo(FEWEST + 10));
});

test.each([
  { ...small, size: FEWEST },
  { leaseMs: 30_000, size: AT_FIRST },
])('while answers come soon, each lets two calls in, of $size at first', ({ leaseMs, size }) => {
  const { underWay, add, answer } = windowStage({ leaseMs });

  add(10_000);
  for (const expected of [2 * size, 4 * size]) {
    answer(underWay.length, 0.001);
    expect(underWay.length).toBe(expected);
  }
});

test.each([10, 200, 800])('a server %i ms away is not taken for busy', (bareMs) => {
  const { clock, underWay, add, answer } = windowStage({ bareMs });

  add(10_000);
  for (const expected of [2 * AT_FIRST, 4 * AT_FIRST]) {
    clock.advance(bareMs);
    answer(underWay.length);
    expect(underWay.length).toBe(expected);
  }
});

test.each([0, 400])(
  'so many are under way in the end that an answer is behind by half the limit or more, with a first way of %i ms',
  (firstMs) => {
    const { underWay, add, answer } = windowStage({ bareMs: firstMs });

    add(200_000);
    // The server answers a thousand in a second, for minutes.
    answer(4_000, 1);
    const most: number[] = [];
    for (; most.length < 100_000; most.push(underWay.length)) {
      answer(1, 1);
    }

    // But for once a minute, when the bare way is measured anew, by a call that is alone.
    expect(most.filter((size) => size < LIMIT_MS / 2).length).toBeLessThan(2 * LIMIT_MS);
    expect(most.filter((size) => size > 1.1 * LIMIT_MS).length).toBeLessThan(2 * LIMIT_MS);
    expect(Math.max(...most)).toBeLessThan(1.5 * LIMIT_MS);
  },
);

test('a server that becomes slow gets fewer, and at least 32', () => {
  const { underWay, add, answer } = windowStage();
  add(20_000);
  answer(4_000, 1);

  answer(3_000, 10);
  expect(underWay.length).toBeLessThan(80);
  answer(1_000, 100);

  expect(underWay.length).toBeGreaterThanOrEqual(FEWEST);
  expect(underWay.length).toBeLessThan(2 * FEWEST);
});

test('what is behind for one reason halves the window once', () => {
  const { clock, underWay, add, answer } = windowStage();
  add(AT_FIRST);
  // The server stood still meanwhile.
  clock.advance(LIMIT_MS + 1);
  answer(AT_FIRST - 1);

  add(10_000);

  expect(underWay.length).toBe(AT_FIRST / 2);
});

test('a round of renewals behind the calls of before does not halve it again', () => {
  const { clock, underWay, add, answer } = windowStage();
  add(10_000);
  clock.advance(LIMIT_MS + 1);
  answer(1);
  add(1, { resend: false });

  clock.advance(LIMIT_MS + 1);
  answer(AT_FIRST);

  answer(1);

  expect(underWay.length).toBe(AT_FIRST / 2 + 1);
});

test('calls about holds go before the others, and rounds of renewals wait for nothing', () => {
  const { written, add, answer } = windowStage(small);
  add(FEWEST + 1);

  add(2, { goesFirst: true });
  add(1, { resend: false });
  expect(written.slice(FEWEST)).toEqual([FEWEST + 4]);
  answer(4, SHORT_MS);

  expect(written.slice(FEWEST + 1)).toEqual([FEWEST + 2, FEWEST + 3, FEWEST + 1]);
});

test('a call whose turn has come waits behind those that the server has refused', () => {
  const { unanswered, waiting, written, underWay, add, answer } = windowStage(small);
  add(FEWEST + 3);

  const refused = underWay.shift()!;
  unanswered.delete(refused);
  waiting.refused(refused, LOADING);
  answer(2, 0);

  expect(written).toEqual(upTo(FEWEST));
  expect(waiting.take().map(({ order }) => order)).toEqual([1, ...upTo(FEWEST + 3).slice(FEWEST)]);
});

test('what waits for its turn when the connection ends waits for the next one', () => {
  const { window, waiting, written, add, answer } = windowStage(small);
  add(FEWEST + 2);
  add(1, { goesFirst: true });

  window.leave();
  answer(FEWEST, 0);

  expect(written).toEqual(upTo(FEWEST));
  const orders = waiting.take().map(({ order }) => order);
  expect(orders).toEqual([FEWEST + 1, FEWEST + 2, FEWEST + 3]);
});

test('a call that is given up before its turn is never written', () => {
  const { written, add, answer } = windowStage(small);
  const calls = add(FEWEST + 2);

  calls[FEWEST]!.abandon();
  answer(2, 0);

  expect(written).toEqual([...upTo(FEWEST), FEWEST + 2]);
});

test.each([
  { afterMs: 59_000, size: 2 * AT_FIRST },
  { afterMs: 61_000, size: AT_FIRST },
])(
  'what was learnt of a server is kept for a minute: after $afterMs ms $size calls are written at once',
  ({ afterMs, size }) => {
    const { clock, underWay, add, answer } = windowStage();
    add(3 * AT_FIRST);
    answer(AT_FIRST);
    answer(2 * AT_FIRST);
    expect(underWay.length).toBe(0);

    clock.advance(afterMs);
    add(10_000);

    expect(underWay.length).toBe(size);
  },
);

test('a server that was slow gets as many as any other when it was left alone for a minute', () => {
  const { clock, underWay, add, answer } = windowStage();
  add(AT_FIRST);
  answer(AT_FIRST, 10);

  clock.advance(61_000);
  add(10_000);

  expect(underWay.length).toBe(AT_FIRST);
});

test('refusals teach nothing, and let the next calls in', () => {
  const { written, underWay, add, refuse } = windowStage();
  add(20_000);

  for (let i = 0; i < 15; i += 1) {
    refuse(AT_FIRST);
    expect(underWay.length).toBe(AT_FIRST);
  }

  expect(written.length).toBe(16 * AT_FIRST);
});

test('a call that is late alone does not make the window smaller', () => {
  const { underWay, add, answer } = windowStage({ bareMs: 1 });
  for (let i = 0; i < 5; i += 1) {
    add();
    answer(1, 2 * LIMIT_MS);
  }

  add(10_000);

  expect(underWay.length).toBe(AT_FIRST);
});

test('a new connection gets no more calls than one that has learnt nothing', () => {
  const { window, underWay, add, answer } = windowStage();
  add(20_000);
  answer(AT_FIRST, 0.001);
  answer(underWay.length, 0.001);
  window.leave();
  answer(underWay.length, 0.001);
  window.connected(1);

  add(10_000);

  expect(underWay.length).toBe(AT_FIRST);
});

test.each([1, 100])(
  'steady traffic, with %i calls under way, does not keep for ever what was learnt',
  (count) => {
    const { clock, underWay, add, answer } = windowStage();
    add(3 * AT_FIRST);
    answer(AT_FIRST);
    answer(2 * AT_FIRST - count);
    for (let i = 0; i < 700; i += 1) {
      clock.advance(100);
      add(count);
      answer(count);
    }
    answer(count);

    add(10_000);

    expect(underWay.length).toBe(AT_FIRST);
  },
);

const outcomes = fc.constantFrom('answered', 'sent elsewhere', 'sent again', 'given up');

const count = fc.integer({ min: 1, max: 80 });
/** Calls that are added, ends of some that are under way, each so long after the one before, and other events. */
const steps = fc.array(
  fc.oneof(
    count,
    fc.constantFrom('round', 'about a hold', 'suspended', 'reconnected'),
    fc.tuple(count, outcomes, fc.integer({ min: 0, max: 600 })),
  ),
  {
    maxLength: 30,
  },
);

test('whenever no call in turn is unanswered, nothing waits for its turn', () => {
  const property = fc.property(steps, (all) => {
    const { clock, window, unanswered, waiting, written, underWay, add } = windowStage(small);
    let added = 0;
    const reconnect = (): void => {
      window.leave();
      waiting.putBack(unanswered.clear(), LOADING);
      underWay.length = 0;
      window.connected(1);
      for (const call of waiting.take()) {
        window.add(call);
      }
    };
    const events: Record<string, () => void> = {
      round: () => (added += add(1, { resend: false }).length),
      'about a hold': () => (added += add(1, { goesFirst: true }).length),
      suspended: () => clock.step(120_000),
      reconnected: reconnect,
    };
    const end = (call: Call<unknown>, what: string): void => {
      const sentAt = call.lastSentAt;
      if (what === 'given up') {
        call.abandon();
      }
      unanswered.delete(call);
      if (what === 'sent elsewhere') {
        call.isUnanswered = true;
      } else if (what === 'sent again') {
        unanswered.add(call);
        underWay.push(call);
      }
      if (what === 'answered' || what === 'given up') {
        window.answered(call, sentAt);
      } else {
        window.refused(call);
      }
    };
    for (const step of all) {
      if (typeof step === 'number') {
        added += step;
        add(step);
      } else if (typeof step === 'string') {
        events[step]!();
      } else {
        const [most, what, ms] = step;
        for (const call of underWay.splice(0, most)) {
          clock.advance(ms);
          end(call, what);
        }
      }
      expect(unanswered.inTurn > 0 || new Set(written).size === added).toBe(true);
    }
  });

  fc.assert(property, { seed: 1 });
});
