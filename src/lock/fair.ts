import { commandOf, type Command, type CommandScript } from '../core/wire/call.js';
import type { ReleaseResult } from '../core/grant/release.js';
import { fairAskOf, fairKeys, fairReleaseOf, type FairKeys } from '../core/locks/fair-line.js';
import { verdictOf } from '../core/locks/lock-protocol.js';
import type { ReleaseTerms } from '../core/locks/release-terms.js';
import type { Asks } from '../core/locks/ticket.js';
import { allTombstones } from '../core/locks/tombstones.js';
import type { EndpointServices } from '../core/endpoint-services.js';
import { fairLockAcquire, fairLockForceRelease } from '../core/wire/scripts.generated.js';
import type { Position, Verdict, WaitQueue } from '../core/locks/wait-queue.js';
import { FairHandOffQueue } from './fair-hand-off-queue.js';
import { HashLockProtocol } from './protocol.js';

/** Without a ticket. */
const acquire: CommandScript<Verdict> = {
  ...fairLockAcquire,
  decode(reply) {
    const answer = fairLockAcquire.decode(reply);
    return verdictOf(answer.startsWith('+') ? null : Number(answer));
  },
};

/** The waiters of all processes have their entries in one wait queue on the server. */
export class FairLockProtocol extends HashLockProtocol {
  readonly #keys: FairKeys;

  constructor(services: EndpointServices, name: string, key: string) {
    const keys = fairKeys(key);
    super(services, 'fair-lock', name, key, keys);
    this.#keys = keys;
  }

  override get sideKeys(): readonly string[] {
    return [this.#keys.queue, this.#keys.timeouts];
  }

  override get keepsPosition(): boolean {
    return true;
  }

  override createQueue(asks: Asks): WaitQueue {
    return new FairHandOffQueue(asks, this.#keys);
  }

  override acquire(
    holder: string,
    count: number,
    leaseMs: number,
    position: Position,
  ): Command<Verdict> {
    const ask = { holder, count, leaseMs, position, windowMs: 0 };
    return fairAskOf(acquire, this.services.router, this.#keys, ask);
  }

  override release(holder: string, terms: ReleaseTerms): Command<ReleaseResult> {
    return fairReleaseOf(this.services.router, this.#keys, holder, terms);
  }

  override forceRelease(request: { number: number; lowWater: number }): Command<string> {
    const keys = { ...this.#keys, requests: this.requestsKey };
    const args = { ...request, ...this.notice, ...allTombstones(this.key) };
    return commandOf(fairLockForceRelease, keys, args);
  }
}
