// What a connection knows of the clock of its server.

import { describe, expect, test } from 'vitest';
import { ServerTime, timeIn } from '../../src/core/connection/server-time.js';

const TIMEOUT_MS = 3_000;
/** By the clock of the server, when that of the client starts. */
const START_MS = 1_800_000_000_000;

describe('the time of the server', () => {
  test('is not known before an answer has shown it, nor on another connection', () => {
    const time = new ServerTime(TIMEOUT_MS);
    expect(time.at(100)).toBeUndefined();
    time.learn(START_MS + 50, 0, 100);
    expect(time.at(100)).toBe(START_MS + 50);
    time.forget();

    expect(time.at(100)).toBeUndefined();
  });

  test('is taken for a hundredth less for each time that has passed since', () => {
    const time = new ServerTime(TIMEOUT_MS);
    time.learn(START_MS, 0, 0);

    expect(time.at(10_000)).toBe(START_MS + 9_900);
  });

  test('is not that of an answer that was long on its way, where an earlier one shows more', () => {
    const time = new ServerTime(TIMEOUT_MS);
    time.learn(START_MS, 0, 0);
    time.learn(START_MS + 100, 90, 1_000);

    expect(time.at(1_000)).toBe(START_MS + 990);
  });

  test('is set back with the first answer that cannot be explained otherwise', () => {
    const time = new ServerTime(TIMEOUT_MS);
    time.learn(START_MS, 0, 0);
    time.learn(START_MS - 3_600_000, 990, 1_000);

    expect(time.at(1_000)).toBe(START_MS - 3_600_000);
  });

  test('is set forward with the first answer', () => {
    const time = new ServerTime(TIMEOUT_MS);
    time.learn(START_MS, 0, 0);
    time.learn(START_MS + 3_600_000, 990, 1_000);

    expect(time.at(1_000)).toBe(START_MS + 3_600_000);
  });

  test('is requested once where it is not known, or old, until an answer shows it', () => {
    const time = new ServerTime(TIMEOUT_MS);
    expect([time.isDue(0), time.isDue(1)]).toEqual([true, false]);
    time.learn(START_MS, 0, 1);
    expect([time.isDue(29_000), time.isDue(30_001), time.isDue(30_002)]).toEqual([
      false,
      true,
      false,
    ]);
    time.forget();

    expect(time.isDue(30_003)).toBe(true);
  });

  test('is old after ten times the time of a caller', () => {
    const time = new ServerTime(300);
    time.learn(START_MS, 0, 0);

    expect([time.isDue(2_999), time.isDue(3_000)]).toEqual([false, true]);
  });

  test('is not learnt from an answer that shows none', () => {
    const time = new ServerTime(TIMEOUT_MS);
    time.learn(START_MS, 0, 0);
    time.learn(timeIn('OK'), 10, 20);

    expect(time.at(0)).toBe(START_MS);
    expect(timeIn(['1800000000', '999999'])).toBe(1_800_000_000_999);
  });
});
