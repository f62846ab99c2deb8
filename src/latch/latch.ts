import { outside } from '../core/base/async-context.js';
import { failing } from '../core/base/failing.js';
import { translate } from '../core/delivery/translate.js';
import type { Command } from '../core/wire/call.js';
import { Face } from '../core/face.js';
import type { Request } from '../core/delivery/requests.js';
import type { Ending, WaitLimit } from '../core/waiting/wait-limit.js';
import type { EndpointServices } from '../core/endpoint-services.js';
import { SharedPoll } from './shared-poll.js';
import { checkInteger, checkWaiting, INT32_MAX, type WaitOptions } from '../core/base/arguments.js';
import { checkLife } from '../core/base/life.js';
import { checkOptions, type OptionSet } from '../core/base/options.js';
import { LatchProtocol, type LatchView } from './protocol.js';
import { LatchWaiter } from './waiter.js';

/**
 * A count that many processes count down and many wait for; at zero it is removed, and all waiters
 * go on. After Redisson's RCountDownLatch, with which it shares its keys and messages.
 *
 * @example
 * ```ts
 * const latch: CountDownLatch = client.getCountDownLatch('parts-loaded');
 * await latch.trySetCount(3, { ttlMs: 60_000 });
 * await latch.countDown(); // in three places
 * const reached = await latch.wait({ waitMs: 10_000 });
 * ```
 */
export interface CountDownLatch {
  /** The name that the latch was made with. */
  readonly name: string;
  /**
   * Sets the count, unless one is set.
   *
   * Failure: the count is set at most once, whatever the network does.
   * @param count - 1 to 2147483647.
   * @param options - `ttlMs`, 1 to 2147483647: life of the latch. By default it has no limit. A
   * latch that reaches this age is gone without a message: its waiters notice within 5 s.
   * @returns false when one is set already.
   * @throws OutcomeUnknownError when no answer came in time; it is then not done later.
   */
  trySetCount(count: number, options?: { ttlMs?: number | undefined }): Promise<boolean>;
  /**
   * Counts down by one; does nothing when no count is set. Done at most once, whatever the
   * network does.
   * @throws OutcomeUnknownError when no answer came in time; it is then not done later.
   */
  countDown(): Promise<void>;
  /** The count; 0 when it was reached, deleted or never set. */
  count(): Promise<number>;
  /**
   * Waits until zero was reached or the latch was deleted.
   *
   * It waits for the latch that it finds, and ends with that, even if the next one is set at once.
   *
   * Cancellation: an aborted wait leaves nothing behind. Failure: without `waitMs` it goes on
   * through outages. When Java ends a latch and sets the next one at once, the wait goes on until the
   * end that `ttlMs` has given to the latch, or to the next end.
   * @returns true once zero was reached, at once when none is set; false when `waitMs` ran out.
   * @throws CommandTimeoutError when `waitMs` ran out and Redis had not answered.
   */
  wait(options?: Omit<WaitOptions, 'maxWaiters'>): Promise<boolean>;
  /** Removes the latch and lets its waiters go. True if there was one. */
  delete(): Promise<boolean>;
}

const NO_LEASE = 'a latch has no lease';

const WAITING: OptionSet = {
  of: 'the wait for a latch',
  known: ['waitMs', 'signal'],
  elsewhere: {
    leaseMs: NO_LEASE,
    maxHoldMs: NO_LEASE,
    ttlMs: 'trySetCount limits the life of a latch',
    replicas: 'only grants with a lease wait for replicas, and a latch has none',
    maxWaiters: 'it limits the waits of acquisitions, and one poll serves all waits for a latch',
  },
};

/** The face of one latch. */
export class LatchFace extends Face<LatchProtocol> implements CountDownLatch {
  readonly #polls: Map<string, SharedPoll<LatchView>>;

  constructor(services: EndpointServices, name: string, key: string, polls: LatchPolls) {
    super(services, new LatchProtocol(services, name, key));
    this.#polls = polls;
  }

  protected override get label(): string {
    return 'CountDownLatch';
  }

  async trySetCount(count: number, options?: { ttlMs?: number | undefined }): Promise<boolean> {
    checkInteger('count', count, 1, INT32_MAX);
    const life = checkLife('trySetCount', options, NO_LEASE);
    const set = await this.#change((request) => this.protocol.trySetCount(request, count, life));
    return set === 1;
  }

  async countDown(extra?: unknown): Promise<void> {
    // What an event or a promise passes on may be anything, but a number was meant.
    if (typeof extra === 'number') {
      throw new TypeError(`countDown counts down by one, and takes no argument; got ${extra}`);
    }
    this.#wakeAtZero(await this.#change((request) => this.protocol.countDown(request)));
  }

  async count(): Promise<number> {
    const poll = (): Promise<LatchView> =>
      this.services.delivery.read(this.name, this.protocol.inspect());
    const { count } = await this.inUse(poll);
    return count;
  }

  async wait(options?: Omit<WaitOptions, 'maxWaiters'>): Promise<boolean> {
    const { waitMs, signal } = checkWaiting(checkOptions('options', options, WAITING));
    this.services.client.assertOpen(this.name);
    signal?.throwIfAborted();
    // A `waitMs` of 0 polls once, which takes as long as a command may take.
    const limitMs = waitMs === 0 ? this.services.client.settings.commandTimeoutMs : waitMs;
    const waitLimit = this.services.client.waitLimit({ limitMs, signal });
    const wait = (): Promise<boolean> => this.#waitWith(waitLimit, waitMs === 0);
    try {
      return await this.inUse(wait);
    } finally {
      waitLimit.dispose();
    }
  }

  async delete(): Promise<boolean> {
    const deleted = await this.#change((request) => this.protocol.delete(request));
    this.#wakeAtZero(0);
    return deleted === 1;
  }

  #waitWith(waitLimit: WaitLimit, pollsOnce: boolean): Promise<boolean> {
    return new Promise((resolve) => {
      const poll = this.#poll();
      const stopWatching = this.#watchForStall(waitLimit);
      const waiter = new LatchWaiter(
        pollsOnce,
        (reached) => {
          stopWatching();
          resolve(reached);
        },
        (error) => {
          stopWatching();
          resolve(failing(translate(error, this.name)));
        },
      );
      const end = (ending: Ending): void => {
        const { services, protocol } = this;
        stopWatching();
        const { refusal } = poll.contention;
        const isProven = waiter.hasSeen && services.proves(poll.contention, protocol.key);
        poll.leave(waiter);
        if (ending.why === 'timeout' && isProven) {
          resolve(false);
        } else {
          const timeout = (): Error => this.#timeout(waitLimit, refusal);
          resolve(failing(services.client.errorOf(ending, this.name, timeout), ending));
        }
      };
      if (waitLimit.ending !== undefined) {
        end(waitLimit.ending);
        return;
      }
      waitLimit.onEnd = end;
      poll.join(waiter);
    });
  }

  #watchForStall(span: WaitLimit): () => void {
    const { resource, kind, key } = this.protocol;
    return this.services.client.slowWaits.watch({ id: `${kind}:${key}`, resource, kind }, span);
  }

  #timeout(waitLimit: WaitLimit, refusal: Error | undefined): Error {
    const { clock, delivery, router } = this.services;
    const { key } = this.protocol;
    const isConnected = router.whyDown(key) === undefined;
    const waitedMs = clock.now() - waitLimit.startedAt;
    return delivery.timeout(this.name, key, isConnected, waitedMs, refusal);
  }

  /** The poll that all local waiters of this latch share. */
  #poll(): SharedPoll<LatchView> {
    const { key, channel } = this.protocol;
    let poll = this.#polls.get(key);
    if (poll === undefined) {
      const watched = {
        channel,
        read: () => this.protocol.inspect(),
        quietMs: ({ ttlMs }: LatchView) => ttlMs,
      };
      poll = new SharedPoll(this.services, watched, () => this.#polls.delete(key));
      this.#polls.set(key, poll);
    }
    return poll;
  }

  /** At zero, wakes the local waiters without waiting for the message. */
  #wakeAtZero(count: number): boolean {
    if (count === 0) {
      const poll = this.#polls.get(this.protocol.key);
      // The waiters belong to other async contexts.
      outside(() => poll?.wakeUp());
    }
    return count === 0;
  }

  /** Makes a counted call. */
  async #change(build: (request: Request) => Command<string>): Promise<number> {
    const { count } = await this.inUse(() => this.countOnce(build));
    return count;
  }
}

/** The shared polls of all latches of one client, by key. */
export type LatchPolls = Map<string, SharedPoll<LatchView>>;
