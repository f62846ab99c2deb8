import type { Call, Command } from '../core/wire/call.js';
import type { Timer } from '../core/base/clock.js';
import type { EndpointServices } from '../core/endpoint-services.js';
import { Contention } from '../core/waiting/contention.js';
import { RECHECK_MAX_MS } from '../core/waiting/timing.js';

/** A waiter for a certain state of an object. */
export interface Watcher<V> {
  /** Gets a state that was read after the watcher joined; true when the wait is over. */
  see(view: V): boolean;
  /** The read failed and is not repeated. */
  fail(error: Error): void;
}

/** An object to watch, and how it is read. */
export interface Watched<V> {
  readonly channel: string;
  read(): Command<V>;
  /** For how many ms nothing can change without a message; negative: unknown. */
  quietMs(view: V): number;
}

/**
 * The waiters of one client for one object. One poll serves all of them, so that any number of
 * waiters costs what one costs.
 */
export class SharedPoll<V> {
  readonly contention: Contention = new Contention();
  readonly #services: EndpointServices;
  readonly #watched: Watched<V>;
  readonly #emptied: () => void;
  /** Each watcher, and the number of the first poll that was sent after it joined. */
  readonly #watchers = new Map<Watcher<V>, number>();
  #polls = 0;
  #call: Call<V> | undefined;
  #wokenUp = false;
  #recheck: Timer | undefined;
  #stopListening: (() => void) | undefined;

  constructor(services: EndpointServices, watched: Watched<V>, emptied: () => void) {
    this.#services = services;
    this.#watched = watched;
    this.#emptied = emptied;
    if (services.hub.knows(watched.channel)) {
      this.#listen();
    }
  }

  join(watcher: Watcher<V>): void {
    this.#watchers.set(watcher, this.#polls + 1);
    this.wakeUp();
  }

  leave(watcher: Watcher<V>): void {
    if (this.#watchers.delete(watcher) && this.#watchers.size === 0) {
      this.#end();
    }
  }

  /** Polls, since something may have changed; when a poll is under way, after that. */
  wakeUp(): void {
    if (this.#call !== undefined) {
      this.#wokenUp = true;
    } else if (this.#watchers.size > 0) {
      this.#poll();
    }
  }

  #poll(): void {
    this.#recheck?.cancel();
    this.#wokenUp = false;
    this.#polls += 1;
    const { clock, delivery } = this.#services;
    this.#call = delivery.start(this.#watched.read(), {
      answered: (view, call) => {
        this.contention.busy(call, clock.now());
        this.#polled(() => this.#show(view));
      },
      failed: (error) => {
        this.contention.failed(error);
        this.#polled(() => this.#fail(error));
      },
    });
    this.contention.asked(clock.now(), this.#call);
  }

  #polled(tell: () => void): void {
    this.#call = undefined;
    tell();
    if (this.#wokenUp) {
      this.wakeUp();
    }
  }

  #show(view: V): void {
    for (const [watcher, firstPoll] of this.#watchers) {
      if (firstPoll <= this.#polls && watcher.see(view)) {
        this.#watchers.delete(watcher);
      }
    }
    if (this.#watchers.size === 0) {
      this.#end();
      return;
    }
    this.#listen();
    const quietMs = this.#watched.quietMs(view);
    const delayMs = quietMs < 0 ? RECHECK_MAX_MS : Math.min(quietMs + 1, RECHECK_MAX_MS);
    this.#recheck = this.#services.clock.after(delayMs, () => this.wakeUp());
  }

  #fail(error: Error): void {
    for (const [watcher, firstPoll] of this.#watchers) {
      if (firstPoll <= this.#polls) {
        this.#watchers.delete(watcher);
        watcher.fail(error);
      }
    }
    if (this.#watchers.size === 0) {
      this.#end();
    }
  }

  #listen(): void {
    this.#stopListening ??= this.#services.hub.listen(this.#watched.channel, () => this.wakeUp());
  }

  #end(): void {
    if (this.#call !== undefined) {
      this.#services.delivery.abandon(this.#call);
    }
    this.#recheck?.cancel();
    this.#stopListening?.();
    this.#stopListening = undefined;
    this.#emptied();
  }
}
