import { prepare } from '../core/wire/call.js';
import type { Prepared, Sendable } from '../core/wire/call.js';
import type { ReleaseResult } from '../core/grant/grant-lifecycle.js';
import { releaseResultOf, verdictOf } from '../core/locks/lock-protocol.js';
import { prefixed, privateKey, twinOf } from '../core/base/key-names.js';
import type { Runtime } from '../core/runtime.js';
import {
  fairLockAcquire,
  fairLockFollowUp,
  fairLockForceRelease,
  fairLockRelease,
} from '../core/wire/scripts.generated.js';
import type { Place, Verdict, WaitQueue } from '../core/locks/wait-queue.js';
import { FairQueue } from './fair-queue.js';
import { HashLockProtocol } from './protocol.js';

const acquire: Sendable<Verdict> = {
  ...fairLockAcquire,
  decode: (reply) => verdictOf(fairLockAcquire.decode(reply)),
};

const release: Sendable<ReleaseResult> = {
  ...fairLockRelease,
  decode: (reply) => releaseResultOf(fairLockRelease.decode(reply)),
};

const followUp: Sendable<boolean> = {
  ...fairLockFollowUp,
  decode: (reply) => fairLockFollowUp.decode(reply) === 1,
};

/** Waiters of all processes stand in one queue on the server. */
export class FairLockProtocol extends HashLockProtocol {
  override readonly keepsLine = true;
  override readonly sideKeys: readonly string[];
  /** Redisson's queue, its deadlines in Java's eyes, and when each of our clients was heard of. */
  readonly #line: { queue: string; timeouts: string; beats: string };
  /** The beats of the name to which Redisson gives the same queue. */
  readonly #twinBeats: readonly string[];

  constructor(runtime: Runtime, name: string, key: string) {
    super(runtime, 'fair-lock', name, key);
    this.#line = {
      queue: prefixed('redisson_lock_queue', key),
      timeouts: prefixed('redisson_lock_timeout', key),
      beats: privateKey('latchkey_beats', key),
    };
    this.sideKeys = [this.#line.queue, this.#line.timeouts];
    const twin = twinOf(key);
    this.#twinBeats = twin === undefined ? [] : [privateKey('latchkey_beats', twin)];
  }

  override createQueue(emptied: () => void): WaitQueue {
    return new FairQueue(this.runtime, this.channel, emptied);
  }

  override acquire(
    holder: string,
    count: number,
    leaseMs: number,
    place: Place,
  ): Prepared<Verdict> {
    const { publish } = this.runtime.router;
    const operands = fairLockAcquire.operands(
      {
        lock: this.key,
        cancelled: this.cancelledKey(holder),
        ...this.#line,
        twinBeats: this.#twinBeats,
      },
      { holder, count, leaseMs, place, publish, channel: this.channel },
    );
    return { script: acquire, operands };
  }

  override release(holder: string, count: number, burnMs: number): Prepared<ReleaseResult> {
    const { publish } = this.runtime.router;
    const operands = fairLockRelease.operands(
      { lock: this.key, cancelled: this.cancelledKey(holder), ...this.#line },
      { holder, count, burnMs, publish, channel: this.channel },
    );
    return { script: release, operands };
  }

  followUp(): Prepared<boolean> {
    const { publish } = this.runtime.router;
    const keys = { lock: this.key, ...this.#line };
    return {
      script: followUp,
      operands: fairLockFollowUp.operands(keys, { publish, channel: this.channel }),
    };
  }

  override forceRelease(request: { number: number; floor: number }): Prepared<string> {
    const { publish } = this.runtime.router;
    const keys = { lock: this.key, requests: this.requestsKey, ...this.#line };
    return prepare(fairLockForceRelease, keys, { ...request, publish, channel: this.channel });
  }
}
