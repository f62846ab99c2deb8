import type { Answered } from '../core/asked.js';
import { PermitQueue } from '../core/permit-queue.js';
import type { PermitWaiter } from '../core/permit-source.js';
import type { Request } from '../core/requests.js';
import type { Runtime } from '../core/runtime.js';
import { INT32_MAX } from '../core/validate.js';
import { GrantedPermits } from './permits.js';
import type { PermitsOwner } from './permits.js';
import type { ReleaseAnswer, SemaphoreProtocol } from './protocol.js';

/** The local waiters of all semaphores of one client, by key. */
export type SemaphoreQueues = Map<string, PermitQueue<PermitWaiter>>;

/** Looks after the permits of one semaphore from their grant to their release. */
export class SemaphoreKeeper implements PermitsOwner {
  readonly runtime: Runtime;
  readonly protocol: SemaphoreProtocol;
  readonly #queues: SemaphoreQueues;

  constructor(runtime: Runtime, protocol: SemaphoreProtocol, queues: SemaphoreQueues) {
    this.runtime = runtime;
    this.protocol = protocol;
    this.#queues = queues;
  }

  /** The local waiters of this semaphore. */
  queue(): PermitQueue<PermitWaiter> {
    const { key } = this.protocol;
    let queue = this.#queues.get(key);
    if (queue === undefined) {
      queue = new PermitQueue(this.runtime, this.protocol, () => this.#queues.delete(key));
      this.#queues.set(key, queue);
    }
    return queue;
  }

  /** Local waiters need not wait for the message. */
  wake(): void {
    this.#queues.get(this.protocol.key)?.hint();
  }

  createPermits(count: number, startedAt: number): GrantedPermits {
    const { runtime, protocol } = this;
    const grantedAt = runtime.clock.now();
    const permits = new GrantedPermits(this, count, runtime.newHolderId(), grantedAt);
    if (runtime.events.wanted('acquired')) {
      const { kind, resource } = protocol;
      const waitedMs = Math.round(grantedAt - startedAt);
      runtime.events.emit('acquired', { resource, kind, holderId: permits.holderId, waitedMs });
    }
    return permits;
  }

  async release(permits: GrantedPermits): Promise<void> {
    const { runtime, protocol } = this;
    runtime.assertOpen(protocol.resource);
    await this.giveBack(permits.count, true);
    if (runtime.events.wanted('released')) {
      const { kind, resource } = protocol;
      const { holderId, grantedAt } = permits;
      const heldMs = Math.round(runtime.clock.now() - grantedAt);
      runtime.events.emit('released', { resource, kind, holderId, heldMs });
    }
  }

  failed(error: Error): void {
    this.runtime.failed(error);
  }

  /** Releases `count` permits, and serves the next local waiters in the same step when it is their
   * turn. Out of time it goes on behind, or is made never to happen. */
  async giveBack(count: number, goesOn: boolean): Promise<void> {
    const { runtime, protocol } = this;
    const { key, resource } = protocol;
    const send = async (
      waiters: readonly PermitWaiter[],
      mustQueue: boolean,
    ): Promise<Answered<ReleaseAnswer>> => {
      const build = (request: Request) => protocol.release(request, count, waiters, mustQueue);
      const burn = (request: Request) => protocol.settle(request, goesOn ? count : 0);
      const answered = await runtime.delivery.counted(resource, key, build, {
        burn,
        always: goesOn,
      });
      const { isRefused, available } = answered.answer;
      if (isRefused) {
        throw outOfRange('permits', [1, INT32_MAX - available], count, available);
      }
      return answered;
    };
    const queue = this.#queues.get(key);
    if (queue?.takesNextRelease() === true) {
      await queue.serveWith(send);
    } else {
      await send([], false);
      this.wake();
    }
  }
}

/** The error of a change that would leave the 32 bits that a semaphore has. */
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
