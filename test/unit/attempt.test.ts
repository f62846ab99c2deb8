// The simple path of who does not wait: one ask, one answer, and nothing left on the server.

import { expect, test } from 'vitest';
import { Attempt } from '../../src/core/locks/ticket.js';
import { busy, granted, TestAsks, TestWaiter } from '../support/test-waiter.js';

function stage() {
  const asks = new TestAsks({});
  const waiter = new TestWaiter();
  const attempt = new Attempt(asks, waiter);
  waiter.failed = ({ message }) => {
    waiter.told.push(message);
    attempt.leave();
  };
  attempt.join();
  return { asks, waiter, attempt };
}

test('an attempt asks once, without a place in the line', () => {
  const { asks, waiter } = stage();

  asks.answer('1', granted);

  expect([asks.told, waiter.told]).toEqual([['1 none'], ['granted 1']]);
});

test('an attempt is refused by a lock that is busy', () => {
  const { asks, waiter } = stage();

  asks.answer('1', busy(1_000));

  expect([asks.told, waiter.told]).toEqual([['1 none'], ['refused']]);
});

test('a grant names a copy that may still run', () => {
  const { asks, waiter } = stage();
  asks.callOf('1').unackedCopies = 1;

  asks.answer('1', granted);

  expect(waiter.told).toEqual(['granted 1 with a copy']);
});

test.each([
  ['came too late', granted],
  ['was ended by force before it was told', { is: 'cancelled' } as const],
])('a grant that %s is taken back, and asked for anew as another holder', (_, verdict) => {
  const { asks, waiter } = stage();
  waiter.isInTime = false;
  asks.callOf('1').unackedCopies = 1;

  asks.answer('1', verdict);
  waiter.isInTime = true;
  asks.answer('2', granted);

  expect(asks.told).toEqual(['1 none', 'cancels 1 for good', '2 none']);
  expect(waiter.told.at(-1)).toBe('granted 2');
});

test('an attempt whose call fails leaves nothing, unless a copy may run', () => {
  const [clean, doubtful] = [stage(), stage()];
  doubtful.asks.callOf('1').unackedCopies = 1;

  clean.asks.fail('1', 'no');
  doubtful.asks.fail('1', 'no');

  expect([clean.waiter.told, clean.asks.told]).toEqual([['no'], ['1 none']]);
  expect(doubtful.asks.told).toEqual(['1 none', 'cancels 1 for good']);
});

test('an answer that no new holder can get is an error', () => {
  const { asks, waiter } = stage();

  asks.answer('1', { is: 'gone', reason: 'deleted' });

  expect(waiter.told).toEqual(['a fresh acquisition was answered "gone"']);
});

test.each([
  [true, ['1 none', 'abandoned', 'cancels 1 for good']],
  [false, ['1 none', 'abandoned']],
])('an attempt that is given up (sent: %s) is taken back if it was sent', (sent, told) => {
  const { asks, attempt } = stage();
  asks.callOf('1').sent = sent;
  expect([attempt.contention.sent, attempt.contention.refusal]).toEqual([sent, undefined]);

  attempt.leave();

  expect(asks.told).toEqual(told);
});
