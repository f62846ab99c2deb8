import type { ClientEvents } from '../core/observe/events.js';
import type { Lock } from '../core/locks/lock-face.js';
import { objectKey } from '../core/base/key-names.js';
import { ClientFace } from '../core/client-face.js';
import { ClientServices } from '../core/client-services.js';
import { systemEnvironment, type Environment } from '../core/connection/environment.js';
import { refuseOptions } from '../client-options.js';
import { guaranteesOfQuorum, type Guarantees } from '../guarantees/guarantees.js';
import type { FencedLock } from '../lock/lock.js';
import { checkFenced } from '../multi-lock/options.js';
import { locksInOrder, namedLock, type NamedLock } from '../multi-lock/names.js';
import type { MultiLock } from '../multi-lock/multi-lock.js';
import type { MultiHoldFace } from '../multi-lock/multi-hold.js';
import { anyHold, asFenced, type AsGranted } from './granted.js';
import { QuorumLockFace } from './lock.js';
import { quorumName, type QuorumName } from './names.js';
import { readQuorumOptions, type CheckedQuorumOptions, type QuorumOptions } from './options.js';
import { QuorumServices } from './quorum-services.js';

/**
 * Makes locks that a majority of independent servers holds, and owns their connections, leases and waits.
 *
 * @example
 * ```ts
 * await using client = createQuorumClient({
 *   servers: ['redis://redis-1:6379', 'redis://redis-2:6379', 'redis://redis-3:6379'],
 * });
 * await client.getLock('invoice:42').using(async (hold) => {
 *   await work(hold.signal);
 * });
 * ```
 */
export interface QuorumClient extends AsyncDisposable {
  /** UUID v4, fresh per client. */
  readonly id: string;
  /** A reentrant lock: each server has an ordinary lock of this name, and a majority decides. */
  getLock(name: string): Lock;
  /** A reentrant lock whose holds carry a fencing token: larger than every earlier one of a majority, as long as the
   * clocks of the servers differ by less than `maxLeaseMs`. It takes a round trip more. */
  getFencedLock(name: string): FencedLock;
  /**
   * Several names that are locked together, all or none on each server.
   * @param names - 1 to 100 different names, in any order.
   * @throws TypeError for a name twice (`y` and `{y}` are one), RangeError for none or too many.
   */
  getMultiLock(names: readonly string[], options?: { fenced?: boolean | undefined }): MultiLock;
  /** Adds a listener; see ClientEvents. */
  on<E extends keyof ClientEvents>(event: E, listener: ClientEvents[E]): this;
  /** Adds a listener for the next event only. */
  once<E extends keyof ClientEvents>(event: E, listener: ClientEvents[E]): this;
  /** Removes a listener. */
  off<E extends keyof ClientEvents>(event: E, listener: ClientEvents[E]): this;
  /**
   * Reports what the servers of this client give together: see `Client.guarantees`.
   * @throws CommandTimeoutError where one of them cannot be reached within `commandTimeoutMs`.
   */
  guarantees(): Promise<Guarantees>;
  /** Like `Client.close`. */
  close(options?: { timeoutMs?: number | undefined }): Promise<void>;
}

const NO_COUNTER = 'a majority of counters is no counter';

/** For programs that come from a client of one server. */
function notOfQuorum(what: string, why: string): TypeError {
  return new TypeError(`there is no ${what} over a quorum: ${why}. Make one with createClient`);
}

class RedlatchQuorumClient extends ClientFace implements QuorumClient {
  readonly #quorum: QuorumServices;
  readonly #keyPrefix: string;

  constructor(options: CheckedQuorumOptions, environment: Environment) {
    const { clock, random } = environment;
    const client = new ClientServices(random.uuid(), options.settings, clock, random);
    super(client);
    this.#quorum = new QuorumServices(client, environment, options);
    this.#keyPrefix = options.keyPrefix;
  }

  protected override get label(): string {
    return 'QuorumClient';
  }

  override toJSON(): object {
    const state = this.stateName;
    return {
      id: this.id,
      state,
      servers: this.#quorum.members.all.length,
      holds: this.#quorum.holdCount,
    };
  }

  getLock(name: string, extra?: unknown): Lock {
    refuseOptions('getLock', extra);
    return this.#lockOf([this.#named(name, false)], false, anyHold);
  }

  getFencedLock(name: string, extra?: unknown): FencedLock {
    refuseOptions('getFencedLock', extra);
    return this.#lockOf([this.#named(name, true)], true, asFenced);
  }

  getMultiLock(names: readonly string[], options?: { fenced?: boolean | undefined }): MultiLock {
    const fenced = checkFenced(options);
    const lockOf = (name: unknown): NamedLock<QuorumName> => namedLock(this.#named(name, fenced));
    return this.#lockOf(locksInOrder(names, lockOf), fenced, anyHold);
  }

  #named(name: unknown, fenced: boolean): QuorumName {
    return quorumName(this.id, String(name), objectKey(this.#keyPrefix, name), fenced);
  }

  #lockOf<G extends MultiHoldFace>(
    names: readonly QuorumName[],
    fenced: boolean,
    asGranted: AsGranted<G>,
  ): QuorumLockFace<G> {
    return new QuorumLockFace(this.#quorum, names, fenced, asGranted);
  }

  getFairLock(): never {
    throw notOfQuorum('fair lock', 'a queue in order is on one server');
  }

  getReadWriteLock(): never {
    throw notOfQuorum(
      'read-write lock',
      'a majority of readers need not be that which a writer has asked',
    );
  }

  getSemaphore(): never {
    throw notOfQuorum('semaphore', NO_COUNTER);
  }

  getPermitExpirableSemaphore(): never {
    throw notOfQuorum('semaphore', NO_COUNTER);
  }

  getCountDownLatch(): never {
    throw notOfQuorum('count-down latch', NO_COUNTER);
  }

  async guarantees(): Promise<Guarantees> {
    return await guaranteesOfQuorum(this.#quorum.members.all.map(({ services }) => services));
  }

  protected override async giveBack(): Promise<void> {
    await this.#quorum.releaseAll();
    const members = this.#quorum.members.all;
    await Promise.all(members.map(({ services }) => services.delivery.cleanedUp()));
  }

  protected override shutDown(): void {
    this.#quorum.shutDown();
  }
}

/**
 * Makes a client whose locks are held by a majority of 3 to 9 independent servers; synchronous, it connects in the
 * background. A semaphore, a latch or a fair lock over a quorum there is not: a majority of counters is no counter.
 *
 * Algorithm: Redlock (Sanfilippo), with what a majority cannot prove left out: a server that was restarted does not
 * vote until the longest lease has passed, and a hold is proven by deadlines that count from before each ask.
 * @throws TypeError or RangeError for options that cannot be: nothing is connected to then.
 *
 * @example
 * ```ts
 * const servers = ['redis://redis-1:6379', 'redis://redis-2:6379', 'redis://redis-3:6379'];
 * const client = createQuorumClient({ servers, leaseMs: 10_000 });
 * await client.close();
 * ```
 */
export function createQuorumClient(options: QuorumOptions): QuorumClient {
  return createQuorumClientOn({}, options);
}

/** `createQuorumClient` with parts of the environment that a test makes. Not exported by the package. */
export function createQuorumClientOn(
  environment: Partial<Environment>,
  options: QuorumOptions,
): QuorumClient {
  const whole = { ...systemEnvironment(), ...environment };
  return new RedlatchQuorumClient(readQuorumOptions(options), whole);
}
