import { LinkedList } from '../base/linked-list.js';
import type { Clock } from '../base/clock.js';
import type { PendingCall } from '../wire/call.js';
import type { Unanswered } from './half-open.js';
import type { ResendQueue } from './resend-queue.js';

/** So many calls may be unanswered at first, and however long the answers take. */
const FEWEST = 32;

/** The parts of a connection that its window works on. */
export interface WindowParts {
  /** How long other calls may make the way of a call to the server and back. */
  readonly wayMs: number;
  readonly unanswered: Unanswered;
  readonly waiting: ResendQueue;
  readonly write: (call: PendingCall) => void;
}

/**
 * The calls that are not written yet, since the server has many to answer before them. A lease counts from the
 * writing of its call: a call that is written at once to a busy server is answered when its lease is over, or
 * nearly so. The window is the number of calls that the server answers in `wayMs`: while calls wait, each
 * answer that comes sooner makes it larger, by up to one, and each that comes later makes it smaller.
 *
 * Rounds of renewals do not wait here: a few commands carry them all. Calls about holds, and those that give
 * back, go before the others. Each sort keeps its order.
 */
export class Window {
  readonly #clock: Clock;
  readonly #parts: WindowParts;
  readonly #aboutHolds = new LinkedList<PendingCall>();
  readonly #others = new LinkedList<PendingCall>();
  #size = FEWEST;
  #learntAt = 0;

  constructor(clock: Clock, parts: WindowParts) {
    this.#clock = clock;
    this.#parts = parts;
  }

  /** Writes the call now, or when it is its turn. */
  add(call: PendingCall): void {
    const { unanswered, write } = this.#parts;
    if (unanswered.size === 0 && this.#size > FEWEST) {
      this.#forget(this.#clock.now());
    }
    if (!call.resend || (unanswered.size < this.#size && this.#first === undefined)) {
      write(call);
    } else {
      (call.goesFirst ? this.#aboutHolds : this.#others).push(call);
    }
  }

  /** A copy that was written at this instant was answered, whatever becomes of its call. */
  answered(sentAt: number): void {
    const { unanswered, wayMs } = this.#parts;
    if (unanswered.size > 0) {
      this.#learn(unanswered.heardAt, 1 - (unanswered.heardAt - sentAt) / wayMs);
    }
    this.#drain();
  }

  /** Writes the calls whose turn it is. After each answer: a call that is sent again may be under way on another
   * connection, and where the last one here has gone, no other answer would come to let these in. */
  #drain(): void {
    const { unanswered, waiting, write } = this.#parts;
    for (let call = this.#first; call !== undefined; call = this.#first) {
      if (unanswered.size >= this.#size) {
        return;
      }
      call.unlink();
      if (waiting.holdsUp(call)) {
        waiting.add(call);
      } else {
        write(call);
      }
    }
  }

  /** The calls that wait for their turn join those that wait for a connection: these may be older. */
  leave(): void {
    for (const call of [...this.#aboutHolds.clear(), ...this.#others.clear()]) {
      this.#parts.waiting.add(call);
    }
  }

  get #first(): PendingCall | undefined {
    return this.#aboutHolds.first ?? this.#others.first;
  }

  /** A gain is positive for an answer that came in time. */
  #learn(now: number, gain: number): void {
    if (gain < 0 || this.#first !== undefined) {
      this.#size = Math.max(FEWEST, this.#size + Math.min(1, Math.max(-1, gain)));
      this.#learntAt = now;
    } else if (this.#parts.unanswered.size < FEWEST) {
      this.#forget(now);
    }
  }

  /** Hardly a call is under way: what was learnt some time ago may be true no more. */
  #forget(now: number): void {
    if (now - this.#learntAt > this.#parts.wayMs) {
      this.#size = FEWEST;
    }
  }
}
