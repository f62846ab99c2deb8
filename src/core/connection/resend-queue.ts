import type { Clock, Timer } from '../base/clock.js';
import { LinkedList } from '../base/linked-list.js';
import type { PendingCall } from '../wire/call.js';
import { isAccessRefused, isNoWrite, isOfSlot } from './server-errors.js';
import { slotOf } from './slots.js';

/** After a refusal that may pass, calls are sent again after this time. */
const NOT_NOW_PAUSE_MS = 50;

/** Calls that insist are sent again this often to a server that takes no writes. */
const NO_WRITE_PAUSE_MS = 250;

/** The answer of a call was lost with its connection, and the call was not to be sent again. */
class ConnectionLostError extends Error {
  static override readonly name = 'ConnectionLostError';
  override readonly name = 'ConnectionLostError';
}

/** A release goes on while the server takes no writes. A right that is missing now was there before: it
 * is an outage for all calls that may be sent again, and nothing was run. */
export function isSentAgain(call: PendingCall, error: Error): boolean {
  return (call.insists && isNoWrite(error)) || (call.resend && isAccessRefused(error));
}

/**
 * The calls that wait to be written: until there is a connection, again after they lost one, or
 * again after a refusal that may pass. What waits for one slot of a cluster delays no other slot.
 */
export class ResendQueue {
  readonly #clock: Clock;
  readonly #flush: () => void;
  readonly #resend: (call: PendingCall) => void;
  /** Calls that wait for the connection or the server. */
  readonly #waiting = new LinkedList<PendingCall>();
  /** Calls that wait for their slot: a refused one, and those behind it. */
  readonly #slots = new Map<number, LinkedList<PendingCall>>();
  /** Calls that insist, while the server takes no writes. */
  readonly #insisting = new LinkedList<PendingCall>();
  #pause: Timer | undefined;
  #nextTry: Timer | undefined;

  /** `flush` is called when what waits may be written, `resend` with a call that insists. */
  constructor(clock: Clock, flush: () => void, resend: (call: PendingCall) => void) {
    this.#clock = clock;
    this.#flush = flush;
    this.#resend = resend;
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
    return [...this.#insisting.clear(), ...this.take()];
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
    this.#pause ??= this.#clock.after(NOT_NOW_PAUSE_MS, () => {
      this.#pause = undefined;
      this.#flush();
    });
  }

  /** The server takes no writes, and the call insists: it is sent again from time to time. */
  insist(call: PendingCall): void {
    this.#insisting.push(call);
    this.#nextTry ??= this.#clock.after(NO_WRITE_PAUSE_MS, () => {
      this.#nextTry = undefined;
      for (const again of this.#insisting.clear()) {
        this.#resend(again);
      }
    });
  }

  /** The calls that wait for the slot of this one, if any do. */
  #lineOf(call: PendingCall): LinkedList<PendingCall> | undefined {
    const line = this.#slots.size === 0 ? undefined : this.#slots.get(slotOf(call.routingKey));
    return line?.first === undefined ? undefined : line;
  }

  /** From now on nothing is sent again by time. */
  close(): void {
    this.#pause?.cancel();
    this.#nextTry?.cancel();
  }
}
