import type { Timer } from '../base/clock.js';
import type { PendingCall } from '../wire/call.js';
import type { PauseParts } from './repeat-pause.js';
import { pauseBefore } from './retry-pause.js';

/** A call follows so many redirections at once: its slot has moved, and moves again meanwhile. */
const AT_ONCE = 2;

/** Calls that nodes of a cluster redirect to one another, as they do for as long as a right is missing or a map is
 * wrong. Each follows after a pause of its own, which grows. */
export class RedirectedCalls {
  readonly #environment: PauseParts;
  readonly #maxMs: number;
  readonly #waiting = new Map<PendingCall, Timer>();

  constructor(environment: PauseParts, maxMs: number) {
    this.#environment = environment;
    this.#maxMs = maxMs;
  }

  /** Calls `follow` at once, or after a pause. */
  add(call: PendingCall, follow: () => void): void {
    call.redirections += 1;
    const pauses = call.redirections - AT_ONCE;
    if (pauses <= 0) {
      follow();
      return;
    }
    const { clock, random } = this.#environment;
    const timer = clock.after(pauseBefore(pauses - 1, this.#maxMs, random), () => {
      this.#waiting.delete(call);
      if (!call.isAbandoned) {
        follow();
      }
    });
    this.#waiting.set(call, timer);
  }

  /** No call is followed any more. Returns those that wait. */
  close(): PendingCall[] {
    const calls = [...this.#waiting.keys()].filter((call) => !call.isAbandoned);
    for (const timer of this.#waiting.values()) {
      timer.cancel();
    }
    this.#waiting.clear();
    return calls;
  }
}
