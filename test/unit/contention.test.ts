import { expect, test } from 'vitest';
import { Contention } from '../../src/core/waiting/contention.js';

const ASK = { sent: true, refusal: undefined, isAbandoned: false };

/** Answered "busy" at 1000, after so long. */
function busy(roundTripMs = 10): Contention {
  const contention = new Contention();
  contention.asked(1_000 - roundTripMs, ASK);
  contention.busy({ lastSentAt: 1_000 - roundTripMs }, 1_000);
  return contention;
}

test('is not known before the server has answered', () => {
  const contention = new Contention();
  contention.asked(1_000, ASK);

  expect(contention.proves(1_001, undefined)).toBe(false);
});

test('is known until the next ask is overdue', () => {
  const contention = busy();
  expect(contention.proves(5_000, undefined)).toBe(true);

  contention.asked(5_000, ASK);
  contention.asked(5_050, ASK);

  expect([5_100, 5_101].map((now) => contention.proves(now, undefined))).toEqual([true, false]);
});

test('is not known any more when the next ask is not made in time', () => {
  const contention = busy();

  expect([6_100, 6_101].map((now) => contention.proves(now, undefined))).toEqual([true, false]);
});

test('an ask may take twice as long as the one before', () => {
  const contention = busy(300);
  contention.asked(2_000, ASK);

  expect([2_600, 2_601].map((now) => contention.proves(now, undefined))).toEqual([true, false]);
});

test('an ask may not take longer than two seconds', () => {
  const contention = busy(9_000);
  contention.asked(2_000, ASK);

  expect([4_000, 4_001].map((now) => contention.proves(now, undefined))).toEqual([true, false]);
});

test('is not known any more once the connection is down for that long', () => {
  const contention = busy();

  expect([2_100, 2_101].map((now) => contention.proves(now, 2_000))).toEqual([true, false]);
});

test('is not known once an ask has failed, and is again with the next answer', () => {
  const contention = busy();
  contention.asked(2_000, ASK);
  contention.failed(new Error('NOPERM'));
  expect(contention.proves(2_001, undefined)).toBe(false);

  contention.busy({ lastSentAt: 2_002 }, 2_003);

  expect(contention.proves(2_004, undefined)).toBe(true);
});

test('another answer ends the ask alone', () => {
  const contention = busy();
  contention.asked(2_000, ASK);
  contention.answered();

  expect(contention.proves(6_000, undefined)).toBe(true);
});

test('the refusal is that of the ask under way, or of the last one, and goes with an answer', () => {
  const contention = busy();
  const ask: {
    -readonly [K in keyof typeof ASK]: K extends 'refusal' ? Error | undefined : (typeof ASK)[K];
  } = { ...ASK };
  contention.asked(2_000, ask);
  expect(contention.refusal).toBeUndefined();

  ask.refusal = new Error('READONLY');
  expect(contention.refusal).toBe(ask.refusal);
  ask.isAbandoned = true;
  contention.asked(2_001, ASK);
  expect(contention.refusal).toBe(ask.refusal);
  const failure = new Error('NOPERM');
  contention.failed(failure);
  expect(contention.refusal).toBe(failure);

  contention.answered();
  expect(contention.refusal).toBeUndefined();
});

test('an ask that was given up shows nothing; the next one does', () => {
  const contention = busy();
  const given = { ...ASK };
  contention.asked(2_000, given);
  given.isAbandoned = true;
  expect(contention.proves(2_500, undefined)).toBe(true);

  contention.asked(2_500, ASK);

  expect([2_600, 2_601].map((now) => contention.proves(now, undefined))).toEqual([true, false]);
});

test('nothing is known any more once nobody waits', () => {
  const contention = busy();
  contention.forget();

  expect(contention.proves(1_001, undefined)).toBe(false);
});
