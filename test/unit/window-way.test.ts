// The bare way to a server, by which a window judges answers.

import { expect, test } from 'vitest';
import { AT_FIRST, FEWEST, LIMIT_MS, windowStage } from './window-stage.js';

test('the shortest way of the last minute is the bare one', () => {
  const { clock, underWay, add, answer } = windowStage({ bareMs: 1 });
  /** Whether answers that take so long let no more in. */
  const isBehind = (ms: number): boolean => {
    add(2 * AT_FIRST);
    const sent = underWay.length;
    clock.advance(ms);
    answer(1);
    const grows = underWay.length > sent;
    while (underWay.length > 0) {
      clock.advance(ms);
      answer(underWay.length);
    }
    return !grows;
  };

  expect(isBehind(400)).toBe(true);
  clock.advance(29_000);
  expect(isBehind(400)).toBe(true);
  // Another way: nothing has been as quick as the first one for a minute.
  for (const afterMs of [31_000, 31_000]) {
    clock.advance(afterMs);
    add();
    answer(1, 400);
  }

  expect(isBehind(400)).toBe(false);
});

test('callers that come and go do not make the queue of a busy server its way', () => {
  const { clock, underWay, add, answer } = windowStage({ bareMs: 1, leaseMs: 9_000 });
  const most: number[] = [];
  // A server of a thousand replies a second, and as many callers as it gets under way: now and then nobody waits.
  for (let i = 0; i < 160; i += 1) {
    add(i % 40 === 0 ? 5 : 1_000);
    answer(Math.min(underWay.length, 990), 1);
    most.push(underWay.length);
    if (i % 40 === 1) {
      answer(underWay.length, 1);
    }
    clock.advance(1);
  }

  expect(Math.max(...most)).toBeLessThanOrEqual(1.5 * LIMIT_MS);
});

test('nor does a server that keeps the fewest calls waiting', () => {
  const { underWay, add, answer } = windowStage({ bareMs: 1 });
  add(20_000);
  // Fifty replies a second: the window is as small as can be after a minute.
  answer(3_000, 20);

  // Those that are answered first, behind the one that measures the way, make it a little larger.
  for (let i = 0; i < 7_500; i += 1) {
    answer(1, 20);
    expect(underWay.length).toBeLessThan(1.5 * FEWEST);
  }
});

test('under steady traffic a bare way that is a minute old is measured anew, by one call that is alone', () => {
  const { clock, underWay, written, add, answer } = windowStage({ bareMs: 1 });
  // The server has moved away, and more calls are under way than it would have alone.
  add(40);
  const turns = Array.from({ length: 400 }, () => {
    clock.advance(400);
    const count = underWay.length;
    add(AT_FIRST);
    answer(count);
    return underWay.length;
  });

  expect(turns.filter((size) => size === 1)).toHaveLength(1);
  expect(written.length).toBeGreaterThan(300 * AT_FIRST);
  expect(underWay.length).toBe(AT_FIRST);
});

test('calls that are under way together measure no way, though none waits for its turn', () => {
  const { clock, underWay, add, answer } = windowStage({ bareMs: 1 });
  add(200);
  for (let i = 0; i < 400; i += 1) {
    clock.advance(200);
    answer(100);
    add(100);
  }

  add(10_000);
  clock.advance(400);
  answer(1);

  // The others wait until one of them can measure it alone.
  expect(underWay.length).toBe(AT_FIRST - 1);
});

test('a server that refuses all calls for minutes refuses as many at once as before', () => {
  const { clock, underWay, add, refuse } = windowStage();
  add(200_000);

  for (let i = 0; i < 10; i += 1) {
    clock.advance(31_000);
    refuse(underWay.length);
  }
  refuse(1);

  expect(underWay.length).toBe(AT_FIRST);
});

test('the way is that of calls which are alone, too', () => {
  const { clock, underWay, add, answer } = windowStage({ bareMs: 1 });
  // The server has moved far away: an hour of single calls.
  for (let i = 0; i < 60; i += 1) {
    clock.advance(60_000);
    add();
    answer(1, 400);
  }

  add(10_000);
  clock.advance(400);
  answer(AT_FIRST);

  expect(underWay.length).toBe(2 * AT_FIRST);
});

test('a new connection to a server farther away is not one to a busy server', () => {
  const { clock, window, underWay, add, answer } = windowStage({ bareMs: 1 });
  add();
  answer(1, 1);
  window.connected(800);

  add(10_000);
  clock.advance(800);
  answer(AT_FIRST);

  expect(underWay.length).toBe(2 * AT_FIRST);
});

test('the time for which a machine was suspended is no way to the server', () => {
  const { clock, underWay, add, answer } = windowStage({ bareMs: 1 });
  add(10_000);

  clock.step(30_000);
  answer(AT_FIRST);

  expect(underWay.length).toBe(2 * AT_FIRST);
});

test('an answer that takes longer than it may at all is late, however far the server is', () => {
  const { clock, underWay, add, answer } = windowStage({ bareMs: 8_000 });
  add(10_000);

  clock.advance(1_001);
  answer(AT_FIRST);

  expect(underWay.length).toBe(AT_FIRST / 2);
});

test('a burst after a quiet minute measures the way by its first call', () => {
  const { clock, underWay, add, answer } = windowStage({ bareMs: 1 });
  clock.advance(61_000);
  add(10_000);

  clock.advance(80);
  answer(AT_FIRST);

  expect(underWay.length).toBe(2 * AT_FIRST);
});

test('rounds that are under way do not keep the way from being measured', () => {
  const { clock, underWay, written, add, answer } = windowStage({ bareMs: 1 });
  add(40);
  for (let i = 0; i < 400; i += 1) {
    clock.advance(400);
    const count = underWay.length;
    add(1, { resend: false });
    add(AT_FIRST);
    answer(count);
  }

  expect(written.length).toBeGreaterThan(300 * AT_FIRST);
});

test('a refusal while others are under way does not put off that the way is measured', () => {
  const { clock, underWay, add, answer, refuse } = windowStage({ bareMs: 1 });
  add(10_000);
  answer(1, 1);
  const before = underWay.length;
  clock.advance(61_000);

  refuse(1);

  // The next call is written when all of them are answered.
  expect(underWay.length).toBe(before - 1);
});
