// The clock of a server, as far as its connection knows it.

import type { Clock } from '../base/clock.js';

/** The answer of a script that was run too late; and the time of the server, where it was this copy that was late. */
export const LATE: RegExp = /^(past)(?: (\d+))?$/u;

/** The time of the server in an answer to TIME, in whole milliseconds; NaN: it is none. */
export function timeIn(answer: unknown): number {
  const [seconds = Number.NaN, micros = 0] = Array.isArray(answer) ? answer.map(Number) : [];
  return seconds * 1_000 + Math.floor(micros / 1_000);
}

/** How much faster or slower that clock may run. */
const DRIFT = 0.01;

/** The time is requested again when it is so old, or ten times as old as the server may be silent if that is less: a
 * hundredth of that is a tenth of the time of a call. */
const OLD_MS = 30_000;
const OLD_LIMITS = 10;

/** By then a hundredth of its age is half of that time. A call waits until the time is known anew. */
const USELESS_LIMITS = 50;
/** So is a step of the clock of this client: that was set forward, or the machine was suspended, and nothing tells the
 * two apart. */
const STEP_LIMITS = 0.5;

/** An instant by the clock of the server, which had come when it was read here. */
interface Known {
  readonly serverMs: number;
  readonly readAt: number;
}

/** The server's clock, as far as answers have shown it: never later than it is. */
export class ServerTime {
  readonly #clock: Pick<Clock, 'now' | 'steppedSince'>;
  readonly #limitMs: number;
  #known: Known | undefined;
  #requestedAt = Number.NEGATIVE_INFINITY;
  /** It was requested last in vain. */
  #isHidden = false;

  /** @param limitMs for which the server may be silent while an answer is awaited */
  constructor(clock: Pick<Clock, 'now' | 'steppedSince'>, limitMs: number) {
    this.#clock = clock;
    this.#limitMs = limitMs;
  }

  /** Another connection: it may be of another server. */
  forget(): void {
    this.#known = undefined;
    this.#requestedAt = Number.NEGATIVE_INFINITY;
    this.#isHidden = false;
  }

  /** An answer that is read now, to what was sent at `sentAt`, shows the time of the server; NaN: it does not. */
  learn(serverMs: number, sentAt: number): void {
    if (Number.isNaN(serverMs)) {
      this.hidden();
      return;
    }
    this.#isHidden = false;
    const readAt = this.#clock.now();
    const expectedMs = this.at(readAt);
    // An answer that was long on its way shows less than an earlier one. Where that does not explain it, the clock was
    // set back.
    const isLess = expectedMs !== undefined && expectedMs > serverMs;
    const isPossible = isLess && expectedMs <= serverMs + (readAt - sentAt) * (1 + DRIFT);
    this.#known = { serverMs: isPossible ? expectedMs : serverMs, readAt };
  }

  /** The server does not report it: users have no right to that, or it does not know the command. Scripts, which
   * cannot ask for it either, refuse nothing: no call waits for it, and none has an end. */
  hidden(): void {
    this.#known = undefined;
    this.#isHidden = true;
  }

  /** The time that the server has for sure at a later instant of the clock of this client. A step of that clock is no
   * time that has passed. */
  at(instant: number): number | undefined {
    if (this.#known === undefined) {
      return undefined;
    }
    const { serverMs, readAt } = this.#known;
    return serverMs + (instant - readAt - this.#clock.steppedSince(readAt)) * (1 - DRIFT);
  }

  /** It has to be known before a call that has an end is written. */
  get isUseless(): boolean {
    const { readAt } = this.#known ?? {};
    const hasStepped =
      readAt !== undefined && this.#clock.steppedSince(readAt) >= STEP_LIMITS * this.#limitMs;
    return !this.#isHidden && (hasStepped || this.#ageMs >= USELESS_LIMITS * this.#limitMs);
  }

  /** Whether it is to be requested now: true once in a while, until it is learnt. */
  isDue(): boolean {
    const isOld = this.#ageMs >= Math.min(OLD_MS, OLD_LIMITS * this.#limitMs);
    const pauseMs = this.#isHidden ? OLD_MS : this.#limitMs;
    const isDue = isOld && this.#clock.now() - this.#requestedAt >= pauseMs;
    if (isDue) {
      this.requested();
    }
    return isDue;
  }

  /** It is requested now. */
  requested(): void {
    this.#requestedAt = this.#clock.now();
  }

  get #ageMs(): number {
    return this.#clock.now() - (this.#known?.readAt ?? Number.NEGATIVE_INFINITY);
  }
}
