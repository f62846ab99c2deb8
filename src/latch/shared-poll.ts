import type { Call, Command } from '../core/wire/call.js';
import type { Timer } from '../core/base/clock.js';
import type { EndpointServices } from '../core/endpoint-services.js';
import { RECHECK_MAX_MS } from '../core/waiting/timing.js';

/** Somebody who waits until an object looks as wanted. */
export interface Watcher<V> {
  /** What was read after the watcher joined; true when the wait is over. */
  see(view: V): boolean;
  /** Reading failed for good. */
  fail(error: Error): void;
}

/** What is watched and how. */
export interface Watched<V> {
  readonly channel: string;
  read(): Command<V>;
  /** How long nothing can change without a message: -1 says that nobody knows. */
  quietMs(view: V): number;
}

/**
 * The waiters of one client that all profit from one look at an object: any number of them cost
 * what one costs.
 */
export class SharedPoll<V> {
  readonly #services: EndpointServices;
  readonly #watched: Watched<V>;
  readonly #emptied: () => void;
  /** Each watcher, and the number of the first look that was sent after it joined. */
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

  /** Something may have changed: look. */
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
    this.#call = this.#services.delivery.start(this.#watched.read(), {
      answered: (view) => this.#polled(() => this.#show(view)),
      failed: (error) => this.#polled(() => this.#fail(error)),
    });
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
    this.#recheck?.cancel();
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
