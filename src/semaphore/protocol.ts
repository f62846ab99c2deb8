import { prepare } from '../core/call.js';
import type { Prepared, Sendable } from '../core/call.js';
import { integers } from '../core/decode.js';
import { prefixed } from '../core/names.js';
import type { PermitAnswer, PermitSource, PermitWaiter } from '../core/permit-source.js';
import type { Request } from '../core/requests.js';
import type { Runtime } from '../core/runtime.js';
import {
  semaphoreAcquire,
  semaphoreAddPermits,
  semaphoreDelete,
  semaphoreDrainPermits,
  semaphoreGiveBack,
  semaphoreInspect,
  semaphoreRelease,
  semaphoreTrySetPermits,
} from '../core/scripts.generated.js';

/** A semaphore as the server sees it. */
export interface SemaphoreView {
  readonly available: number;
  readonly exists: boolean;
}

/** How many permits there are now. */
export interface Counted {
  readonly available: number;
  /** True when so many more would not fit into 32 bits: nothing was changed. */
  readonly isRefused: boolean;
}

/** What a release says to the waiters that it was to serve, and to its caller. */
export interface ReleaseAnswer extends PermitAnswer, Counted {}

const inspect: Sendable<SemaphoreView> = {
  ...semaphoreInspect,
  decode(reply) {
    const [available = 0, exists] = integers(semaphoreInspect.decode(reply), 2);
    return { available, exists: exists === 1 };
  },
};

const acquire: Sendable<PermitAnswer> = {
  ...semaphoreAcquire,
  decode(reply) {
    const [granted = 0, , retryMs = -1] = integers(semaphoreAcquire.decode(reply), 3);
    return { granted, retryMs };
  },
};

/** The count of an answer "full", when it is one. */
function refusedAt(answer: string): number | undefined {
  const prefix = 'full ';
  return answer.startsWith(prefix) ? integers(answer.slice(prefix.length), 1)[0] : undefined;
}

const release: Sendable<ReleaseAnswer> = {
  ...semaphoreRelease,
  decode(reply) {
    const answer = semaphoreRelease.decode(reply);
    const full = refusedAt(answer);
    if (full !== undefined) {
      return { granted: 0, retryMs: -1, available: full, isRefused: true };
    }
    const [granted = 0, , retryMs = -1, available = 0] = integers(answer, 4);
    return { granted, retryMs, available, isRefused: false };
  },
};

const addPermits: Sendable<Counted> = {
  ...semaphoreAddPermits,
  decode(reply) {
    const answer = semaphoreAddPermits.decode(reply);
    const full = refusedAt(answer);
    const available = full ?? integers(answer, 1)[0] ?? 0;
    return { available, isRefused: full !== undefined };
  },
};

/** One counting semaphore on Redisson's wire. */
export class SemaphoreProtocol implements PermitSource<PermitWaiter> {
  readonly kind = 'semaphore';
  readonly resource: string;
  readonly key: string;
  readonly channel: string;
  readonly tellsAvailable = true;
  readonly requestsKey: string;
  readonly #runtime: Runtime;
  readonly #keys: { semaphore: string; requests: string };
  readonly #queueKeys: { semaphore: string; requests: string; line: string; beats: string };

  constructor(runtime: Runtime, name: string, key: string) {
    this.#runtime = runtime;
    this.resource = name;
    this.key = key;
    this.channel = prefixed('redisson_sc', key);
    this.requestsKey = `${prefixed('latchkey_requests', key)}:${runtime.id}`;
    this.#keys = { semaphore: key, requests: this.requestsKey };
    const line = prefixed('latchkey_waiting', key);
    this.#queueKeys = { ...this.#keys, line, beats: prefixed('latchkey_beats', key) };
  }

  /** The server counts them, however many they are. */
  weightOf(): number {
    return 0;
  }

  acquire(
    { number, floor }: Request,
    waiters: readonly PermitWaiter[],
    mustQueue: boolean,
  ): Prepared<PermitAnswer> {
    const args = {
      number,
      floor,
      publish: this.#runtime.router.publish,
      channel: this.channel,
      client: this.#runtime.id,
      mustQueue: mustQueue ? 1 : 0,
      needs: waiters.map(({ count }) => count),
    };
    return { script: acquire, operands: semaphoreAcquire.operands(this.#queueKeys, args) };
  }

  /** Gives permits back, and serves `waiters` with what there is then. A semaphore that is gone gets
   * none, unless they may make it anew. */
  release(
    { number, floor }: Request,
    { permits, mayCreate }: { permits: number; mayCreate: boolean },
    waiters: readonly PermitWaiter[],
    mustQueue: boolean,
  ): Prepared<ReleaseAnswer> {
    const args = {
      number,
      floor,
      publish: this.#runtime.router.publish,
      channel: this.channel,
      client: this.#runtime.id,
      mustQueue: mustQueue ? 1 : 0,
      permits,
      mayCreate: mayCreate ? 1 : 0,
      needs: waiters.map(({ count }) => count),
    };
    return { script: release, operands: semaphoreRelease.operands(this.#queueKeys, args) };
  }

  giveBack(request: Request, _waiters: readonly PermitWaiter[], leaves: boolean): Prepared<number> {
    return this.#undo(request, leaves, 0);
  }

  /** Makes sure that a change never runs (again) and serves nobody; a release of `permits` that
   * never ran is made now. */
  settle(request: Request, permits: number): Prepared<number> {
    return this.#undo(request, false, permits);
  }

  addPermits({ number, floor }: Request, delta: number): Prepared<Counted> {
    const args = { number, floor, ...this.#told, delta };
    return { script: addPermits, operands: semaphoreAddPermits.operands(this.#keys, args) };
  }

  drainPermits({ number, floor }: Request): Prepared<string> {
    return prepare(semaphoreDrainPermits, this.#keys, { number, floor });
  }

  trySetPermits({ number, floor }: Request, permits: number, ttlMs: number): Prepared<string> {
    const args = { number, floor, ...this.#told, permits, ttlMs };
    return prepare(semaphoreTrySetPermits, this.#keys, args);
  }

  delete({ number, floor }: Request): Prepared<string> {
    return prepare(semaphoreDelete, this.#keys, { number, floor });
  }

  inspect(): Prepared<SemaphoreView> {
    return { script: inspect, operands: semaphoreInspect.operands({ semaphore: this.key }, {}) };
  }

  #undo({ number, floor }: Request, leaves: boolean, permits: number): Prepared<number> {
    const place = { client: this.#runtime.id, leaves: Number(leaves) };
    const args = { number, floor, ...this.#told, ...place, permits };
    return prepare(semaphoreGiveBack, this.#queueKeys, args);
  }

  get #told(): { publish: string; channel: string } {
    return { publish: this.#runtime.router.publish, channel: this.channel };
  }
}
