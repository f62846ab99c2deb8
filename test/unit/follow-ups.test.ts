import { expect, test } from 'vitest';
import { FollowUps } from '../../src/core/locks/follow-ups.js';
import { fakeClock } from '../support/fake-clock.js';

function stage() {
  const clock = fakeClock();
  const done: string[] = [];
  const watched = {
    ...clock,
    after: (ms: number, task: () => void) => {
      const timer = clock.after(ms, task);
      return {
        cancel: () => {
          done.push('cancelled');
          timer.cancel();
        },
      };
    },
  };
  const delivery = { start: () => done.push('looked') };
  const followUps = new FollowUps(watched, delivery as never, () => {});
  return { clock, done, watch: () => followUps.watch('jobs', () => ({}) as never) };
}

test('of several releases the last one is followed up', () => {
  const { clock, done, watch } = stage();

  watch();
  clock.advance(3_000);
  watch();
  clock.advance(3_999);
  const early = [...done];
  clock.advance(1);

  expect([early, done]).toEqual([['cancelled'], ['cancelled', 'looked']]);
});

test('nothing is kept of a look that was made', () => {
  const { clock, done, watch } = stage();

  watch();
  clock.advance(4_000);
  watch();

  expect(done).toEqual(['looked']);
});
