import type { Clock } from '../core/base/clock.js';
import type { Examined } from '../core/connection/server-check.js';

/** What is known of a server when a connection to it is made. */
export type Seen = Pick<Examined, 'runId' | 'standing'>;

/** INFO counts whole seconds of the wall clock, and may be ahead by almost one. */
const UPTIME_GRAIN_MS = 1_000;

/**
 * Whether a server may have forgotten locks. After a restart it may, so that its vote could give a lock to a second
 * owner: it votes again when it has been up for the longest lease, as all that it may have forgotten has ended then.
 */
export class ServerMemory {
  readonly #clock: Pick<Clock, 'now' | 'steppedSince'>;
  readonly #maxLeaseMs: number;
  #runId: string | undefined;
  #isKnown = false;
  #seenAt = 0;
  /** From when on it votes: ms after `#seenAt`. */
  #votesAfterMs = Number.POSITIVE_INFINITY;
  #isReplica = false;
  #hidesUptime = false;
  /** Changes when it may have forgotten what it was sent before. */
  epoch = 0;

  constructor(clock: Pick<Clock, 'now' | 'steppedSince'>, maxLeaseMs: number) {
    this.#clock = clock;
    this.#maxLeaseMs = maxLeaseMs;
  }

  /** It was examined; `downSince`: when the connection before this one was found to have ended. Returns whether it may
   * have forgotten what it had then. */
  learned({ runId, standing }: Seen, downSince: number): boolean {
    const now = this.#clock.now();
    const wasKnown = this.#isKnown;
    const isSame = wasKnown && runId !== undefined && runId === this.#runId;
    const wasReplica = this.#isReplica;
    this.#isReplica = standing.role === 'slave';
    if (isSame && !wasReplica) {
      return false;
    }
    const upMs =
      standing.uptimeS === null ? 0 : Math.max(0, standing.uptimeS * 1_000 - UPTIME_GRAIN_MS);
    // One that was up before that end is no restart: another server has taken the place. Neither its uptime nor that
    // of a replica that became a master says what it remembers.
    const isOther = wasKnown && upMs > now - downSince;
    const isTrusted = !isSame && !isOther && !standing.wasReplica;
    this.#isKnown = true;
    this.#runId = runId;
    this.#seenAt = now;
    this.#hidesUptime = standing.uptimeS === null;
    this.#votesAfterMs = Math.max(0, this.#maxLeaseMs - (isTrusted ? upMs : 0));
    this.epoch += 1;
    return wasKnown;
  }

  /** A replica has what its master had a moment ago. */
  get isReplica(): boolean {
    return this.#isReplica;
  }

  /** It does not report when it was started. */
  get hidesUptime(): boolean {
    return this.#hidesUptime;
  }

  /** It votes. */
  get votes(): boolean {
    return this.silentMs === 0;
  }

  /** Milliseconds until it votes; 0 when it does; Infinity when that is not known. Steps of the wall clock do not
   * count: it would vote too soon. */
  get silentMs(): number {
    const passedMs = this.#clock.now() - this.#clock.steppedSince(this.#seenAt) - this.#seenAt;
    return this.#isReplica
      ? Number.POSITIVE_INFINITY
      : Math.max(0, Math.ceil(this.#votesAfterMs - passedMs));
  }

  /** Milliseconds since its start, as far as they count. */
  get upMs(): number {
    return Math.max(0, this.#maxLeaseMs - this.silentMs);
  }
}
