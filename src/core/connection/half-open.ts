import { Alarm, type Deadlines } from '../base/alarm.js';
import type { PendingCall } from '../wire/call.js';
import { Linked, LinkedList } from '../base/linked-list.js';
import type { Clock } from '../base/clock.js';

/** A command by which a connection asks the server about itself, and which is no call. */
class Query extends Linked {
  readonly sentAt: number;
  /** How long the server may take to carry it out: it answers nothing else meanwhile. */
  readonly takesMs: number;

  constructor(sentAt: number, takesMs: number) {
    super();
    this.sentAt = sentAt;
    this.takesMs = takesMs;
  }
}

/**
 * The calls that were written to a connection and have no answer yet, in the order of writing. A
 * connection that brings no answer at all for too long, while one is awaited, counts as half-open: a busy
 * server may take long for each, and is there. An abandoned call stays here too, until its answer or the
 * end of the connection.
 */
export class Unanswered implements Deadlines {
  readonly #clock: Clock;
  readonly #limitMs: number;
  readonly #silent: () => void;
  readonly #calls = new LinkedList<PendingCall>();
  readonly #queries = new LinkedList<Query>();
  readonly #alarm: Alarm;
  #inTurn = 0;
  #heardAt = Number.NEGATIVE_INFINITY;

  /** `silent` is called when the limit has passed. It must end the connection and clear this. */
  constructor(clock: Clock, limitMs: number, silent: () => void) {
    this.#clock = clock;
    this.#limitMs = limitMs;
    this.#silent = silent;
    this.#alarm = new Alarm(clock, this);
  }

  /** How many calls there are that wait for their turn: rounds and confirmations do not. */
  get inTurn(): number {
    return this.#inTurn;
  }

  /** The call was written just now. */
  add(call: PendingCall): void {
    call.isUnanswered = true;
    this.#inTurn += call.resend ? 1 : 0;
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
    this.#inTurn -= call.resend ? 1 : 0;
    this.#heard();
    return !call.isAbandoned;
  }

  /** Writes a query, and waits for its outcome. `takesMs`: the server may take so long to carry it out. */
  async query<T>(write: () => Promise<T>, takesMs = 0): Promise<T> {
    const query = new Query(this.#clock.now(), takesMs);
    this.#queries.push(query);
    this.#alarm.added(query.sentAt + takesMs + this.#limitMs);
    try {
      return await write();
    } finally {
      if (this.#queries.delete(query)) {
        this.#heard();
      }
    }
  }

  /** The connection has ended: takes out all calls, and returns those that are not abandoned. */
  clear(): PendingCall[] {
    this.#queries.clear();
    this.#inTurn = 0;
    const calls = this.#calls.clear();
    for (const call of calls) {
      call.isUnanswered = false;
      if (call.isAbandoned) {
        // The call that undoes it has to know; the others are counted where they are sent again.
        call.unackedCopies += 1;
      }
    }
    return calls.filter(({ isAbandoned }) => !isAbandoned);
  }

  /** For the alarm only. */
  get earliest(): number | undefined {
    const call = this.#calls.first?.lastSentAt ?? Infinity;
    const query = this.#queries.first?.sentAt ?? Infinity;
    const oldest = Math.min(call, query);
    return oldest === Infinity
      ? undefined
      : Math.max(oldest, this.#heardAt, this.#busyUntil) + this.#limitMs;
  }

  /** For the alarm only. */
  due(): void {
    this.#silent();
  }

  /** From now on the limit is not checked. */
  close(): void {
    this.#alarm.close();
  }

  /** Until when the server may be busy with what it was asked for here. */
  get #busyUntil(): number {
    let until = Number.NEGATIVE_INFINITY;
    for (const { sentAt, takesMs } of this.#queries) {
      until = takesMs > 0 ? Math.max(until, sentAt + takesMs) : until;
    }
    return until;
  }

  #heard(): void {
    if (this.#calls.first !== undefined || this.#queries.first !== undefined) {
      this.#heardAt = this.#clock.now();
    }
  }
}
