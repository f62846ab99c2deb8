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
  /** It may enter the wait queue on the server, since it would hear the message about its turn. */
  isReady = false;
  /** It has asked for an entry in the wait queue on the server. */
  isQueued = false;
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
 * The waiters of one client for one fair lock. Each has its own entry in the server's wait queue,
 * in the order of their calls; only the first of them asks again, which is the heartbeat of all.
 */
export class FairQueue implements WaitQueue {
  contended = false;
  readonly #services: FairQueueServices;
  /** The prefix of each waiter's channel. */
  readonly #channel: string;
  readonly #emptied: () => void;
  readonly #queue = new LinkedList<Entry>();
  readonly #entries = new Map<Waiter, Entry>();
  /** All before it have asked for an entry on the server. */
  #next: Entry | undefined;
  #timer: Timer | undefined;

  constructor(services: FairQueueServices, channel: string, emptied: () => void) {
    this.#services = services;
    this.#channel = channel;
    this.#emptied = emptied;
  }

  /** The first waiter asks at once, without an entry on the server: most locks are free. */
  join(waiter: Waiter): boolean {
    const entry = new Entry(waiter);
    const isFirst = this.#queue.first === undefined;
    this.#entries.set(waiter, entry);
    this.#queue.push(entry);
    this.#next ??= entry;
    if (isFirst) {
      entry.ask('none');
    } else {
      this.#listen(entry);
    }
    return isFirst;
  }

  wakeUp(): void {
    const head = this.#queue.first;
    if (head?.isAsking === true) {
      // The answer may be older than the wake-up.
      head.isWokenUp = true;
    } else if (head?.isQueued === true) {
      this.#timer?.cancel();
      // If its entry was lost, others of this client may be before it on the server: it goes first.
      head.ask('front');
    }
  }

  granted(waiter: Waiter, leaseMs: number): void {
    this.contended = true;
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
    }
    if (entry.stopListening === undefined) {
      this.#listen(entry);
    }
    if (entry !== this.#queue.first) {
      return;
    }
    if (entry.isWokenUp && entry.isQueued) {
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
    if (entry === this.#next) {
      this.#next = entry.next;
    }
    this.#entries.delete(waiter);
    this.#queue.delete(entry);
    entry.stopListening?.();
    if (this.#queue.first === undefined) {
      this.#timer?.cancel();
      this.#emptied();
    } else {
      this.#enter();
    }
    return { entry, wasHead };
  }

  /** Its grant came too late to be of use: the waiter goes on under another holder id. */
  #startOver(entry: Entry): void {
    entry.stopListening?.();
    entry.stopListening = undefined;
    entry.holderId = entry.waiter.holderId;
    entry.isReady = false;
    entry.isQueued = false;
    this.#next = entry;
  }

  /** A waiter that enters the wait queue before it is subscribed could miss its only message. */
  #listen(entry: Entry): void {
    const channel = `${this.#channel}:${entry.holderId}`;
    entry.stopListening = this.#services.hub.listen(channel, () => {
      if (entry.isReady) {
        entry.isWokenUp = true;
        this.wakeUp();
      } else {
        entry.isReady = true;
        this.#enter();
      }
    });
  }

  /** Lets entries into the wait queue on the server, in order, as far as they are ready. */
  #enter(): void {
    for (let entry = this.#next; entry !== undefined; entry = this.#next) {
      if (!entry.isQueued) {
        if (!entry.isReady || entry.isAsking) {
          return;
        }
        entry.isQueued = true;
        entry.ask('queue');
      }
      this.#next = entry.next;
    }
  }

  #sleep(busyMs: number): void {
    const head = this.#queue.first;
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
    const head = this.#queue.first;
    if (head?.isQueued === false) {
      // Its subscription is still not confirmed: it goes on without messages.
      head.isReady = true;
      this.#enter();
    } else {
      this.wakeUp();
    }
  }
}
