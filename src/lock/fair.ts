import { commandOf, type Command, type CommandScript } from '../core/wire/call.js';
import type { ReleaseResult } from '../core/grant/grant-lifecycle.js';
import { releaseResultOf } from '../core/locks/release-results.js';
import { verdictOf } from '../core/locks/lock-protocol.js';
import { prefixed, privateKey, twinOf } from '../core/base/key-names.js';
import type { ReleaseTerms } from '../core/locks/release-terms.js';
import type { Asks } from '../core/locks/ticket.js';
import { allTombstones, tombstoneKey } from '../core/locks/tombstones.js';
import type { EndpointServices } from '../core/endpoint-services.js';
import {
  fairLockAcquire,
  fairLockFollowUp,
  fairLockForceRelease,
  fairLockRelease,
} from '../core/wire/scripts.generated.js';
import type { Position, Verdict, WaitQueue } from '../core/locks/wait-queue.js';
import { FairQueue } from './fair-queue.js';
import { HashLockProtocol } from './protocol.js';

const acquire: CommandScript<Verdict> = {
  ...fairLockAcquire,
  decode: (reply) => verdictOf(fairLockAcquire.decode(reply)),
};

const release: CommandScript<ReleaseResult> = {
  ...fairLockRelease,
  decode: (reply) => releaseResultOf(fairLockRelease.decode(reply)),
};

const followUp: CommandScript<boolean> = {
  ...fairLockFollowUp,
  decode: (reply) => fairLockFollowUp.decode(reply) === 1,
};

/** The waiters of all processes have their entries in one wait queue on the server. */
export class FairLockProtocol extends HashLockProtocol {
  /** Redisson's wait queue, when Java counts its entries as absent, and our clients' heartbeats. */
  readonly #queueKeys: { queue: string; timeouts: string; heartbeats: string };
  /** The heartbeats of the name to which Redisson gives the same queue. */
  readonly #twinHeartbeats: readonly string[];

  constructor(services: EndpointServices, name: string, key: string) {
    super(services, 'fair-lock', name, key);
    this.#queueKeys = {
      queue: prefixed('redisson_lock_queue', key),
      timeouts: prefixed('redisson_lock_timeout', key),
      heartbeats: privateKey('latchkey_beats', key),
    };
    const twin = twinOf(key);
    this.#twinHeartbeats = twin === undefined ? [] : [privateKey('latchkey_beats', twin)];
  }

  override get sideKeys(): readonly string[] {
    return [this.#queueKeys.queue, this.#queueKeys.timeouts];
  }

  /** Its own queue decides whose turn it is. */
  override get lineKeys(): undefined {
    return undefined;
  }

  override get keepsPosition(): boolean {
    return true;
  }

  override get isRaced(): boolean {
    return false;
  }

  override createQueue(asks: Asks): WaitQueue {
    return new FairQueue(asks, this.channel);
  }

  override acquire(
    holder: string,
    count: number,
    leaseMs: number,
    position: Position,
  ): Command<Verdict> {
    const operands = fairLockAcquire.operands(
      {
        lock: this.key,
        tombstone: tombstoneKey(this.key, holder),
        ...this.#queueKeys,
        twinHeartbeats: this.#twinHeartbeats,
      },
      { holder, count, leaseMs, position, ...this.notice },
    );
    return { script: acquire, operands };
  }

  override release(holder: string, { count, tombstoneMs }: ReleaseTerms): Command<ReleaseResult> {
    const operands = fairLockRelease.operands(
      { lock: this.key, tombstone: tombstoneKey(this.key, holder), ...this.#queueKeys },
      { holder, count, tombstoneMs, ...this.notice },
    );
    return { script: release, operands };
  }

  followUp(): Command<boolean> {
    const keys = { lock: this.key, ...this.#queueKeys };
    return {
      script: followUp,
      operands: fairLockFollowUp.operands(keys, this.notice),
    };
  }

  override forceRelease(request: { number: number; lowWater: number }): Command<string> {
    const keys = { lock: this.key, requests: this.requestsKey, ...this.#queueKeys };
    const args = { ...request, ...this.notice, ...allTombstones(this.key) };
    return commandOf(fairLockForceRelease, keys, args);
  }
}
