// Leases whose proof has ended, while an answer of the server may prove them again.

import { setImmediate } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { callAt, stage } from '../support/lease-stage.js';

describe('a step of a clock', () => {
  test('ends the proof, and the server is asked, once', async () => {
    const { clock, lease, told, asked, suspects } = stage();
    lease.start(callAt(clock.now()), 1_000);

    clock.step(5_000);
    const looks = [lease.isProven, lease.state, lease.error, lease.remainingMs];
    clock.freeze(900);
    await setImmediate();

    expect(looks).toEqual([false, 'suspect', undefined, 0]);
    expect([lease.state, told, asked.length, suspects.length]).toEqual(['suspect', [], 1, 1]);
  });

  test('is over with a proof that was sent after it, and not with an older one', () => {
    const { clock, lease, told } = stage();
    lease.start(callAt(clock.now()), 1_000);
    const before = clock.now();
    clock.step(5_000);
    const states = [lease.state];

    lease.prove(before, 1_000);
    states.push(lease.state);
    lease.prove(clock.now(), 1_000);
    states.push(lease.state);

    expect([states, lease.remainingMs, told]).toEqual([['suspect', 'suspect', 'held'], 990, []]);
  });

  test('is a loss when no answer has come for a lease, which a timer tells', () => {
    const { clock, lease, told, add } = stage();
    add(true);
    lease.start(callAt(clock.now()), 1_000);
    lease.arm(10_000);
    clock.step(5_000);
    const states = [lease.state];

    clock.advance(989);
    states.push(lease.state);
    clock.advance(1);

    expect([states, told]).toEqual([
      ['suspect', 'suspect'],
      ['unproven', lease.error],
    ]);
  });

  test('comes again: the time for an answer begins anew', async () => {
    const { clock, lease, asked, suspects } = stage();
    lease.start(callAt(clock.now()), 1_000);

    for (let i = 0; i < 3; i += 1) {
      clock.step(5_000);
      expect(lease.state).toBe('suspect');
    }

    await setImmediate();
    expect([asked.length, suspects.length]).toEqual([3, 1]);
  });

  test('that ends the proof together with time that has passed is a loss', () => {
    const { clock, lease, asked } = stage();
    lease.start(callAt(clock.now()), 1_000);

    clock.freeze(990);
    clock.step(5_000);

    expect([lease.state, asked]).toEqual(['lost', []]);
  });

  test('is a loss where a late copy of the acquisition may be granted again', () => {
    const { clock, lease, asked } = stage();
    lease.start(callAt(clock.now()), 1_000);
    lease.hasUnackedCopy = true;

    clock.step(5_000);

    expect([lease.state, asked]).toEqual(['lost', []]);
  });

  test('within the lease leaves it held', () => {
    const { clock, lease } = stage();
    lease.start(callAt(clock.now()), 1_000);

    clock.step(500);

    expect([lease.state, lease.remainingMs]).toEqual(['held', 490]);
  });
});
