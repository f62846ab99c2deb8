import { expect, test } from 'vitest';
import { DeadlineQueue, Limit } from '../../src/core/base/deadline-queue.js';
import { fakeClock } from '../support/fake-clock.js';

const DELAY_MS = 50;

test('what is added expires in its order, each in its own time', () => {
  const clock = fakeClock();
  const queue = new DeadlineQueue(clock, DELAY_MS);
  const told: string[] = [];

  for (const name of ['a', 'b', 'c']) {
    queue.add(new Limit(() => told.push(`${name} at ${clock.now()}`)));
    clock.advance(10);
  }
  clock.advance(DELAY_MS);

  expect(told).toEqual(['a at 1050', 'b at 1060', 'c at 1070']);
  expect(clock.pending).toBe(0);
});

test('what was dropped does not expire', () => {
  const clock = fakeClock();
  const queue = new DeadlineQueue(clock, DELAY_MS);
  const told: string[] = [];
  const [dropped, kept] = ['dropped', 'kept'].map((name) => new Limit(() => told.push(name)));
  queue.add(dropped!);
  queue.add(kept!);

  const first = queue.delete(dropped!);
  const second = queue.delete(dropped!);
  clock.advance(2 * DELAY_MS);

  expect([first, second]).toEqual([true, false]);
  expect(told).toEqual(['kept']);
  expect(queue.delete(kept!)).toBe(false);
});

test('there is never more than one timer, though what expires adds more', () => {
  const clock = fakeClock();
  const queue = new DeadlineQueue(clock, DELAY_MS);
  let expired = 0;
  let most = 0;

  // Something always waits, and each thing that expires leaves something behind.
  for (let i = 0; i < 100; i += 1) {
    queue.add(
      new Limit(() => {
        expired += 1;
        queue.add(new Limit(() => (expired += 1)));
      }),
    );
    clock.advance(10);
    most = Math.max(most, clock.pending);
  }
  clock.advance(10 * DELAY_MS);

  expect(most).toBe(1);
  expect(expired).toBe(200);
  expect(clock.pending).toBe(0);
});

test('what expires may drop those that come next', () => {
  const clock = fakeClock();
  const queue = new DeadlineQueue(clock, DELAY_MS);
  const told: string[] = [];
  const [first, second, third, fourth] = [1, 2, 3, 4].map(
    (i) =>
      new Limit(() => {
        told.push(String(i));
        if (i === 1) {
          queue.delete(second!);
          queue.delete(third!);
        }
      }),
  );
  for (const limit of [first, second, third, fourth]) {
    queue.add(limit!);
  }

  clock.advance(DELAY_MS);

  expect(told).toEqual(['1', '4']);
});

test('a closed queue forgets everything', () => {
  const clock = fakeClock();
  const queue = new DeadlineQueue(clock, DELAY_MS);
  const told: string[] = [];
  queue.add(new Limit(() => told.push('late')));

  queue.close();
  clock.advance(2 * DELAY_MS);

  expect(told).toEqual([]);
  expect(clock.pending).toBe(0);
});

test('a limit that is added while the input is handled prolongs no other', () => {
  const clock = fakeClock();
  const queue = new DeadlineQueue(clock, DELAY_MS);
  const told: string[] = [];
  clock.holdInput();
  for (const name of ['a', 'b', 'c']) {
    queue.add(new Limit(() => told.push(`${name} at ${clock.now()}`)));
    clock.advance(1);
  }

  // Each time the timer has fired, somebody comes before the judgement.
  for (let i = 0; i < 2 * DELAY_MS; i += 1) {
    clock.advance(1);
    queue.add(new Limit(() => {}));
    clock.inputHandled();
  }

  expect(told).toEqual(['a at 1050', 'b at 1051', 'c at 1052']);
});
