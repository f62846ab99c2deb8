import type { Clock } from './base/clock.js';
import { requestsKey } from './base/key-names.js';
import type { ClientServices } from './client-services.js';
import { longestPauseMs } from './connection/repeat-pause.js';
import type { Router, RouterOwner } from './connection/router.js';
import type { Examined } from './connection/server-check.js';
import { Delivery } from './delivery/delivery.js';
import { RefusedMessages } from './delivery/refused-messages.js';
import { Requests } from './delivery/requests.js';
import { Lease, type LeaseHooks } from './lease/lease.js';
import type { Granted, LeaseIdentity, Reports } from './lease/lease-parts.js';
import type { Renewal } from './lease/renewal.js';
import { Watchdog } from './lease/watchdog.js';
import { evictionWarning } from './eviction-warning.js';
import { Names } from './names.js';
import { Replicas } from './replicas/replicas.js';
import { ChannelHub } from './waiting/channel-hub.js';
import { OwnChannel, ownChannels } from './waiting/own-channel.js';
import type { AskState } from './waiting/contention.js';

/** A silent connection has at least this long to answer, unless `commandTimeoutMs` is shorter. */
const ANSWER_LIMIT_MIN_MS = 500;

/** The same trouble with connections is reported at most this often. */
const TROUBLE_PERIOD_MS = 5_000;

/** The parts that a client has for each server or cluster that it works on: connections, the calls
 * sent over them, channels, leases, and the names in use there. */
export class EndpointServices {
  readonly client: ClientServices;
  readonly clock: Clock;
  readonly names: Names = new Names();
  readonly router: Router;
  readonly hub: ChannelHub;
  readonly watchdog: Watchdog;
  readonly delivery: Delivery;
  readonly replicas: Replicas;
  readonly ownChannel: OwnChannel;
  /** Changes whenever a connection was made anew: what is known of both stays true within one. */
  epoch = 0;
  /** A connection is new: what the server knew may be lost, as after a failover. */
  onConnection: () => void = () => {};
  /** Messages to this client may have been lost before now. */
  onMessagesLost: () => void = () => {};
  #lastTrouble = '';
  #lastTroubleAt = 0;

  /** `examined` gets what is found of the server behind each new connection, before anything is sent on that. */
  constructor(
    client: ClientServices,
    createRouter: (owner: RouterOwner) => Router,
    examined: (examined: Examined, address: string) => void = () => {},
  ) {
    const { clock, random, keepAlive, settings } = client;
    const { leaseMs, commandTimeoutMs } = settings;
    const maxPauseMs = longestPauseMs(leaseMs, commandTimeoutMs);
    this.client = client;
    this.clock = clock;
    const failed = (error: Error): void => client.failed(error);
    const refusedMessages = new RefusedMessages(failed);
    const warnOfEviction = evictionWarning();
    this.router = createRouter({
      answerLimitMs: Math.min(commandTimeoutMs, Math.max(ANSWER_LIMIT_MIN_MS, leaseMs / 4)),
      leaseMs,
      maxPauseMs,
      access: { signedIn: false, served: false },
      health: client.troubles,
      up: () => this.#up(),
      down: (cause) => this.#down(cause),
      examined: (found, address) => {
        warnOfEviction(found, address);
        examined(found, address);
      },
      message: (channel, payload) => this.hub.deliver(channel, payload),
      confirmed: (channel) => this.hub.deliver(channel, undefined),
      trouble: (error) => this.#trouble(error),
      refused: failed,
      fault: failed,
    });
    this.hub = new ChannelHub(this.router.channels, clock, failed);
    this.delivery = new Delivery({
      clock,
      keepAlive,
      router: this.router,
      requests: new Requests(),
      requestsKey: (key) => requestsKey(key, client.id),
      timeoutMs: commandTimeoutMs,
      failed,
      unheard: (publish, channel) => {
        refusedMessages.report(publish, channel);
        if (channel.startsWith(ownChannels(client.id).holds)) {
          // It may have been about a grant to this client.
          this.onMessagesLost();
        }
      },
    });
    this.watchdog = new Watchdog(clock, this.router, this.delivery, leaseMs);
    this.replicas = new Replicas({
      clock,
      random,
      maxPauseMs,
      router: this.router,
      delivery: this.delivery,
    });
    this.ownChannel = new OwnChannel(client.id, {
      hub: this.hub,
      clock,
      look: (key, done) => this.watchdog.look(key, done),
      lookAtAll: () => this.watchdog.lookAtAll(),
      isConfirmed: (channel) => this.router.channels.isConfirmed(channel),
      isRefused: (channel) => this.router.channels.isRefused(channel),
      confirmed: () => {
        this.epoch += 1;
        this.onMessagesLost();
      },
    });
    this.router.open();
  }

  /** Returns whether others certainly have what a queue asks for by `key`. */
  proves(asked: AskState, key: string): boolean {
    return asked.proves(this.clock.now(), this.router.downSince(key));
  }

  /** `events` gets its event `suspect`. */
  createLease(
    identity: LeaseIdentity,
    lost: LeaseHooks['lost'],
    events: Reports = this.client.events,
  ): Lease {
    const hooks: LeaseHooks = { lost, ask: this.watchdog.ask };
    return new Lease(identity, this.clock, events, hooks);
  }

  /** A lease was granted: it is renewed, and keeps the process alive, until it ends. One
   * that was granted for a part of its time is confirmed soon. */
  keep(lease: Lease, renewal: Renewal, granted?: Granted): void {
    this.watchdog.add(lease, renewal, granted);
    this.client.keepAlive.ref();
    this.ownChannel.held(lease);
  }

  /** The lease ends, since it was released or lost. False when it was not kept (any more). */
  letGo(lease: Lease): boolean {
    const wasKept = this.watchdog.delete(lease);
    if (wasKept) {
      this.ownChannel.over(lease);
      this.client.keepAlive.unref();
    }
    return wasKept;
  }

  /** Ends all connections, timers and subscriptions. */
  shutDown(): void {
    this.ownChannel.close();
    this.hub.close();
    this.watchdog.close();
    this.router.close(this.client.closedError(''));
    this.delivery.close();
  }

  #up(): void {
    this.watchdog.connectionUp();
    this.epoch += 1;
    this.onConnection();
  }

  #down(cause: Error): void {
    this.watchdog.connectionDown(cause);
    this.#trouble(cause);
  }

  /** Reported once in a while, not once per attempt to reconnect. */
  #trouble(error: Error): void {
    const now = this.clock.now();
    if (error.message !== this.#lastTrouble || now - this.#lastTroubleAt > TROUBLE_PERIOD_MS) {
      this.#lastTrouble = error.message;
      this.#lastTroubleAt = now;
      this.client.failed(error);
    }
  }
}
