import { LinkedList, Linked } from '../core/base/linked-list.js';
import type { Clock, Timer } from '../core/base/clock.js';
import type { ChannelHub } from '../core/waiting/channel-hub.js';
import type { Position, Verdict, WaitQueue, Waiter } from '../core/locks/wait-queue.js';
import { HEARTBEAT_MS } from '../core/waiting/timing.js';

/** What a fair queue needs of its client. */
export interface FairQueueServices {
  readonly hub: ChannelHub;
  readonly clock: Clock;
}

/** One waiter's place in the queue. */
class Stand extends Linked {
  readonly waiter: Waiter;
  /** Whose channel is listened to. */
  holderId: string;
  /** It may queue on the server: it would be told of its turn. */
  isReady = false;
  /** It has asked for a place on the server. */
  isQueued = false;
  isAsking = false;
  /** Something may have changed since it asked last. */
  isHinted = false;
  stopListening: (() => void) | undefined;

  constructor(waiter: Waiter) {
    super();
    this.waiter = waiter;
    this.holderId = waiter.holderId;
  }

  ask(position: Position): void {
    this.isAsking = true;
    this.isHinted = false;
    this.waiter.ask(position);
  }
}

/**
 * The waiters of one client for one fair lock. Each has its own place in the server's queue, taken
 * in the order of their calls; only the first of them asks again, which is the heartbeat of all.
 */
export class FairQueue implements WaitQueue {
  contended = false;
  readonly #services: FairQueueServices;
  /** What the channel of each waiter begins with. */
  readonly #channel: string;
  readonly #emptied: () => void;
  readonly #line = new LinkedList<Stand>();
  readonly #stands = new Map<Waiter, Stand>();
  /** Everybody before it has asked for a place on the server. */
  #next: Stand | undefined;
  #timer: Timer | undefined;

  constructor(services: FairQueueServices, channel: string, emptied: () => void) {
    this.#services = services;
    this.#channel = channel;
    this.#emptied = emptied;
  }

  /** The first one asks at once, without queueing: most locks are free. */
  join(waiter: Waiter): boolean {
    const stand = new Stand(waiter);
    const isFirst = this.#line.first === undefined;
    this.#stands.set(waiter, stand);
    this.#line.push(stand);
    this.#next ??= stand;
    if (isFirst) {
      stand.ask('none');
    } else {
      this.#listen(stand);
    }
    return isFirst;
  }

  hint(): void {
    const head = this.#line.first;
    if (head?.isAsking === true) {
      // The answer may be older than the hint.
      head.isHinted = true;
    } else if (head?.isQueued === true) {
      this.#timer?.cancel();
      // The others of this client may have come to stand before it: it goes first all the same.
      head.ask('front');
    }
  }

  granted(waiter: Waiter, leaseMs: number): void {
    this.contended = true;
    if (this.#remove(waiter)?.wasHead === true) {
      // Its release brings the next hint, unless the next one was told of it before this grant.
      this.#sleep(this.#line.first?.isHinted === true ? 0 : leaseMs);
    }
  }

  busy(waiter: Waiter, { busyMs }: Verdict & { is: 'busy' }): void {
    const stand = this.#stands.get(waiter);
    if (stand === undefined) {
      return;
    }
    stand.isAsking = false;
    this.contended = true;
    if (stand.holderId !== waiter.holderId) {
      this.#startOver(stand);
    }
    if (stand.stopListening === undefined) {
      this.#listen(stand);
    }
    if (stand !== this.#line.first) {
      return;
    }
    if (stand.isHinted && stand.isQueued) {
      this.hint();
    } else {
      this.#sleep(busyMs);
    }
  }

  leave(waiter: Waiter): void {
    const left = this.#remove(waiter);
    if (left?.wasHead === true && left.stand.isAsking) {
      // It passes its wake-up on, once even if many leave together.
      this.#sleep(0);
    }
  }

  /** Every ask here is the waiter's own. */
  isAskingFor(): boolean {
    return false;
  }

  #remove(waiter: Waiter): { stand: Stand; wasHead: boolean } | undefined {
    const stand = this.#stands.get(waiter);
    if (stand === undefined) {
      return undefined;
    }
    const wasHead = stand === this.#line.first;
    if (stand === this.#next) {
      this.#next = stand.next;
    }
    this.#stands.delete(waiter);
    this.#line.delete(stand);
    stand.stopListening?.();
    if (this.#line.first === undefined) {
      this.#timer?.cancel();
      this.#emptied();
    } else {
      this.#enter();
    }
    return { stand, wasHead };
  }

  /** It was granted too late to be of use, and goes on under another holder id. */
  #startOver(stand: Stand): void {
    stand.stopListening?.();
    stand.stopListening = undefined;
    stand.holderId = stand.waiter.holderId;
    stand.isReady = false;
    stand.isQueued = false;
    this.#next = stand;
  }

  /** Queueing before the subscription stands could miss the only message. */
  #listen(stand: Stand): void {
    const channel = `${this.#channel}:${stand.holderId}`;
    stand.stopListening = this.#services.hub.listen(channel, () => {
      if (stand.isReady) {
        stand.isHinted = true;
        this.hint();
      } else {
        stand.isReady = true;
        this.#enter();
      }
    });
  }

  /** Lets those queue on the server whose turn to do so has come. */
  #enter(): void {
    for (let stand = this.#next; stand !== undefined; stand = this.#next) {
      if (!stand.isQueued) {
        if (!stand.isReady || stand.isAsking) {
          return;
        }
        stand.isQueued = true;
        stand.ask('queue');
      }
      this.#next = stand.next;
    }
  }

  #sleep(busyMs: number): void {
    const head = this.#line.first;
    if (head === undefined) {
      return;
    }
    this.#timer?.cancel();
    const isSoon = head.isQueued && busyMs >= 0 && busyMs < HEARTBEAT_MS;
    this.#timer = this.#services.clock.after(isSoon ? busyMs + 1 : HEARTBEAT_MS, () =>
      this.#look(),
    );
  }

  #look(): void {
    const head = this.#line.first;
    if (head?.isQueued === false) {
      // Nobody confirms its subscription: it does without messages.
      head.isReady = true;
      this.#enter();
    } else {
      this.hint();
    }
  }
}
