// What a connection knows of the clock of its server.

import { describe, expect, test } from 'vitest';
import { ServerTime, timeIn } from '../../src/core/connection/server-time.js';

const LIMIT_MS = 3_000;
/** By the clock of the server, when that of the client starts. */
const START_MS = 1_800_000_000_000;

function stage(limitMs = LIMIT_MS) {
  let now = 0;
  let stepMs = 0;
  const clock = { now: () => now, steppedSince: () => stepMs };
  const time = new ServerTime(clock, limitMs);
  return {
    time,
    /** The answer to what was sent at `sentAt` is read now. */
    learn: (serverMs: number, { sentAt = now, readAt = now } = {}) => {
      now = readAt;
      time.learn(serverMs, sentAt);
    },
    /** Time passes. */
    pass: (ms: number) => {
      now += ms;
    },
    /** The clock of the client is set forward. */
    step: (ms: number) => {
      now += ms;
      stepMs = ms;
    },
  };
}

describe('the time of the server', () => {
  test('is not known before an answer has shown it, nor on another connection', () => {
    const { time, learn } = stage();
    expect([time.at(100), time.isUseless]).toEqual([undefined, true]);
    learn(START_MS + 50, { readAt: 100 });
    expect([time.at(100), time.isUseless]).toEqual([START_MS + 50, false]);
    time.forget();

    expect([time.at(100), time.isUseless]).toEqual([undefined, true]);
  });

  test('is taken for a hundredth less for each time that has passed since', () => {
    const { time, learn } = stage();
    learn(START_MS);

    expect(time.at(10_000)).toBe(START_MS + 9_900);
  });

  test('is not later because the clock of the client was set forward', () => {
    const { time, learn, step } = stage();
    learn(START_MS);
    step(20_000);

    expect(time.at(23_000)).toBe(START_MS + 2_970);
  });

  test('is not that of an answer that was long on its way, where an earlier one shows more', () => {
    const { time, learn } = stage();
    learn(START_MS);
    learn(START_MS + 100, { sentAt: 90, readAt: 1_000 });

    expect(time.at(1_000)).toBe(START_MS + 990);
  });

  test.each([-3_600_000, 3_600_000])('follows a clock that was set by %s ms', (byMs) => {
    const { time, learn } = stage();
    learn(START_MS);
    learn(START_MS + byMs, { sentAt: 990, readAt: 1_000 });

    expect(time.at(1_000)).toBe(START_MS + byMs);
  });

  test('is requested where it is not known, or old, and not again before an answer is late', () => {
    const { time, learn, pass } = stage();
    expect([time.isDue(), time.isDue()]).toEqual([true, false]);
    learn(START_MS);
    pass(29_000);
    expect(time.isDue()).toBe(false);
    pass(1_000);
    expect([time.isDue(), time.isDue()]).toEqual([true, false]);
    pass(LIMIT_MS);

    expect([time.isDue(), time.isDue()]).toEqual([true, false]);
  });

  test('is old after ten times the answer limit, where that is less than 30 s', () => {
    const { time, learn, pass } = stage(300);
    learn(START_MS);
    pass(2_999);
    expect(time.isDue()).toBe(false);
    pass(1);

    expect(time.isDue()).toBe(true);
  });

  test('has to be known before a call after fifty times the answer limit', () => {
    const { time, learn, pass } = stage(300);
    learn(START_MS);
    pass(14_999);
    expect(time.isUseless).toBe(false);
    pass(1);

    expect(time.isUseless).toBe(true);
  });

  test('is not known where the server hides it, no call waits for it, and it is requested twice a minute', () => {
    const { time, pass } = stage();
    expect(time.isDue()).toBe(true);
    time.hidden();
    pass(29_999);
    expect([time.at(0), time.isDue(), time.isUseless]).toEqual([undefined, false, false]);
    pass(1);

    expect(time.isDue()).toBe(true);
  });

  test('is not shown by an answer that is none', () => {
    const { time, learn } = stage();
    learn(START_MS);
    learn(timeIn('OK'));

    expect([time.at(0), time.isUseless]).toEqual([undefined, false]);
    expect(timeIn(['1800000000', '999999'])).toBe(1_800_000_000_999);
  });

  test('has to be known before a call after a step of the clock of the client', () => {
    const { time, learn, step } = stage();
    learn(START_MS);
    step(1_499);
    expect(time.isUseless).toBe(false);
    step(1_500);

    expect(time.isUseless).toBe(true);
  });
});
