import { translate } from './delivery/translate.js';
import type { EndpointServices } from './endpoint-services.js';
import { Linked } from './base/linked-list.js';
import type { ObjectProtocol } from './object-protocol.js';
import type { Ending, WaitLimit } from './waiting/wait-limit.js';

/** The checked arguments that all acquisitions have. */
export interface WaitTerms {
  /** False: one attempt, no waiting. */
  readonly waits: boolean;
  readonly waitLimit: WaitLimit;
}

/** The object that is acquired. */
export interface Acquired {
  readonly services: EndpointServices;
  readonly protocol: ObjectProtocol<EndpointServices>;
  /** Reports a wait that lasts long; returns a function that stops watching. */
  watchForStall(startedAt: number): () => void;
}

/** What is known of an ask that has no answer. */
export interface AskState {
  /** A copy of it was sent; absent: nobody knows, so a connection has to be proof of it. */
  readonly sent?: boolean;
  /** Why the server has refused to run it; it is sent again. */
  readonly refusal: Error | undefined;
}

/** The local queue of an object: it asks the server, and tells its waiters what they were granted. */
export interface LocalQueue<W> {
  /** True: whoever waits here waits for others, and not for the server. */
  readonly contended?: boolean;
  join(waiter: W): void;
  /** The waiter gives up: the queue takes back what its asks may leave on the server. */
  leave(waiter: W): void;
  /** The ask for this waiter; undefined: there was none. */
  askOf(waiter: W): AskState | undefined;
}

/**
 * One call that acquires: it waits in a local queue until that has been granted what it wants, or
 * until its wait ends. It settles its promise, and asks the server nothing.
 */
export abstract class Acquisition<T, Terms extends WaitTerms, A extends Acquired> extends Linked {
  protected readonly grants: A;
  protected readonly terms: Terms;
  protected isOver = false;
  readonly #resolve: (granted: T) => void;
  readonly #reject: (error: unknown) => void;
  #queue: LocalQueue<this> | undefined;
  #isBlocked = false;
  #stopWatching: (() => void) | undefined;

  /** Settles by `resolve`, or by `reject`: with AcquireTimeoutError on contention, else with another
   * error. The name counts as used from before this until it fails or what it was granted ends. */
  constructor(
    grants: A,
    terms: Terms,
    resolve: (granted: T) => void,
    reject: (error: unknown) => void,
  ) {
    super();
    this.grants = grants;
    this.terms = terms;
    this.#resolve = resolve;
    this.#reject = reject;
  }

  start(): void {
    const { waitLimit } = this.terms;
    if (waitLimit.ending !== undefined) {
      this.#end(waitLimit.ending);
      return;
    }
    waitLimit.onEnd = (ending) => this.#end(ending);
    this.#queue = this.localQueue();
    this.#queue.join(this);
  }

  get waits(): boolean {
    return this.terms.waits;
  }

  /** It waits behind others here, whether or not the server has been asked for it. */
  queued(): void {
    this.#stopWatching ??= this.grants.watchForStall(this.terms.waitLimit.startedAt);
  }

  /** It has to wait: the server has said so. */
  blocked(): void {
    this.#isBlocked = true;
    this.queued();
  }

  /** It has to wait, and does not. */
  refused(): void {
    this.#fail(this.contention());
  }

  /** The call that asked for it has failed. */
  failed(error: Error): void {
    this.#fail(translate(error, this.grants.protocol.resource));
  }

  protected abstract localQueue(): LocalQueue<this>;

  /** The error of a wait for somebody else, which has lasted too long. */
  protected abstract contention(): Error;

  /** Whether the name is free when this has failed: mostly that shows nothing about the object. */
  protected get isGone(): boolean | undefined {
    return undefined;
  }

  protected get waitedMs(): number {
    return this.grants.services.clock.now() - this.terms.waitLimit.startedAt;
  }

  /** It was granted what it wants. */
  protected succeed(granted: T): void {
    this.#finish();
    this.#resolve(granted);
  }

  #end(ending: Ending): void {
    const { services, protocol } = this.grants;
    this.#fail(services.client.errorOf(ending, protocol.resource, () => this.#timeout()));
  }

  #timeout(): Error {
    const { services, protocol } = this.grants;
    const { resource, key } = protocol;
    const queue = this.#queue;
    // The answers to other waiters say nothing about a server that cannot be reached now.
    const isUp = services.router.whyDown(key) === undefined;
    if (this.#isBlocked || (queue?.contended === true && isUp)) {
      return this.contention();
    }
    const ask = queue?.askOf(this);
    const wasSent = ask !== undefined && (ask.sent ?? isUp);
    return services.delivery.timeout(resource, key, wasSent, this.waitedMs, ask?.refusal);
  }

  #fail(error: unknown): void {
    if (!this.isOver) {
      this.#finish();
      this.grants.services.names.leave(this.grants.protocol, this.isGone);
      this.#reject(error);
      this.#queue?.leave(this);
    }
  }

  #finish(): void {
    this.isOver = true;
    this.#stopWatching?.();
    this.terms.waitLimit.dispose();
  }
}
