import { LeaseLostError, NotHeldError } from '../errors.js';
import { orNull } from '../core/acquisition.js';
import { Face } from '../core/face.js';
import { enterAndStart } from '../core/names.js';
import {
  checkLease,
  checkMaxWaiters,
  checkWaiting,
  checkInteger,
  INT32_MAX,
  type AcquireOptions,
} from '../core/base/arguments.js';
import { checkLife } from '../core/base/life.js';
import { optionsOf, releasedAfter, taskOf, type Task } from '../core/base/using-arguments.js';
import { describe } from '../core/base/key-names.js';
import { checkOptions } from '../core/base/options.js';
import type { Request } from '../core/delivery/requests.js';
import type { Command } from '../core/wire/call.js';
import { checkReplicas } from '../core/replicas/check-replicas.js';
import type { EndpointServices } from '../core/endpoint-services.js';
import type { CheckedSetting } from '../core/permits/permits-setting.js';
import { viewPermits } from '../core/permits/permits-view.js';
import { PermitAcquisition, type PermitTerms } from './acquisition.js';
import type { PermitExpirableSemaphore } from './contract.js';
import { GrantFace } from '../core/grant/grant-face.js';
import { PermitGrants, type ExpirableSemaphoreState } from './grants.js';
import { ACQUIRING, ITS_OWN_LEASE } from './options.js';
import type { Permit, PermitFace } from './permit.js';
import type { PermitsView } from './answers.js';
import { ExpirableSemaphoreProtocol } from './protocol.js';

/** Maximum of one call: the server grants all in one step, which must be short. */
const COUNT_MAX = 1_000;

const INT32_MIN = -INT32_MAX - 1;

/** Checks the form of a permit id. */
function checkId(value: unknown): string {
  if (typeof value !== 'string') {
    throw new TypeError(`permitId must be a string, got ${describe(value)}`);
  }
  if (!/^[0-9a-f]{32}$/.test(value)) {
    throw new RangeError(`permitId must be 32 lower-case hex digits, got ${describe(value)}`);
  }
  return value;
}

/** The only permit of a grant of one. */
function onlyOne([permit]: readonly PermitFace[]): PermitFace {
  if (permit === undefined) {
    throw new TypeError('a grant of one permit was empty');
  }
  return permit;
}

/** The face of one permit-expirable semaphore. */
export class PermitExpirableSemaphoreFace
  extends Face<ExpirableSemaphoreProtocol>
  implements PermitExpirableSemaphore
{
  readonly #grants: PermitGrants;

  constructor(
    services: EndpointServices,
    name: string,
    key: string,
    state: ExpirableSemaphoreState,
    setting?: CheckedSetting,
  ) {
    super(services, new ExpirableSemaphoreProtocol(services, name, key, state.statements, setting));
    this.#grants = new PermitGrants(services, this.protocol, state);
  }

  protected override get label(): string {
    return 'PermitExpirableSemaphore';
  }

  async trySetPermits(permits: number, options?: { ttlMs?: number | undefined }): Promise<boolean> {
    checkInteger('permits', permits, 0, INT32_MAX);
    const life = checkLife('trySetPermits', options, ITS_OWN_LEASE);
    const { protocol } = this;
    const set = (): Promise<boolean> =>
      this.#change((request) => protocol.trySet(request, permits, life));
    const isSet = await (protocol.number?.overruling(permits, set) ?? set());
    this.#grants.numberSet();
    return isSet;
  }

  async setPermits(permits: number): Promise<void> {
    checkInteger('permits', permits, 0, INT32_MAX);
    const { protocol } = this;
    const set = (): Promise<boolean> =>
      this.#change((request) => protocol.resize(request, 'to', permits));
    await (protocol.number?.overruling(permits, set) ?? set());
    this.#grants.numberSet();
  }

  async addPermits(delta: number): Promise<void> {
    checkInteger('delta', delta, INT32_MIN, INT32_MAX);
    const { clock, delivery } = this.services;
    const startedAt = clock.now();
    const add = async (): Promise<number> => {
      const agreed = this.#grants.declare(true);
      if (agreed !== undefined) {
        await agreed;
      }
      const { count } = await delivery.since(startedAt, () =>
        this.countOnce((request) => this.protocol.resize(request, 'by', delta)),
      );
      if (count < 0) {
        await this.protocol.number?.again();
        return await add();
      }
      return count;
    };
    if ((await this.inUse(add)) === 0) {
      const range = `from ${INT32_MIN} to ${INT32_MAX}`;
      throw new RangeError(
        `delta must keep the permits of ${JSON.stringify(this.name)} ${range}, got ${delta}`,
      );
    }
    this.protocol.number?.added(delta);
    this.#grants.numberSet();
    this.#grants.wake();
  }

  async totalPermits(): Promise<number> {
    const { available, acquired } = await this.#inspect();
    return available + acquired;
  }

  async availablePermits(): Promise<number> {
    const { available } = await this.#inspect();
    return available;
  }

  async acquiredPermits(): Promise<number> {
    const { acquired } = await this.#inspect();
    return acquired;
  }

  async acquire(options?: AcquireOptions): Promise<Permit> {
    return onlyOne(await this.#acquire(1, options, true));
  }

  async tryAcquire(options?: AcquireOptions): Promise<Permit | null> {
    const permits = await this.#tryAcquire(1, options);
    return permits?.[0] ?? null;
  }

  async acquireMany(count: number, options?: AcquireOptions): Promise<Permit[]> {
    return await this.#acquire(count, options, true);
  }

  async tryAcquireMany(count: number, options?: AcquireOptions): Promise<Permit[] | null> {
    return await this.#tryAcquire(count, options);
  }

  using<T>(options: AcquireOptions | undefined, task: Task<Permit, T>): Promise<T>;
  using<T>(task: Task<Permit, T>, options?: AcquireOptions): Promise<T>;
  async using<T>(
    first: Task<Permit, T> | AcquireOptions | undefined,
    second?: Task<Permit, T> | AcquireOptions,
  ): Promise<T> {
    const task = taskOf(first, second);
    const permit = onlyOne(await this.#acquire(1, optionsOf(first, second), true));
    // A task that waits for ever, on nothing that ends, may be collected with this call: the permit is not lost then.
    GrantFace.keep(permit);
    return await releasedAfter(permit, () => task(permit));
  }

  async release(permitId: string): Promise<void> {
    if (!(await this.tryRelease(permitId))) {
      const message = `the permit ${permitId} of "${this.name}" is unknown or has expired`;
      throw new NotHeldError(message, { resource: this.name });
    }
  }

  async tryRelease(permitId: string): Promise<boolean> {
    const id = checkId(permitId);
    const permit = this.#grants.find(id);
    if (permit === undefined) {
      return await this.#change((request) => this.protocol.releaseAny(request, id));
    }
    try {
      await permit.release();
      return true;
    } catch (error) {
      if (error instanceof LeaseLostError) {
        return false;
      }
      throw error;
    }
  }

  async updateLease(permitId: string, leaseMs: number): Promise<boolean> {
    const id = checkId(permitId);
    checkInteger('leaseMs', leaseMs, 1, INT32_MAX);
    return await this.inUse(async () => {
      const isSet = await this.#grants.updateLease(id, leaseMs);
      this.#grants.wake();
      return isSet;
    });
  }

  async delete(): Promise<boolean> {
    const work = async (): Promise<boolean> => {
      const { count, call } = await this.countOnce(
        (request) => this.protocol.delete(request),
        (deleted, deletion) => {
          if (deleted !== undefined) {
            this.#grants.deleted(deletion);
          }
        },
      );
      this.#grants.deleted(call);
      return count === 1;
    };
    return await this.inUse(work);
  }

  async #inspect(): Promise<PermitsView> {
    return await this.inUse(() => this.#view());
  }

  #view(): Promise<PermitsView> {
    return viewPermits(this.services.delivery, this.protocol);
  }

  async #change(build: (request: Request) => Command<string>): Promise<boolean> {
    return await this.inUse(() => this.#count(build));
  }

  /** Makes a counted call, and then wakes the local waiters. */
  async #count(build: (request: Request) => Command<string>): Promise<boolean> {
    const { count } = await this.countOnce(build);
    this.#grants.wake();
    return count === 1;
  }

  #tryAcquire(count: number, options: AcquireOptions | undefined): Promise<PermitFace[] | null> {
    return orNull(this.#acquire(count, options, false));
  }

  #acquire(count: number, given: unknown, waiting: boolean): Promise<PermitFace[]> {
    try {
      checkInteger('count', count, 1, COUNT_MAX);
      const options = checkOptions('options', given, ACQUIRING);
      const { client } = this.services;
      const { settings } = client;
      const { waitMs, signal } = checkWaiting(options, waiting ? settings.waitMs : 0);
      const { leaseMs, renewed, maxHoldMs } = checkLease(options, settings.leaseMs);
      const replicas = checkReplicas(options, settings.replicas);
      const maxWaiters = checkMaxWaiters(options, settings.maxWaiters);
      client.assertOpen(this.name);
      signal?.throwIfAborted();
      // A single attempt lasts as long as a command.
      const waits = waitMs !== 0;
      const limitMs = waits ? waitMs : settings.commandTimeoutMs;
      const waitLimit = client.waitLimit({ limitMs, signal, rejects: waiting });
      const own = { leaseMs, renewed, maxHoldMs, replicas, waits, waitLimit, maxWaiters };
      const terms = { count, ...own };
      return enterAndStart(this.#grants, terms, start);
    } catch (error) {
      return Promise.reject(error);
    }
  }
}

function start(grants: PermitGrants, terms: PermitTerms): Promise<PermitFace[]> {
  return new Promise((resolve) => {
    new PermitAcquisition(grants, terms, resolve).start();
  });
}
