// What a connection knows of the clock of its server.

/** The answer of a script that was run too late; and the time of the server, where it was this copy that was late. */
export const LATE: RegExp = /^(past)(?: (\d+))?$/u;

/** The time of the server in an answer to TIME, in whole milliseconds; NaN: it is none. */
export function timeIn(answer: unknown): number {
  const [seconds = Number.NaN, micros = 0] = Array.isArray(answer) ? answer.map(Number) : [];
  return seconds * 1_000 + Math.floor(micros / 1_000);
}

/** How much faster or slower that may run. */
const DRIFT = 0.01;

/** It is requested anew when it is so old, or as old as ten times the time that a caller waits: by then a hundredth of it
 * is a tenth of that. */
const OLD_MS = 30_000;
const OLD_TIMEOUTS = 10;

/** An instant by the clock of the server, which had come when it was read here. */
interface Known {
  readonly serverMs: number;
  readonly readAt: number;
}

/** The server's clock, as far as answers have shown it: never later than it is. A clock that is set back is noticed with
 * the next answer. */
export class ServerTime {
  readonly #oldMs: number;
  #known: Known | undefined;
  #isRequested = false;

  constructor(timeoutMs: number) {
    this.#oldMs = Math.min(OLD_MS, OLD_TIMEOUTS * timeoutMs);
  }

  /** Another connection: it may be of another server. */
  forget(): void {
    this.#known = undefined;
    this.#isRequested = false;
  }

  /** An answer to what was sent at `sentAt` shows the time of the server; NaN: it does not. */
  learn(serverMs: number, sentAt: number, readAt: number): void {
    if (Number.isNaN(serverMs)) {
      return;
    }
    const expectedMs = this.at(readAt);
    // An answer that was long on its way shows less than an earlier one, unless the clock was set back since.
    const isLess = expectedMs !== undefined && expectedMs > serverMs;
    const isPossible = isLess && expectedMs <= serverMs + (readAt - sentAt) * (1 + DRIFT);
    this.#known = { serverMs: isPossible ? expectedMs : serverMs, readAt };
    this.#isRequested = false;
  }

  /** The time that the server has for sure at a later instant of the clock of this client. */
  at(instant: number): number | undefined {
    return this.#known && this.#known.serverMs + (instant - this.#known.readAt) * (1 - DRIFT);
  }

  /** Whether it is to be requested now: true once, until it is learnt. */
  isDue(now: number): boolean {
    const isOld = this.#known === undefined || now - this.#known.readAt >= this.#oldMs;
    const isDue = isOld && !this.#isRequested;
    this.#isRequested ||= isDue;
    return isDue;
  }
}
