import type { Clock } from '../base/clock.js';
import { privateKey } from '../base/key-names.js';
import type { Health } from '../observe/troubles.js';
import type { PendingCall } from '../wire/call.js';
import { asError } from '../wire/replies.js';
import { isNotNow, isNoWrites, isOfSlotAlone, refusesScripts } from './error-answers.js';
import { RepeatPause, type PauseParts } from './repeat-pause.js';

/** The server refuses every write. No key has this name. */
const WRITES = '';
/** The server refuses every script. */
const SCRIPTS = 'EVALSHA';

/** So long after the last refused call a server is no longer requested to. */
const PROBED_FOR_MS = 60_000;
/** So many scripts and keys that are refused are kept apart. */
const SOURCES_MAX = 1_000;

/** The server refuses other calls, too. Where the right of one user is missing, one slot is not served, or a proxy has
 * given the answer, it may carry out others. */
function isOfServer(error: Error): boolean {
  return (isNotNow(error) && !isOfSlotAlone(error)) || isNoWrites(error);
}

const sourceOf = (call: PendingCall): string => `${call.script.sha1} ${call.routingKey}`;

/**
 * The report that one server refuses calls for now. A server that refuses writes carries out reads, and
 * scripts that would write in another state of their keys: so a success of these proves nothing. A write that
 * changes nothing is requested after pauses that grow, until the server carries it out.
 */
export class Refusals {
  readonly #clock: Clock;
  readonly #health: Health;
  readonly #query: (command: string, ...args: string[]) => Promise<unknown>;
  readonly #trouble: string;
  readonly #sources = new Set<string>();
  readonly #probe: RepeatPause;
  #isProbing = false;
  #probeKey = '';
  #refusedAt = 0;
  #isClosed = false;
  /** A call that it had refused was carried out since the server last refused a write. That is the proof where
   * the user may not do the write that is requested. */
  #isProven = false;

  /** `query` sends one command; it rejects when the server refuses it, or is not connected. */
  constructor(
    environment: PauseParts,
    { health, maxPauseMs }: { readonly health: Health; readonly maxPauseMs: number },
    address: string,
    query: (command: string, ...args: string[]) => Promise<unknown>,
  ) {
    this.#clock = environment.clock;
    this.#health = health;
    // The answer is handled in it: it does not reject.
    this.#probe = new RepeatPause(environment, maxPauseMs, () => void this.#requestWrite());
    this.#query = query;
    this.#trouble = `Redis at ${address} refuses calls`;
  }

  /** A call was refused, and is sent again. */
  add(call: PendingCall, error: Error): void {
    call.refusal = error;
    if (refusesScripts(error)) {
      this.#add(SCRIPTS, error);
    } else if (!isOfServer(error)) {
      this.#add(sourceOf(call), error);
    } else {
      this.#add(WRITES, error);
      this.#isProven = false;
      this.#refusedAt = this.#clock.now();
      this.#probeKey = privateKey('probe', call.routingKey);
      this.#probeLater();
    }
  }

  /** A call was carried out. */
  carriedOut(call: PendingCall): void {
    if (this.#sources.size === 0) {
      return;
    }
    this.#delete(SCRIPTS);
    this.#delete(sourceOf(call));
    if (call.refusal !== undefined) {
      this.#isProven = true;
    }
  }

  close(): void {
    this.#isClosed = true;
    this.#probe.cancel();
    for (const source of this.#sources) {
      this.#delete(source);
    }
  }

  #add(source: string, error: Error): void {
    if (this.#sources.size < SOURCES_MAX || source === WRITES) {
      this.#sources.add(source);
      this.#health.shown(this.#trouble, source, error);
    }
  }

  #delete(source: string): void {
    if (this.#sources.delete(source)) {
      this.#health.up(this.#trouble, source);
    }
  }

  #probeLater(): void {
    if (!this.#isProbing) {
      this.#probe.begin();
    }
  }

  async #requestWrite(): Promise<void> {
    this.#isProbing = true;
    let refusal: Error | undefined;
    try {
      // Every server checks before the command whether it takes writes and has memory for them.
      await this.#query('SET', this.#probeKey, '', 'XX');
    } catch (error) {
      refusal = asError(error);
    }
    this.#isProbing = false;
    if (this.#isClosed || !this.#sources.has(WRITES)) {
      return;
    }
    const isRefused = refusal !== undefined && (isNotNow(refusal) || isNoWrites(refusal));
    // Another error: the write is not allowed, not in this node, or there is no connection.
    if (refusal === undefined || (!isRefused && this.#isProven)) {
      this.#delete(WRITES);
      return;
    }
    if (isRefused) {
      this.#health.shown(this.#trouble, WRITES, refusal);
    }
    if (this.#clock.now() - this.#refusedAt < PROBED_FOR_MS) {
      this.#probeLater();
    }
  }
}
