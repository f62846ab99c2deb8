import { LinkedList, Linked } from '../core/base/linked-list.js';
import type { Clock, Timer } from '../core/base/clock.js';
import type { ChannelHub } from '../core/waiting/channel-hub.js';
import type { Position, Verdict, WaitQueue, Waiter } from '../core/locks/wait-queue.js';
import { HEARTBEAT_MS } from '../core/waiting/timing.js';

export interface FairQueueServices {
  readonly hub: ChannelHub;
  readonly clock: Clock;
}

/** The entry of one waiter in the local queue. */
class Entry extends Linked {
  readonly waiter: Waiter;
  /** The holder id on whose channel it listens. */
  holderId: string;
  /** Its subscription has been confirmed: it hears the message about its turn. */
  isListening = false;
  isAsking = false;
  /** Something may have changed since it asked last. */
  isWokenUp = false;
  stopListening: (() => void) | undefined;

  constructor(waiter: Waiter) {
    super();
    this.waiter = waiter;
    this.holderId = waiter.holderId;
  }

  ask(position: Position): void {
    this.isAsking = true;
    this.isWokenUp = false;
    this.waiter.ask(position);
  }
}

/**
 * The waiters of one client for one fair lock. Each asks at once, and has its own entry in the
 * server's wait queue from then on; only the first of them asks again, which is the heartbeat of
 * all.
 */
export class FairQueue implements WaitQueue {
  contended = false;
  readonly #services: FairQueueServices;
  /** The prefix of each waiter's channel. */
  readonly #channel: string;
  readonly #emptied: () => void;
  readonly #queue = new LinkedList<Entry>();
  readonly #entries = new Map<Waiter, Entry>();
  /** A waiter here was granted the lock, and nothing has happened since. */
  #isHeldHere = false;
  #timer: Timer | undefined;

  constructor(services: FairQueueServices, channel: string, emptied: () => void) {
    this.#services = services;
    this.#channel = channel;
    this.#emptied = emptied;
  }

  join(waiter: Waiter): boolean {
    const entry = new Entry(waiter);
    const isFirst = this.#queue.first === undefined;
    this.#entries.set(waiter, entry);
    this.#queue.push(entry);
    entry.ask('queue');
    if (!isFirst) {
      this.#listen(entry);
    }
    return isFirst;
  }

  wakeUp(): void {
    this.#isHeldHere = false;
    const head = this.#queue.first;
    if (head?.isAsking === true) {
      // The answer may be older than the wake-up.
      head.isWokenUp = true;
    } else if (head !== undefined) {
      this.#timer?.cancel();
      // If its entry was lost, others of this client may be before it on the server: it goes first.
      head.ask('front');
    }
  }

  granted(waiter: Waiter, leaseMs: number): void {
    this.contended = true;
    this.#isHeldHere = true;
    if (this.#remove(waiter)?.wasHead === true) {
      // Its release brings the next wake-up, unless the new head has already got one.
      this.#sleep(this.#queue.first?.isWokenUp === true ? 0 : leaseMs);
    }
  }

  busy(waiter: Waiter, { busyMs }: Verdict & { is: 'busy' }): void {
    const entry = this.#entries.get(waiter);
    if (entry === undefined) {
      return;
    }
    entry.isAsking = false;
    this.contended = true;
    if (entry.holderId !== waiter.holderId) {
      this.#startOver(entry);
      return;
    }
    if (entry.stopListening === undefined) {
      this.#listen(entry);
    }
    if (entry !== this.#queue.first) {
      return;
    }
    if (entry.isWokenUp) {
      this.wakeUp();
    } else {
      this.#sleep(busyMs);
    }
  }

  leave(waiter: Waiter): void {
    const left = this.#remove(waiter);
    if (left?.wasHead === true && left.entry.isAsking) {
      // Its wake-up passes to the new head, only once even if many leave together.
      this.#sleep(0);
    }
  }

  /** In this queue every waiter asks for itself. */
  isAskingFor(): boolean {
    return false;
  }

  #remove(waiter: Waiter): { entry: Entry; wasHead: boolean } | undefined {
    const entry = this.#entries.get(waiter);
    if (entry === undefined) {
      return undefined;
    }
    const wasHead = entry === this.#queue.first;
    this.#entries.delete(waiter);
    this.#queue.delete(entry);
    entry.stopListening?.();
    if (this.#queue.first === undefined) {
      this.#timer?.cancel();
      this.#emptied();
    }
    return { entry, wasHead };
  }

  /** Its grant came too late to be of use, and was its turn all the same: the waiter goes on under
   * another holder id, behind all others here, as its new entry is on the server. */
  #startOver(entry: Entry): void {
    const wasHead = entry === this.#queue.first;
    entry.stopListening?.();
    entry.holderId = entry.waiter.holderId;
    entry.isListening = false;
    this.#queue.delete(entry);
    this.#queue.push(entry);
    entry.ask('queue');
    this.#listen(entry);
    if (wasHead) {
      // The clean-up of that grant wakes the new head.
      this.#sleep(HEARTBEAT_MS);
    }
  }

  /**
   * The entry is older than the subscription, and may have missed its only message: once that is
   * confirmed, the head asks again. Any other waiter is notified after it has become the head. A
   * head that follows a holder of this client is woken by the release here.
   */
  #listen(entry: Entry): void {
    const channel = `${this.#channel}:${entry.holderId}`;
    entry.stopListening = this.#services.hub.listen(channel, () => {
      const isFollowing = entry !== this.#queue.first || this.#isHeldHere;
      if (entry.isListening || !isFollowing) {
        entry.isWokenUp = true;
        this.wakeUp();
      }
      entry.isListening = true;
    });
  }

  #sleep(busyMs: number): void {
    if (this.#queue.first === undefined) {
      return;
    }
    this.#timer?.cancel();
    const isSoon = busyMs >= 0 && busyMs < HEARTBEAT_MS;
    const sleepMs = isSoon ? busyMs + 1 : HEARTBEAT_MS;
    this.#timer = this.#services.clock.after(sleepMs, () => this.wakeUp());
  }
}
