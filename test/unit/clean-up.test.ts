// How long a clean-up goes on.

import { expect, test } from 'vitest';
import { CleanUp, MEMORY_MS } from '../../src/core/delivery/clean-up.js';
import { DeadlineQueue } from '../../src/core/base/deadline-queue.js';
import { Call } from '../../src/core/wire/call.js';
import { fakeClock } from '../support/fake-clock.js';

const script = { name: 'any', sha1: '', source: '', decode: (reply: unknown) => reply };

function stage() {
  const clock = fakeClock();
  const failed: string[] = [];
  const cleanUp = new CleanUp({
    clock,
    keepAlive: { ref: () => {}, unref: () => {} },
    failed: (error) => failed.push(error.message),
    timeouts: new DeadlineQueue(clock, 5_000),
    abandon: (call) => call.abandon(),
    ended: () => {},
  });
  const call = new Call(
    { script, operands: [1, 'key'] },
    { answered: () => {}, failed: (error, ended) => cleanUp.finished(ended, error) },
    true,
    { failed: () => {}, unheard: () => {} },
  );
  return { clock, cleanUp, call, failed };
}

test('one that counts goes on as long as each copy is refused, and nothing was run', () => {
  const { clock, cleanUp, call, failed } = stage();
  cleanUp.add(call, { limit: 'once sent' });

  for (let passed = 0; passed < 10; passed += 1) {
    call.writing(clock.now());
    call.refusal = new Error('OOM');
    clock.advance(MEMORY_MS);
  }

  expect([cleanUp.size, failed]).toEqual([1, []]);
});

test('one that counts is given up ten minutes after a copy was sent that may have run', () => {
  const { clock, cleanUp, call, failed } = stage();
  cleanUp.add(call, { limit: 'once sent' });
  call.writing(clock.now());
  call.refusal = new Error('OOM');
  clock.advance(MEMORY_MS - 1);
  // Its answer is lost, and later copies are refused.
  call.writing(clock.now());
  call.unackedCopies = 1;
  clock.advance(MEMORY_MS - 1);
  call.writing(clock.now());
  expect([cleanUp.size, failed]).toEqual([1, []]);

  clock.advance(MEMORY_MS);

  expect([cleanUp.size, failed]).toEqual([0, ['a clean-up was given up after ten minutes']]);
});

test('one that relies on what the server remembers is given up ten minutes from now', () => {
  const { clock, cleanUp, call, failed } = stage();
  cleanUp.add(call, { limit: 'from now' });

  clock.advance(MEMORY_MS);

  expect([cleanUp.size, failed]).toEqual([0, ['a clean-up was given up after ten minutes']]);
});

test('one without a limit goes on until it is carried out', () => {
  const { clock, cleanUp, call, failed } = stage();
  cleanUp.add(call);
  call.refusal = new Error('OOM');

  clock.advance(10 * MEMORY_MS);
  expect(cleanUp.size).toBe(1);
  cleanUp.finished(call);

  expect([cleanUp.size, failed]).toEqual([0, []]);
});

test('one of which nothing is left is stopped once it waits for no answer', () => {
  const { cleanUp, call, failed } = stage();
  cleanUp.add(call);

  call.isUnanswered = true;
  expect([cleanUp.stop(call), cleanUp.size]).toEqual([false, 1]);
  call.isUnanswered = false;
  expect([cleanUp.stop(call), cleanUp.size]).toEqual([true, 0]);

  expect([call.isAbandoned, failed]).toEqual([true, []]);
});
