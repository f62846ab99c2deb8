import { Alarm, type Deadlines } from '../base/alarm.js';
import type { PendingCall } from '../wire/call.js';
import { LinkedList } from '../base/linked-list.js';
import type { Clock } from '../base/clock.js';

/**
 * What was written to a connection and has no answer yet, in the order in which it was written. A
 * connection that leaves the oldest of it unanswered for too long counts as half-open; so a call
 * that nobody waits for any more stands here too, until its answer or the end of the connection.
 */
export class Unanswered implements Deadlines {
  readonly #limitMs: number;
  readonly #silent: () => void;
  readonly #calls = new LinkedList<PendingCall>();
  readonly #alarm: Alarm;

  /** `silent` is called when the limit has passed. It ends the connection, and so clears this. */
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

  /** The call was answered. False when nobody waits for that: it was abandoned, or its connection
   * has ended. */
  delete(call: PendingCall): boolean {
    if (!this.#calls.delete(call)) {
      return false;
    }
    call.isUnanswered = false;
    return !call.isAbandoned;
  }

  /** The connection has ended: takes out all calls, and hands out those that are still waited for. */
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

  /** From now on nobody is judged. */
  close(): void {
    this.#alarm.close();
  }
}
