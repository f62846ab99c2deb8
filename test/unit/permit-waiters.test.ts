// How many of those that want permits wait for sure.

import { expect, test } from 'vitest';
import { systemClock } from '../../src/core/base/clock.js';
import { Linked } from '../../src/core/base/linked-list.js';
import type { PermitWaiter } from '../../src/core/permits/permit-source.js';
import { PermitWaiters } from '../../src/core/permits/permit-waiters.js';

class Waiter extends Linked implements PermitWaiter {
  readonly number = undefined;
  readonly count = 1;
  readonly waits: boolean;
  isBlocked = false;

  constructor(waits = true) {
    super();
    this.waits = waits;
  }

  blocked(): void {
    this.isBlocked = true;
  }

  granted(): boolean {
    return true;
  }

  refused(): void {}

  failed(): void {}
}

function waitersOf(those: readonly Waiter[]): PermitWaiters<Waiter> {
  const waiters = new PermitWaiters<Waiter>(systemClock());
  for (const waiter of those) {
    waiters.add(waiter, false);
  }
  return waiters;
}

test('nobody waits before the server has refused one', () => {
  expect(waitersOf([new Waiter(), new Waiter()]).waiting).toBe(0);
});

test('those who come behind one that was refused wait with it, and no longer than it', () => {
  const first = new Waiter();
  const waiters = waitersOf([first]);
  waiters.block();
  waiters.add(new Waiter(), false);
  const behind = waiters.waiting;

  waiters.delete(first);

  expect([behind, waiters.waiting]).toEqual([2, 0]);
});

test('those who come while nobody gets in wait by themselves', () => {
  const first = new Waiter();
  const waiters = waitersOf([first]);
  waiters.block();
  waiters.add(new Waiter(), true);

  waiters.delete(first);

  expect(waiters.waiting).toBe(1);
});

test('one whose grant came too late waits on', () => {
  const first = new Waiter();
  const waiters = waitersOf([first]);
  waiters.block();
  waiters.delete(first);
  waiters.restore([first]);
  const back = waiters.waiting;
  waiters.block();

  waiters.delete(first);

  expect([back, waiters.waiting]).toEqual([1, 0]);
});

test('an attempt that does not wait is none of them', () => {
  const waiters = waitersOf([new Waiter(), new Waiter(false)]);
  waiters.block();
  waiters.add(new Waiter(false), false);

  expect(waiters.waiting).toBe(1);
});
