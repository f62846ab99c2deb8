import { ClosedError } from '../errors.js';
import type { Anchor, Clock, Timer } from './base/clock.js';
import { Delivery } from './delivery/delivery.js';
import { Events } from './observe/events.js';
import { NameRegistry } from './name-registry.js';
import { Lease } from './lease/lease.js';
import type { LeaseIdentity, LostHook } from './lease/lease.js';
import { WaitLimit, Waits } from './waiting/wait-limit.js';
import type { Ending, WaitLimits } from './waiting/wait-limit.js';
import { Rechecks } from './waiting/rechecks.js';
import { Requests } from './delivery/requests.js';
import type { Router, RouterOwner } from './connection/router.js';
import { SlowWaits } from './observe/slow-wait.js';
import { RefusedMessages } from './delivery/refused-messages.js';
import { ChannelHub } from './waiting/channel-hub.js';
import { Watchdog } from './lease/watchdog.js';
import type { Renewal } from './lease/renewal.js';

/** Settings of a client, checked. */
export interface Settings {
  readonly leaseMs: number;
  readonly commandTimeoutMs: number;
}

/** A half-open connection is given up after this long, if the leases can wait that long. */
const ANSWER_LIMIT_MIN_MS = 500;

/** The same trouble with connections is told at most this often. */
const TROUBLE_PERIOD_MS = 5_000;

/** The services that all objects of one client share. */
export class Runtime {
  readonly id: string;
  readonly settings: Settings;
  readonly clock: Clock;
  readonly events: Events = new Events();
  readonly names: NameRegistry = new NameRegistry();
  readonly router: Router;
  readonly hub: ChannelHub;
  readonly watchdog: Watchdog;
  readonly rechecks: Rechecks;
  readonly delivery: Delivery;
  readonly slowWaits: SlowWaits;
  readonly waits: Waits;
  readonly #anchor: Anchor;
  #anchored = 0;
  #asyncIds = 0;
  #closed = false;
  #lastTrouble = '';
  #lastTroubleAt = 0;

  constructor(
    id: string,
    settings: Settings,
    clock: Clock,
    createRouter: (owner: RouterOwner) => Router,
  ) {
    this.id = id;
    this.settings = settings;
    this.clock = clock;
    this.#anchor = clock.anchor();
    const anchor = { hold: () => this.#hold(), drop: () => this.#drop() };
    this.waits = new Waits(anchor);
    const { leaseMs, commandTimeoutMs } = settings;
    const failed = (error: Error): void => this.failed(error);
    const unheard = new RefusedMessages(failed);
    const answerLimitMs = Math.min(commandTimeoutMs, Math.max(ANSWER_LIMIT_MIN_MS, leaseMs / 6));
    this.router = createRouter({
      answerLimitMs,
      up: () => this.watchdog.connectionUp(),
      down: (cause) => this.#down(cause),
      message: (channel, payload) => this.hub.deliver(channel, payload),
      confirmed: (channel) => this.hub.deliver(channel, undefined),
      trouble: (error) => this.#trouble(error),
      refused: failed,
      fault: failed,
    });
    this.hub = new ChannelHub(this.router.channels, clock, failed);
    this.delivery = new Delivery({
      clock,
      anchor,
      router: this.router,
      requests: new Requests(),
      timeoutMs: commandTimeoutMs,
      failed,
      unheard: (call) => unheard.tell(call.operands),
    });
    this.watchdog = new Watchdog(clock, this.router, this.delivery, leaseMs);
    this.rechecks = new Rechecks(clock, this.router, this.delivery, failed);
    this.slowWaits = new SlowWaits(clock, this.events, leaseMs, failed);
    this.router.open();
  }

  /** A holder id that was never used before. */
  newHolderId(): string {
    this.#asyncIds += 1;
    return `${this.id}:${this.#asyncIds}`;
  }

  waitLimit(limits: WaitLimits): WaitLimit {
    return new WaitLimit(this.clock, this.waits, limits);
  }

  /** Throws when the client was closed. */
  assertOpen(resource: string): void {
    if (this.#closed) {
      throw this.closedError(resource);
    }
  }

  closedError(resource: string): ClosedError {
    return new ClosedError('the client was closed', { resource });
  }

  /** What a caller is told whose wait has ended; running out of time means different things. */
  errorOf(ending: Ending, resource: string, onTimeout: () => Error): unknown {
    switch (ending.why) {
      case 'aborted':
        return ending.reason;
      case 'lost':
        return ending.error;
      case 'closed':
        return this.closedError(resource);
      default:
        return onTimeout();
    }
  }

  createLease(identity: LeaseIdentity, lostHook: LostHook): Lease {
    return new Lease(identity, this.clock, this.events, lostHook);
  }

  /** A lease was granted: it is renewed, and keeps the process alive, until it ends. */
  keep(lease: Lease, renewal: Renewal): void {
    this.watchdog.add(lease, renewal);
    this.#hold();
  }

  /** The lease ends, released or lost. */
  letGo(lease: Lease): void {
    if (this.watchdog.delete(lease)) {
      this.#drop();
    }
  }

  /** Something failed behind everybody's back. */
  failed(error: Error): void {
    this.events.emit('error', { error });
  }

  /** From now on nothing is granted and nobody waits. */
  stopGranting(): void {
    this.#closed = true;
    this.waits.close();
  }

  /** Waits for `work`, which never rejects, but not longer than `limitMs`. */
  async inTime(work: Promise<unknown>, limitMs: number): Promise<void> {
    this.#hold();
    let timer: Timer | undefined;
    const limit = new Promise<void>((resolve) => {
      timer = this.clock.after(limitMs, resolve);
    });
    await Promise.race([work, limit]);
    timer?.cancel();
    this.#drop();
  }

  /** Ends everything that has an end: connections, timers, subscriptions. */
  shutDown(): void {
    this.hub.close();
    this.rechecks.close();
    this.watchdog.close();
    this.router.close(this.closedError(''));
    this.delivery.close();
    this.#anchor.cancel();
  }

  #hold(): void {
    this.#anchored += 1;
    if (this.#anchored === 1) {
      this.#anchor.hold();
    }
  }

  #drop(): void {
    this.#anchored -= 1;
    if (this.#anchored === 0) {
      this.#anchor.drop();
    }
  }

  #down(cause: Error): void {
    this.watchdog.connectionDown(cause);
    this.#trouble(cause);
  }

  /** Told once in a while, not once per attempt to reconnect. */
  #trouble(error: Error): void {
    const now = this.clock.now();
    if (error.message !== this.#lastTrouble || now - this.#lastTroubleAt > TROUBLE_PERIOD_MS) {
      this.#lastTrouble = error.message;
      this.#lastTroubleAt = now;
      this.failed(error);
    }
  }
}
