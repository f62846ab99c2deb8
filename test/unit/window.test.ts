import { expect, test } from 'vitest';
import { fc } from '../support/fast-check.js';
import { Unanswered } from '../../src/core/connection/half-open.js';
import { ResendQueue } from '../../src/core/connection/resend-queue.js';
import { Window } from '../../src/core/connection/window.js';
import { Call } from '../../src/core/wire/call.js';
import { fakeClock } from '../support/fake-clock.js';

const WAY_MS = 500;
const FEWEST = 32;

const LOADING = new Error('LOADING Redis is loading the dataset in memory');

interface Terms {
  readonly resend?: boolean;
  readonly goesFirst?: boolean;
}

const fail = (): never => {
  throw new Error('nobody is told');
};

function stage() {
  const clock = fakeClock();
  const unanswered = new Unanswered(clock, 60_000, fail);
  const waiting = new ResendQueue(clock, () => {}, fail);
  const written: number[] = [];
  const underWay: Call<unknown>[] = [];
  const write = (call: Call<unknown>): void => {
    call.lastSentAt = clock.now();
    unanswered.add(call);
    written.push(call.order);
    underWay.push(call);
  };
  const window = new Window(clock, {
    wayMs: WAY_MS,
    unanswered,
    waiting,
    write: (call) => write(call as Call<unknown>),
  });
  let order = 0;
  const add = (count = 1, { resend = true, goesFirst = false }: Terms = {}): Call<unknown>[] =>
    Array.from({ length: count }, () => {
      const script = { name: 'any', sha1: '', source: '', decode: (reply: unknown) => reply };
      const receiver = { answered: () => {}, failed: () => {} };
      const watch = { failed: fail, unheard: fail };
      const call = new Call({ script, operands: [1, 'key'] }, receiver, resend, watch);
      order += 1;
      call.order = order;
      call.goesFirst = goesFirst;
      window.add(call);
      return call;
    });
  /** So many of those that are under way are answered, `ms` from each other. */
  const answer = (count = 1, ms = 0): void => {
    for (let i = 0; i < count; i += 1) {
      const call = underWay.shift()!;
      clock.advance(ms);
      unanswered.delete(call);
      window.answered(call.lastSentAt);
    }
  };
  return { clock, window, unanswered, waiting, written, underWay, add, answer };
}

/** Numbers from 1. */
const upTo = (count: number): number[] => Array.from({ length: count }, (_, i) => i + 1);

test('some calls are written at once, and others as these are answered, in order', () => {
  const { written, add, answer } = stage();

  add(FEWEST + 10);
  expect(written).toEqual(upTo(FEWEST));
  answer(1, WAY_MS);
  expect(written).toEqual(upTo(FEWEST + 1));
  answer(20, 0);
  expect(written).toEqual(upTo(FEWEST + 10));
});

test('while answers come soon, each lets two calls in', () => {
  const { underWay, add, answer } = stage();

  add(10_000);
  for (const expected of [64, 128, 256]) {
    answer(underWay.length, 0.001);
    expect(underWay.length).toBeGreaterThan(0.95 * expected);
    expect(underWay.length).toBeLessThanOrEqual(expected);
  }
});

test('so many are under way in the end that an answer takes as long as it may', () => {
  const { underWay, add, answer } = stage();

  add(10_000);
  // The server answers a thousand in a second.
  answer(4_000, 1);
  const most: number[] = [];
  for (let i = 0; i < 2_000; i += 1) {
    answer(1, 1);
    most.push(underWay.length);
  }

  expect(Math.min(...most)).toBeGreaterThan(0.8 * WAY_MS);
  expect(Math.max(...most)).toBeLessThan(1.2 * WAY_MS);
});

test('a server that becomes slow gets fewer, and never fewer than at first', () => {
  const { underWay, add, answer } = stage();
  add(10_000);
  answer(4_000, 1);

  answer(1_500, 10);
  expect(underWay.length).toBeLessThan(80);
  answer(500, 100);

  expect(underWay).toHaveLength(FEWEST);
});

test('calls about holds go before the others, and rounds of renewals wait for nothing', () => {
  const { written, add, answer } = stage();
  add(FEWEST + 1);

  add(2, { goesFirst: true });
  add(1, { resend: false });
  expect(written.slice(FEWEST)).toEqual([FEWEST + 4]);
  answer(4, WAY_MS);

  expect(written.slice(FEWEST + 1)).toEqual([FEWEST + 2, FEWEST + 3, FEWEST + 1]);
});

test('a call whose turn has come waits behind those that the server has refused', () => {
  const { unanswered, waiting, written, underWay, add, answer } = stage();
  add(FEWEST + 3);

  const refused = underWay.shift()!;
  unanswered.delete(refused);
  waiting.refused(refused, LOADING);
  answer(2, 0);

  expect(written).toEqual(upTo(FEWEST));
  expect(waiting.take().map(({ order }) => order)).toEqual([1, ...upTo(FEWEST + 3).slice(FEWEST)]);
});

test('what waits for its turn when the connection ends waits for the next one', () => {
  const { window, waiting, written, add, answer } = stage();
  add(FEWEST + 2);
  add(1, { goesFirst: true });

  window.leave();
  answer(FEWEST, 0);

  expect(written).toEqual(upTo(FEWEST));
  const orders = waiting.take().map(({ order }) => order);
  expect(orders).toEqual([FEWEST + 1, FEWEST + 2, FEWEST + 3]);
});

test('a call that is given up before its turn is never written', () => {
  const { written, add, answer } = stage();
  const calls = add(FEWEST + 2);

  calls[FEWEST]!.abandon();
  answer(2, 0);

  expect(written).toEqual([...upTo(FEWEST), FEWEST + 2]);
});

test('what was learnt of a server is forgotten when hardly a call was under way since', () => {
  const { clock, underWay, add, answer } = stage();
  add(1_000);
  answer(1_000, 0.001);
  expect(underWay).toHaveLength(0);

  add(300);
  expect(underWay).toHaveLength(300);
  answer(300, 0.001);
  clock.advance(WAY_MS + 1);
  add(300);

  expect(underWay).toHaveLength(FEWEST);
});

const outcomes = fc.constantFrom('answered', 'sent elsewhere', 'sent again', 'given up');

const count = fc.integer({ min: 1, max: 80 });
/** Calls that are added, and ends of some that are under way, each so long after the one before. */
const steps = fc.array(
  fc.oneof(count, fc.tuple(count, outcomes, fc.integer({ min: 0, max: 600 }))),
  {
    maxLength: 30,
  },
);

test('whenever nothing is unanswered, nothing waits for its turn', () => {
  const property = fc.property(steps, (all) => {
    const { clock, window, unanswered, written, underWay, add } = stage();
    let added = 0;
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
      window.answered(sentAt);
    };
    for (const step of all) {
      if (typeof step === 'number') {
        added += step;
        add(step);
      } else {
        const [most, what, ms] = step;
        for (const call of underWay.splice(0, most)) {
          clock.advance(ms);
          end(call, what);
        }
      }
      expect(unanswered.size > 0 || written.length === added).toBe(true);
    }
  });

  fc.assert(property, { seed: 1 });
});
