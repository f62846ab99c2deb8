import { describe, expect, test } from 'vitest';
import { FairShare } from '../../src/core/locks/fair-share.js';

/** A share, and what happens to it at an instant of its own. */
function share() {
  const one = new FairShare();
  let now = 1_000;
  return {
    /** Takes and frees the lock so many times; its own message comes before each answer, and makes the
     * next waiter ask whether it may. */
    takes(times: number, others: number): void {
      for (let i = 0; i < times; i += 1) {
        one.releasing();
        one.heard(now);
        one.delayMs(now);
        one.freed(others, now);
      }
    },
    hears(times: number): void {
      for (let i = 0; i < times; i += 1) {
        one.heard(now);
      }
    },
    after(ms: number): void {
      now += ms;
    },
    get standsBack(): boolean {
      return one.delayMs(now) > 0;
    },
  };
}

describe('the share of a client in a lock', () => {
  test('is all of it while nobody else listens', () => {
    const mine = share();

    mine.takes(1_000, 0);

    expect(mine.standsBack).toBe(false);
  });

  test('is four grants in a row, then as many for each of the others', () => {
    const mine = share();

    mine.takes(3, 2);
    const early = mine.standsBack;
    mine.takes(1, 2);
    const late = mine.standsBack;
    mine.hears(7);
    const nearly = mine.standsBack;
    mine.hears(1);

    expect([early, late, nearly, mine.standsBack]).toEqual([false, true, true, false]);
  });

  test('grows also when two of three take turns', () => {
    const mine = share();
    const turns = Array.from({ length: 20 }, () => {
      mine.takes(1, 2);
      mine.hears(1);
      return mine.standsBack;
    });

    expect(turns).toContain(true);
  });

  test('is taken after 3 ms in which nobody else came, and is larger then', () => {
    const mine = share();
    mine.takes(4, 1);
    const before = mine.standsBack;
    mine.after(3);
    const after = mine.standsBack;
    mine.takes(4, 1);
    const again = mine.standsBack;
    mine.takes(4, 1);

    expect([before, after, again, mine.standsBack]).toEqual([true, false, false, true]);
  });

  test('leaves a turn also where its own message is read before the answer that goes with it', () => {
    const mine = share();
    // The fourth release was answered when the fifth grant had been asked for.
    mine.takes(5, 1);

    expect(mine.standsBack).toBe(true);
  });

  test('is small again when another one has come', () => {
    const mine = share();
    mine.takes(4, 1);
    mine.after(3);
    mine.takes(1, 1);
    mine.hears(1);

    mine.takes(4, 1);

    expect(mine.standsBack).toBe(true);
  });

  test('counts the next message of others after a release that freed nothing', () => {
    const one = new FairShare();
    for (let i = 0; i < 4; i += 1) {
      one.freed(1, 0);
    }
    one.releasing();
    one.kept();

    for (let i = 0; i < 4; i += 1) {
      one.heard(0);
    }

    expect(one.delayMs(0)).toBe(0);
  });

  test('does not go to those who only listen, however many they are', () => {
    const mine = share();
    mine.takes(4, 1_000);

    mine.hears(16);

    expect(mine.standsBack).toBe(false);
  });
});
