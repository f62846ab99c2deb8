import type { PendingCall } from '../wire/call.js';
import { RECHECK_MAX_MS } from './timing.js';

/** The ask under way, and what the answers before it prove. */
export interface AskState {
  /** A copy of it was sent; undefined: there is none, so a connection has to be proof of it. */
  readonly sent: boolean | undefined;
  /** Why the server has refused to run it, or the one before it. */
  readonly refusal: Error | undefined;
  /** Returns whether others certainly have what is asked for. */
  proves(now: number, downSince: number | undefined): boolean;
}

type Ask = Pick<PendingCall, 'sent' | 'refusal' | 'isAbandoned'>;

/** An ask that takes no longer than this has not taken too long, whatever the last one took. */
const SILENCE_MIN_MS = 100;

/** An answer that was read late, by a program that was busy, shows no slow server. */
const SILENCE_MAX_MS = 2_000;

/**
 * Keeps what the server has answered about the object that a queue waits for. All waiters of the queue rely on
 * it when their time is up.
 *
 * Silence proves nothing: an old "busy" is not repeated by a server that is gone, or that refuses.
 */
export class Contention implements AskState {
  /** When the server has last answered that others have it, if nothing has failed since. */
  #busyAt: number | undefined;
  /** How long the last answer has taken. */
  #roundTripMs = 0;
  /** The oldest ask that has no answer. A re-check that is not due yet is none. */
  #ask: Ask | undefined;
  /** When it was made. */
  #askedAt = 0;
  /** Why an ask before it was not carried out, where none was answered since. */
  #failure: Error | undefined;

  /** The server is asked about the object now. */
  asked(now: number, ask: Ask): void {
    // One that was given up gets no answer: whether the server is silent shows with the next one.
    if (this.#ask?.isAbandoned !== false) {
      this.#failure = this.refusal;
      this.#ask = ask;
      this.#askedAt = now;
    }
  }

  get sent(): boolean | undefined {
    return this.#ask?.sent;
  }

  /** Why the server carries out no ask. */
  get refusal(): Error | undefined {
    return this.#ask?.refusal ?? this.#failure;
  }

  /** It has answered that others have it. */
  busy({ lastSentAt }: Pick<PendingCall, 'lastSentAt'>, now: number): void {
    this.#busyAt = now;
    this.#roundTripMs = now - lastSentAt;
    this.answered();
  }

  /** It has answered something else. */
  answered(): void {
    this.#ask = this.#failure = undefined;
  }

  /** Nobody waits any more. */
  forget(): void {
    this.answered();
    this.#busyAt = undefined;
  }

  /** The ask has failed. */
  failed(error: Error): void {
    this.forget();
    this.#failure = error;
  }

  /** Returns whether others certainly have it: the last answer says so, and what was asked since is not overdue.
   * `downSince`: since when there is no connection; undefined when there is one. */
  proves(now: number, downSince: number | undefined): boolean {
    const limitMs = Math.min(Math.max(SILENCE_MIN_MS, 2 * this.#roundTripMs), SILENCE_MAX_MS);
    const askedAt = this.#ask?.isAbandoned === false ? this.#askedAt : now;
    const silentSince = Math.min(askedAt, downSince ?? now);
    // An answer proves nothing for longer than until its re-check, however late that is sent.
    const isKnown = this.#busyAt !== undefined && now - this.#busyAt <= RECHECK_MAX_MS + limitMs;
    return isKnown && now - silentSince <= limitMs;
  }
}
