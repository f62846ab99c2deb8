import { Alarm, type Deadlines } from '../base/alarm.js';
import type { PendingCall } from '../wire/call.js';
import { LinkedList } from '../base/linked-list.js';
import type { Clock } from '../base/clock.js';

/**
 * The calls that were written to a connection and have no answer yet, in the order of writing. A
 * connection that leaves the oldest one unanswered for too long counts as half-open. So an
 * abandoned call stays here too, until its answer or the end of the connection.
 */
export class Unanswered implements Deadlines {
  readonly #limitMs: number;
  readonly #silent: () => void;
  readonly #calls = new LinkedList<PendingCall>();
  readonly #alarm: Alarm;

  /** `silent` is called when the limit has passed. It must end the connection and clear this. */
  constructor(clock: Clock, limitMs: number, silent: () => void) {
    this.#limitMs = limitMs;
    this.#silent = silent;
    this.#alarm = new Alarm(clock, this);
  }

  /** The call was written just now. */
  add(call: PendingCall): void {
    call.isUnanswered = true;
    this.#calls.push(call);
    this.#alarm.added(call.lastSentAt + this.#limitMs);
  }

  /** The call was answered. False when the answer does not matter any more: the call was abandoned,
   * or its connection has ended. */
  delete(call: PendingCall): boolean {
    if (!this.#calls.delete(call)) {
      return false;
    }
    call.isUnanswered = false;
    return !call.isAbandoned;
  }

  /** The connection has ended: takes out all calls, and returns those that are not abandoned. */
  clear(): PendingCall[] {
    const calls = this.#calls.clear();
    for (const call of calls) {
      call.isUnanswered = false;
    }
    return calls.filter(({ isAbandoned }) => !isAbandoned);
  }

  /** For the alarm only. */
  get earliest(): number | undefined {
    const oldest = this.#calls.first;
    return oldest && oldest.lastSentAt + this.#limitMs;
  }

  /** For the alarm only. */
  due(): void {
    this.#silent();
  }

  /** From now on the limit is not checked. */
  close(): void {
    this.#alarm.close();
  }
}
