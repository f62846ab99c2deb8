import { LinkedList } from '../base/linked-list.js';
import type { PendingCall } from '../wire/call.js';
import { isOfSlot, type ErrorAnswer } from './error-answers.js';
import { RepeatPause, type PauseParts } from './repeat-pause.js';
import { slotOf } from './slots.js';

/** The answer of a call was lost with its connection, and the call was not to be sent again. */
class ConnectionLostError extends Error {
  static override readonly name = 'ConnectionLostError';
  override readonly name = 'ConnectionLostError';
}

/**
 * Whether a call is sent again behind this answer. A right that is missing now was there before, as a rule: that is an
 * outage for every call that may be sent again. Behind an answer that shows nothing, and while the server takes no
 * writes, go on the calls that give back, and those that are carried out once however often they are sent. Nothing is
 * left to be given back behind any other answer.
 */
export function isSentAgain(call: PendingCall, answer: ErrorAnswer): boolean {
  switch (answer) {
    case 'no script':
    case 'no right':
    case 'no right inside':
      return call.resend;
    case 'elsewhere':
      return call.insists;
    case 'no writes':
    case 'unknown':
      return call.insists || call.isNumbered;
    default:
      return false;
  }
}

/**
 * The calls that wait to be written: until there is a connection, again after they lost one, or
 * again after a refusal that may pass. What waits for one slot of a cluster delays no other slot.
 */
export class ResendQueue {
  /** Calls that wait for the connection or the server. */
  readonly #waiting = new LinkedList<PendingCall>();
  /** Calls that wait for their slot: a refused one, and those behind it. */
  readonly #slots = new Map<number, LinkedList<PendingCall>>();
  /** Calls that go on behind a refusal of their own. */
  readonly #refused = new LinkedList<PendingCall>();
  readonly #pause: RepeatPause;
  readonly #nextTry: RepeatPause;

  /** `flush` is called when what waits may be written, `resend` with a call that insists. */
  constructor(
    environment: PauseParts,
    maxPauseMs: number,
    flush: () => void,
    resend: (call: PendingCall) => void,
  ) {
    this.#pause = new RepeatPause(environment, maxPauseMs, flush);
    this.#nextTry = new RepeatPause(environment, maxPauseMs, () => {
      for (const again of this.#refused.clear()) {
        resend(again);
      }
    });
  }

  /** There is another connection. A call that goes on behind a refusal of its own does not hurry: where the refusal
   * ends the connection (a long call without a password does), calls behind it would never be answered. */
  connected(): void {
    this.#pause.reset();
  }

  /** Whether a new call has to wait behind others. */
  holdsUp(call: PendingCall): boolean {
    return this.#waiting.first !== undefined || this.#lineOf(call) !== undefined;
  }

  /** The call is written with the next flush. */
  add(call: PendingCall): void {
    (this.#lineOf(call) ?? this.#waiting).push(call);
  }

  /** Takes out the calls that wait, in the order in which they were made: so a later call never
   * overtakes one that was refused or lost its connection. */
  take(): PendingCall[] {
    const calls = [...this.#slots.values(), this.#waiting].flatMap((line) => line.clear());
    this.#slots.clear();
    return calls.toSorted((one, other) => one.order - other.order);
  }

  /** Takes out every call. */
  takeAll(): PendingCall[] {
    return [...this.#refused.clear(), ...this.take()];
  }

  /** The connection has ended before these calls were answered: those that may be are sent again. */
  putBack(calls: readonly PendingCall[], cause: Error): void {
    for (const call of calls) {
      call.unackedCopies += 1;
      if (call.resend) {
        this.#waiting.push(call);
      }
    }
    // Only now, since the receiver of a failed call may abandon other calls.
    for (const call of calls) {
      if (!call.resend) {
        call.fail(new ConnectionLostError(cause.message, { cause }));
      }
    }
  }

  /** The server has refused a call for the moment. It is written after a pause, and so is what comes
   * behind it: other calls of the slot of which the refusal speaks, or all calls. */
  refused(call: PendingCall, error: Error): void {
    if (isOfSlot(error)) {
      const slot = slotOf(call.routingKey);
      const line = this.#slots.get(slot) ?? new LinkedList();
      this.#slots.set(slot, line);
      line.push(call);
    } else {
      this.#waiting.push(call);
    }
    // One pause for all: a slot that is refused late in it is tried again the sooner.
    this.#pause.begin();
  }

  /** The call goes on behind a refusal of its own: it is sent again after a pause. */
  insist(call: PendingCall): void {
    this.#refused.push(call);
    this.#nextTry.begin();
  }

  /** The calls that wait for the slot of this one, if any do. */
  #lineOf(call: PendingCall): LinkedList<PendingCall> | undefined {
    const line = this.#slots.size === 0 ? undefined : this.#slots.get(slotOf(call.routingKey));
    return line?.first === undefined ? undefined : line;
  }

  /** From now on nothing is sent again by time. */
  close(): void {
    this.#pause.cancel();
    this.#nextTry.cancel();
  }
}
