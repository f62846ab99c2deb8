import { ReplicasError } from '../errors.js';
import { Acquisition, type Acquired, type WaitTerms } from './acquisition.js';
import type { LeaseTerms } from './base/arguments.js';
import type { CheckedReplicas } from './base/replicas-options.js';
import type { Lease } from './lease/lease.js';
import type { Renewal } from './lease/renewal.js';
import { ReplicaWait, type Outcome } from './replicas/replica-wait.js';

/** The checked arguments of an acquisition of what has a lease. */
export interface LeasedTerms extends LeaseTerms, WaitTerms {
  /** How many replicas have to have the grant; undefined: none. */
  readonly replicas: CheckedReplicas | undefined;
}

/** An object whose grants have leases. */
export interface LeasedAcquired extends Acquired {
  readonly protocol: Acquired['protocol'] & { readonly renewal: Renewal };
}

/** What becomes of leases that wait for replicas. */
export interface Fate<T> {
  /** Makes of them what the caller gets, and reports that it was granted. */
  grant(): T;
  /** Gives back those that are not lost. Nobody was told of them. */
  undo(): void;
}

/** One call that acquires what has a lease. If it wants replicas, it is settled when so many have the grant. */
export abstract class LeasedAcquisition<
  T,
  Terms extends LeasedTerms,
  A extends LeasedAcquired,
> extends Acquisition<T, Terms, A> {
  /** The server has granted these leases in one step, and they are about to be kept: replicas are to have `lease`,
   * which stands for all of them. */
  protected awaitReplicas(
    lease: Lease,
    leases: readonly Lease[],
    replicas: CheckedReplicas,
    fate: Fate<T>,
  ): void {
    const { services, protocol } = this.grants;
    const { waitLimit, renewed } = this.terms;
    const endsAt = Math.min(services.clock.now() + replicas.timeoutMs, waitLimit.endsAt);
    const terms = { min: replicas.min, endsAt, renewed, renewal: protocol.renewal };
    const wait = new ReplicaWait(lease, terms, services.clock, (outcome) => {
      leases.forEach((each) => each.remove(wait));
      this.#settle(fate, leases, wait, outcome);
    });
    for (const each of leases) {
      each.holders = [wait];
      each.bind(wait, this.terms.maxHoldMs, each.sentAt);
    }
    this.taken((ending) => {
      // At a timeout the time of the wait is up as well, and it knows how many there were.
      if (ending.why !== 'timeout') {
        wait.failed(services.client.errorOf(ending, protocol.resource, () => this.contention()));
      }
    });
    services.replicas.start(wait);
  }

  #settle(
    fate: Fate<T>,
    leases: readonly Lease[],
    { acknowledged, terms: { min } }: ReplicaWait,
    outcome: Outcome,
  ): void {
    const isKept = outcome.is === 'short' && this.terms.replicas?.onShortfall === 'keep';
    if (outcome.is === 'enough' || isKept) {
      const granted = fate.grant();
      if (isKept) {
        const { events } = this.grants.services.client;
        for (const { identity } of leases) {
          const { resource, kind, holderId } = identity;
          events.report('replicas', { resource, kind, holderId, acknowledged, min });
        }
      }
      this.succeed(granted);
      return;
    }
    fate.undo();
    const { services, protocol } = this.grants;
    this.undone(
      outcome.is === 'failed'
        ? outcome.error
        : tooFewReplicas(services, protocol, outcome, { acknowledged, min }),
    );
  }
}

/** The error of a grant that too few replicas had. */
export function tooFewReplicas(
  services: Acquired['services'],
  { resource, key }: { readonly resource: string; readonly key: string },
  outcome: Outcome & { is: 'short' | 'lost' },
  { acknowledged, min }: { readonly acknowledged: number; readonly min: number },
): ReplicasError {
  const when = outcome.is === 'lost' ? 'when it was lost' : 'in time, so it was released';
  const message = `the grant of "${resource}" had ${acknowledged} of ${min} replicas ${when}`;
  const cause = outcome.cause ?? services.router.whyDown(key, min);
  return new ReplicasError(message, acknowledged, min, { resource, cause });
}
