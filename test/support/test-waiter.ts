// A waiter that only writes down when it is asked to ask.

import { Linked } from '../../src/core/base/linked-list.js';
import type { Position, Waiter } from '../../src/core/locks/wait-queue.js';

export class TestWaiter extends Linked implements Waiter {
  readonly leaseMs = 1_000;
  holderId: string;
  asked: Position[] = [];

  constructor(holderId: string) {
    super();
    this.holderId = holderId;
  }

  ask(position: Position): void {
    this.asked.push(position);
  }

  answered(): void {}
  failed(): void {}
}
