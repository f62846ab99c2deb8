// A waiter for a lock that only writes down what it is told, and the way to the server of its queue.

import type { Clock } from '../../src/core/base/clock.js';
import { Linked } from '../../src/core/base/linked-list.js';
import type { Asks, Left } from '../../src/core/locks/ticket.js';
import type { Lease } from '../../src/core/lease/lease.js';
import type { LockWaiter, Position, Verdict } from '../../src/core/locks/wait-queue.js';
import type { Call, Receiver } from '../../src/core/wire/call.js';

export class TestWaiter extends Linked implements LockWaiter {
  readonly wantsReplicas = false;
  readonly isBounded = false;
  readonly leaseMs: number;
  readonly renewed = true;
  readonly startedAt: number;
  readonly told: string[] = [];
  /** Its next grant is of use. */
  isInTime = true;

  constructor(leaseMs = 1_000, startedAt = 0) {
    super();
    this.startedAt = startedAt;
    this.leaseMs = leaseMs;
  }

  queued(): void {
    this.told.push('queued');
  }

  blocked(): void {
    this.told.push('blocked');
  }

  refused(): void {
    this.told.push('refused');
  }

  granted(ticket: { holderId: string; hasUnackedCopy: boolean }): Lease | undefined {
    const { holderId, hasUnackedCopy } = ticket;
    this.told.push(`granted ${holderId}${hasUnackedCopy ? ' with a copy' : ''}`);
    return this.isInTime ? ({} as Lease) : undefined;
  }

  cameTooLate(): void {
    this.told.push('too late');
  }

  passed(): void {
    this.told.push('passed');
  }

  failed({ message }: Error): void {
    this.told.push(message);
  }
}

/** The parts of a call that the receiver of its outcome looks at. */
export interface TestCall {
  sent: boolean;
  unackedCopies: number;
  sentAt: number;
  lastSentAt: number;
}

/** Writes down what a queue asks; tests answer. Holder ids are `1`, `2` and so on. */
export class TestAsks {
  readonly keepsPosition: boolean;
  readonly locks: Asks['locks'];
  /** The asks as `holder id position`, and what was given up or taken back. */
  readonly told: string[] = [];
  readonly #calls = new Map<string, { call: TestCall; receiver: Receiver<Verdict> }>();
  #ids = 0;
  readonly #now: () => number;

  /** `services` of the client, but for those that every queue needs of it. */
  constructor(services: object, fairness: object = { delayMs: () => 0 }, keepsPosition = false) {
    this.keepsPosition = keepsPosition;
    const client = { newHolderId: () => String((this.#ids += 1)) };
    const delivery = {
      abandon: ({ sent }: TestCall) => {
        this.told.push('abandoned');
        return sent;
      },
    };
    const all = { client, delivery, ...services };
    this.#now = (): number => ('clock' in services ? (services.clock as Clock).now() : 0);
    this.locks = { services: all, fairness } as unknown as Asks['locks'];
  }

  ask(
    holderId: string,
    _leaseMs: number,
    position: Position,
    receiver: Receiver<Verdict>,
  ): Call<Verdict> {
    this.told.push(`${holderId} ${position}`);
    const sentAt = this.#now();
    const call = { sent: true, unackedCopies: 0, sentAt, lastSentAt: sentAt };
    this.#calls.set(holderId, { call, receiver });
    return call as unknown as Call<Verdict>;
  }

  cancel({ holderId, hasUnackedCopy, others = [] }: Left): void {
    const all = [holderId, ...others].join(' and ');
    this.told.push(`cancels ${all}${hasUnackedCopy ? ' for good' : ''}`);
  }

  emptied(): void {
    this.told.push('emptied');
  }

  /** The last call of a holder, as it is under way. */
  callOf(holderId: string): TestCall {
    return this.#calls.get(holderId)!.call;
  }

  answer(holderId: string, verdict: Verdict): void {
    const { call, receiver } = this.#calls.get(holderId)!;
    receiver.answered(verdict, call as unknown as Call<Verdict>);
  }

  fail(holderId: string, message: string): void {
    const { call, receiver } = this.#calls.get(holderId)!;
    receiver.failed(new Error(message), call as unknown as Call<Verdict>);
  }

  /** The asks under a holder id, or all. */
  asksOf(holderId?: string): string[] {
    return this.told.filter(
      (line) => /^\d+ /u.test(line) && (holderId === undefined || line.startsWith(`${holderId} `)),
    );
  }
}

export const granted: Verdict = { is: 'granted' };
export const busy = (busyMs: number, rank = 0): Verdict => ({ is: 'busy', busyMs, rank });
