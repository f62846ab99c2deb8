import { LinkedList } from '../base/linked-list.js';
import type { Clock } from '../base/clock.js';
import type { PendingCall } from '../wire/call.js';
import type { Unanswered } from './half-open.js';
import type { ResendQueue } from './resend-queue.js';

/** So many calls may be unanswered, however long the answers take. */
const FEWEST = 32;

/** A window begins with a thirtieth of the lease, in calls for milliseconds: a server that sends 200 replies a second
 * answers these in a sixth of the lease. With a thousand calls and a lease of 3 s, a server of 725 replies a second lost
 * holds: their renewals stood behind these calls. */
const PER_CALL_MS = 30;
const CALLS_AT_FIRST_MAX = 1_000;

/** How much time other calls may add to a round trip, and how long it may take, however far the server is: such parts
 * of the lease, and no more than this. Both are shorter than the time after which a connection that brings no answer is
 * ended: a client with a single call waits behind the queues of all others. */
const LIMIT_PART = 12;
const LIMIT_MAX_MS = 500;
const LONGEST_PART = 8;
const LONGEST_MAX_MS = 1_000;

/** How long a window keeps what it has learnt of a server, and a measurement of the bare way. */
const KEPT_MS = 60_000;

/** The parts of a connection that its window works on. */
export interface WindowParts {
  readonly unanswered: Unanswered;
  readonly waiting: ResendQueue;
  readonly write: (call: PendingCall) => void;
}

/**
 * The calls that are not written yet, since the server has many to answer before them. A lease counts from the
 * writing of its call: a call that is written at once to a busy server is answered when its lease is over, or
 * nearly so.
 *
 * The bare way is the way of a command to the server and back without the time that the server spends on other
 * commands: the shortest that was measured, until that is a minute old. The filter is the one that BBR has for the
 * round trip of a path (Cardwell et al., "BBR: Congestion-Based Congestion Control", 2016). A server is behind by what
 * an answer takes beyond the bare way: a server far away is not busy. While calls wait, each answer that is behind by
 * less than half of the limit makes the window larger by one. One that is behind by more than the limit, or that took
 * longer than any may, halves it, once a round trip. For a client that connects behind the queues of others, these are
 * part of the bare way.
 *
 * Rounds carry many calls each, and a confirmation keeps what was granted already: they do not wait here, and do not
 * count. Calls about holds, and those that give back, go before the others. Each sort keeps its order.
 */
export class Window {
  readonly #clock: Clock;
  /** How much time other calls may add to a round trip. */
  readonly #limitMs: number;
  /** How long a round trip may take, however far the server is. */
  readonly #longestMs: number;
  readonly #parts: WindowParts;
  readonly #aboutHolds = new LinkedList<PendingCall>();
  readonly #others = new LinkedList<PendingCall>();
  readonly #sizeAtFirst: number;
  #bareWayMs = Number.POSITIVE_INFINITY;
  #measuredAt = Number.NEGATIVE_INFINITY;
  #size: number;
  #learntAt = 0;
  #halvedAt = Number.NEGATIVE_INFINITY;
  /** The last call that was written while no other was unanswered: it measures the bare way. */
  #alone: PendingCall | undefined;

  /** @param leaseMs of the client: its holds are renewed three times in it */
  constructor(clock: Clock, leaseMs: number, parts: WindowParts) {
    this.#clock = clock;
    this.#limitMs = Math.min(LIMIT_MAX_MS, leaseMs / LIMIT_PART);
    this.#longestMs = Math.min(LONGEST_MAX_MS, leaseMs / LONGEST_PART);
    this.#parts = parts;
    const callsAtFirst = Math.floor(leaseMs / PER_CALL_MS);
    this.#sizeAtFirst = Math.min(CALLS_AT_FIRST_MAX, Math.max(FEWEST, callsAtFirst));
    this.#size = this.#sizeAtFirst;
  }

  /** There is a new connection. `bareMs`: the time that its first commands took. */
  connected(bareMs: number): void {
    this.#alone = undefined;
    // The time of several commands: an upper bound.
    this.#bareWayMs = bareMs;
    this.#measuredAt = this.#clock.now();
    // It may be another server, which is not as fast.
    this.#size = Math.min(this.#size, this.#sizeAtFirst);
  }

  /** Writes the call now, or when it is its turn. */
  add(call: PendingCall): void {
    if (!call.resend) {
      this.#parts.write(call);
      return;
    }
    const { inTurn } = this.#parts.unanswered;
    const isTurn = this.#first === undefined;
    if (isTurn && this.#size !== this.#sizeAtFirst && inTurn < this.#sizeAtFirst) {
      this.#forget(this.#clock.now());
    }
    if (isTurn && inTurn < this.#size) {
      this.#alone = inTurn === 0 ? call : this.#alone;
      this.#parts.write(call);
    } else {
      (call.goesFirst ? this.#aboutHolds : this.#others).push(call);
    }
  }

  /** A copy that was written at this instant was carried out. */
  answered(call: PendingCall, sentAt: number): void {
    const { inTurn } = this.#parts.unanswered;
    const wait = this.#first !== undefined;
    const isAlone = call === this.#alone;
    // It would keep its caller from being collected.
    this.#alone = isAlone ? undefined : this.#alone;
    // Only an answer that has waited for no others replaces a shorter way.
    const measures = isAlone && sentAt - this.#measuredAt > KEPT_MS;
    // With few under way, an answer is late for another reason.
    const isCrowded = call.resend && (inTurn >= FEWEST || (wait && inTurn > 0));
    if (measures || isCrowded) {
      const now = this.#clock.now();
      // The time of a suspension is not the server's.
      const tookMs = now - sentAt - this.#clock.steppedSince(sentAt);
      if (measures || tookMs <= this.#bareWayMs) {
        this.#bareWayMs = tookMs;
        this.#measuredAt = now;
      }
      if (isCrowded) {
        this.#learn(now, sentAt, tookMs, wait);
      }
    }
    if (wait) {
      this.#drain();
    }
  }

  /** A copy was refused, or its call goes on elsewhere: how fast a server refuses says nothing of what it carries out.
   * Another call may be written: the call may be under way on another connection, and where the last one here has
   * gone, no other answer would come to let the next ones in. */
  refused(call: PendingCall): void {
    const isAlone = call === this.#alone;
    this.#alone = isAlone ? undefined : this.#alone;
    if (isAlone && this.#isWayOld) {
      // The call that was to measure it has no answer: it counts for another minute.
      this.#measuredAt = this.#clock.now();
    }
    this.#drain();
  }

  /** Writes the calls whose turn it is. */
  #drain(): void {
    let call = this.#first;
    if (call === undefined) {
      return;
    }
    const { unanswered, waiting } = this.#parts;
    // An old bare way is measured anew: once all calls are answered, by one that is alone.
    const most = this.#isWayOld ? 1 : this.#size;
    for (; call !== undefined && unanswered.inTurn < most; call = this.#first) {
      call.unlink();
      if (waiting.holdsUp(call)) {
        waiting.add(call);
      } else {
        this.#alone = unanswered.inTurn === 0 ? call : this.#alone;
        this.#parts.write(call);
      }
    }
  }

  /** The calls that wait for their turn join those that wait for a connection: these may be older. */
  leave(): void {
    for (const call of [...this.#aboutHolds.clear(), ...this.#others.clear()]) {
      this.#parts.waiting.add(call);
    }
  }

  get #first(): PendingCall | undefined {
    return this.#aboutHolds.first ?? this.#others.first;
  }

  get #isWayOld(): boolean {
    return this.#clock.now() - this.#measuredAt > KEPT_MS;
  }

  #learn(now: number, sentAt: number, tookMs: number, wait: boolean): void {
    const behindMs = tookMs - this.#bareWayMs;
    this.#learntAt = wait ? now : this.#learntAt;
    if (behindMs > this.#limitMs || tookMs > this.#longestMs) {
      // Calls written before the last halving were late for the same reason.
      if (sentAt >= this.#halvedAt) {
        this.#size = Math.max(FEWEST, Math.floor(this.#size / 2));
        [this.#halvedAt, this.#learntAt] = [now, now];
      }
    } else if (wait && behindMs < this.#limitMs / 2) {
      this.#size += 1;
    }
  }

  /** Few calls are under way: what was learnt long ago may be true no more. */
  #forget(now: number): void {
    if (now - this.#learntAt > KEPT_MS) {
      this.#size = this.#sizeAtFirst;
    }
  }
}
