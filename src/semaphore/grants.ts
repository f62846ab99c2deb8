import { ChurnMap } from '../core/base/churn-map.js';
import type { Answered } from '../core/delivery/pending-reply.js';
import { asError } from '../core/wire/replies.js';
import type { TombstoneFollower } from '../core/delivery/tombstone.js';
import { PermitQueue } from '../core/permits/permit-queue.js';
import type { PermitWaiter } from '../core/permits/permit-source.js';
import { Statements } from '../core/permits/statements.js';
import type { WaitSpan } from '../core/observe/slow-wait.js';
import type { Request } from '../core/delivery/requests.js';
import type { EndpointServices } from '../core/endpoint-services.js';
import { INT32_MAX } from '../core/base/arguments.js';
import { GrantedPermits, type PermitsOwner } from './permits.js';
import { isOfUnknown, type ReleaseAnswer } from './answers.js';
import { provenOnly, UNPROVEN, type Returned, type SemaphoreProtocol } from './protocol.js';

/** The state that the counting semaphores of one client share. */
export class SemaphoreState {
  /** Local waiters, by key. */
  readonly queues: ChurnMap<string, PermitQueue<PermitWaiter>> = new ChurnMap();
  readonly statements: Statements = new Statements();
}

/** Looks after the permits of one semaphore from their grant to their release. */
export class SemaphoreGrants implements PermitsOwner {
  readonly services: EndpointServices;
  readonly protocol: SemaphoreProtocol;
  readonly #queues: SemaphoreState['queues'];
  /** Kept for reuse, since most acquisitions find no queue in `#queues`. */
  #ownQueue: PermitQueue<PermitWaiter> | undefined;

  constructor(services: EndpointServices, protocol: SemaphoreProtocol, state: SemaphoreState) {
    this.services = services;
    this.protocol = protocol;
    this.#queues = state.queues;
  }

  /** The local waiters of this semaphore. */
  queue(): PermitQueue<PermitWaiter> {
    const { key } = this.protocol;
    let queue = this.#queues.get(key);
    if (queue === undefined) {
      queue = this.#ownQueue ??= new PermitQueue(this.services, this.protocol, () => {
        if (this.#queues.get(key) === this.#ownQueue) {
          this.#queues.delete(key);
        }
      });
      this.#queues.set(key, queue);
    }
    return queue;
  }

  /** True when nobody has set the number of permits, as the local waiters were told last. */
  get isUninitialised(): boolean {
    return this.#queues.get(this.protocol.key)?.news.isUninitialised === true;
  }

  /** True when this client has stated the number of permits before. */
  get wasSeen(): boolean {
    return this.protocol.number?.wasSeen === true;
  }

  /** States the number of permits before a use, if that is due. It takes what there is, so no use waits for the answer. */
  declare(): undefined {
    const { number, key } = this.protocol;
    if (number?.isOpen === true) {
      this.#queues.get(key)?.numbers.stated();
      void number.before();
    }
  }

  /** Wakes the local waiters without waiting for the message with the number of permits. */
  wake(available?: number): void {
    this.#queues.get(this.protocol.key)?.wakeUp(available);
  }

  /** The number of permits was set, and `available` are left: the local waiters need not wait until
   * an answer shows it. */
  numberSet(available: number): void {
    const queue = this.#queues.get(this.protocol.key);
    if (queue !== undefined) {
      queue.news.isUninitialised = false;
      queue.wakeUp(available);
    }
  }

  /** Starts to report a wait for this semaphore as stalled; returns a function that ends this. */
  watchForStall(span: WaitSpan): () => void {
    const { resource, kind, key } = this.protocol;
    // Permits have no owner, so that the event names no holders.
    return this.services.client.slowWaits.watch(
      { id: `${kind}:${key}`, resource, kind, isUninitialised: () => this.isUninitialised },
      span,
    );
  }

  createPermits(taken: Returned, startedAt: number): GrantedPermits {
    const { services, protocol } = this;
    const grantedAt = services.clock.now();
    const permits = new GrantedPermits(this, taken, services.client.newHolderId(), grantedAt);
    if (services.client.events.wanted('acquired')) {
      const { kind, resource } = protocol;
      const waitedMs = Math.round(grantedAt - startedAt);
      services.client.events.report('acquired', {
        resource,
        kind,
        holderId: permits.holderId,
        waitedMs,
      });
    }
    return permits;
  }

  async release(permits: GrantedPermits): Promise<void> {
    const { services, protocol } = this;
    try {
      services.client.assertOpen(protocol.resource);
      await this.giveBack(permits.taken, permits);
    } catch (error) {
      // One microtask later `permits` keeps this promise, which `ended` then drops.
      await Promise.resolve();
      permits.ended(asError(error));
      throw error;
    }
    permits.ended();
  }

  announceRelease({ holderId, grantedAt }: GrantedPermits, error?: Error): void {
    const { clock, client } = this.services;
    if (client.events.wanted('released')) {
      const { kind, resource } = this.protocol;
      const heldMs = Math.round(clock.now() - grantedAt);
      const failure = error === undefined ? {} : { error };
      client.events.report('released', { resource, kind, holderId, heldMs, ...failure });
    }
  }

  async inTime(work: Promise<void>): Promise<void> {
    const { services, protocol } = this;
    services.client.assertOpen(protocol.resource);
    await services.client.inTime(work, services.client.settings.commandTimeoutMs);
  }

  failed(error: Error): void {
    this.services.client.failed(error);
  }

  tombstoneSet(answer: unknown): void {
    if (answer === UNPROVEN) {
      this.#reportUnproven();
    }
  }

  /** Nothing was given back: the server has forgotten the grant, and a release of it may have run. */
  #reportUnproven(): void {
    const { resource } = this.protocol;
    const why = 'a release of them has no answer, and their grant is not known any more';
    this.failed(new Error(`permits of "${resource}" may be lost: ${why}`));
  }

  /** Releases permits, and serves the next local waiters in the same script when it is their turn.
   * When no answer comes in time, a release with a mark goes on in the background; the number of a
   * release without one gets a tombstone. */
  giveBack(returned: Returned, follower: TombstoneFollower = this): Promise<unknown> {
    const { services, protocol } = this;
    const { key, resource } = protocol;
    const queue = this.#queues.get(key);
    const serves = queue?.takesNextRelease() === true;
    const startedAt = services.clock.now();
    const send = async (
      waiters: readonly PermitWaiter[],
      mustQueue: boolean,
      isCounted: boolean,
      given = returned,
    ): Promise<Answered<ReleaseAnswer>> => {
      const build = (request: Request) =>
        isCounted
          ? protocol.release(request, given, waiters, mustQueue)
          : protocol.giveBackGrant(given);
      const goesOn = returned.mark !== undefined;
      const setTombstone = (request: Request, mayRun: boolean) => {
        const back = mayRun ? provenOnly(given) : given;
        return protocol.settle(request, goesOn ? back : undefined, waiters);
      };
      const tombstone = { setTombstone, always: goesOn, follower, goesFirst: true };
      const answered = await services.delivery.sendOnce(resource, key, build, tombstone);
      if (answered.answer.mustCount === true) {
        const mayHaveRun = answered.call.unackedCopies > 0;
        const again = mayHaveRun ? provenOnly(given) : given;
        return await services.delivery.since(startedAt, () =>
          send(waiters, mustQueue, true, again),
        );
      }
      if (answered.answer.isUnproven === true) {
        this.#reportUnproven();
      }
      const { isRefused, isAbsent, available, exists } = answered.answer;
      if (isAbsent === true) {
        await protocol.number?.again();
        return await services.delivery.since(startedAt, () => send(waiters, mustQueue, isCounted));
      }
      if (isRefused) {
        throw outOfRange('permits', [1, INT32_MAX - available], returned.permits, available);
      }
      protocol.number?.judge(answered.answer);
      if (!serves) {
        this.wake(exists === false ? undefined : available);
      }
      return answered;
    };
    if (serves) {
      return queue.serveWith((waiters, mustQueue) => send(waiters, mustQueue, true));
    }
    // Where nothing is known of its semaphore, a release has to be counted.
    const isKnown = returned.mark !== undefined && !isOfUnknown(returned.mark);
    return send([], false, !isKnown);
  }
}

/** The error of a change after which the count would not fit into 32 bits. */
export function outOfRange(
  argument: string,
  [min, max]: readonly [number, number],
  value: number,
  available: number,
): RangeError {
  return new RangeError(
    `${argument} must be an integer from ${min} to ${max} while ${available} permits are ` +
      `available, got ${value}`,
  );
}
