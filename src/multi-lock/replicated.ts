import type { LeaseLostError } from '../errors.js';
import { least } from '../core/base/least.js';
import type { CheckedReplicas } from '../core/base/replicas-options.js';
import { tooFewReplicas } from '../core/leased-acquisition.js';
import { ReplicaWait, type Outcome } from '../core/replicas/replica-wait.js';
import { bindAll } from './bound.js';
import type { Asker, Part } from './ask.js';

/** The wait of a multi-lock for replicas: they have to have each lock that was taken. */
export class ReplicatedParts {
  readonly #asker: Asker;
  /** Those that were taken: re-entries are on leases that others have waited for. */
  readonly #parts: readonly Part[];
  readonly #waits: ReplicaWait[] = [];

  constructor(asker: Asker, parts: readonly Part[]) {
    this.#asker = asker;
    this.#parts = parts.filter(({ outer }) => outer === undefined);
    const { terms, lock } = asker;
    bindAll(
      parts.flatMap(({ hold }) => hold ?? []),
      terms.maxHoldMs,
      lock.locks.services.clock,
    );
  }

  /** Rejects where too few have them in time, and they are not to be kept all the same. */
  async wait({ min, timeoutMs, onShortfall }: CheckedReplicas): Promise<void> {
    const { resource, locks } = this.#asker.lock;
    const { services } = locks;
    const { clock, replicas, client } = services;
    const { waitLimit, renewed } = this.#asker.terms;
    const endsAt = Math.min(clock.now() + timeoutMs, waitLimit.endsAt);
    const outcomes = this.#parts.map(async ({ grants, hold }) => {
      const { renewal } = grants.protocol;
      return await new Promise<Outcome>((resolve) => {
        if (hold !== undefined) {
          const terms = { min, endsAt, renewed, renewal };
          this.#waits.push(new ReplicaWait(hold.lease, terms, clock, resolve));
        }
      });
    });
    waitLimit.onEnd = (ending) => {
      // At a timeout the time of these waits is up as well, and they know how many there were.
      if (ending.why !== 'timeout') {
        this.#waits.forEach((wait) => wait.failed(this.#asker.busy.errorOf(ending, undefined)));
      }
    };
    for (const wait of this.#waits) {
      replicas.start(wait);
    }
    const ended = await Promise.all(outcomes);
    const acknowledged = least(this.#waits.map((wait) => wait.acknowledged));
    const [first] = this.#parts;
    const key = first?.grants.protocol.key ?? '';
    for (const outcome of ended) {
      if (outcome.is === 'failed') {
        throw outcome.error;
      }
      if (outcome.is === 'lost' || (outcome.is === 'short' && onShortfall === 'undo')) {
        throw tooFewReplicas(services, { resource, key }, outcome, { acknowledged, min });
      }
    }
    const holderId = first?.hold?.holderId ?? '';
    const event = { resource, kind: 'multi-lock' as const, holderId, acknowledged, min };
    this.report = () => {
      if (acknowledged < min) {
        client.events.report('replicas', event);
      }
    };
  }

  /** It is kept: reports that too few have it, if that is so. */
  report: () => void = () => {};

  lost(error: LeaseLostError): void {
    for (const wait of this.#waits) {
      wait.lost(error);
    }
  }
}
