import { AcquireTimeoutError, LeaseLostError, NotHeldError } from '../errors.js';
import { Face } from '../core/face.js';
import { enterAndStart } from '../core/name-entry.js';
import {
  checkLease,
  checkWaiting,
  checkInteger,
  INT32_MAX,
  type AcquireOptions,
} from '../core/base/arguments.js';
import { optionsOf, taskOf, type Task } from '../core/base/using-arguments.js';
import { describe } from '../core/base/key-names.js';
import { checkOptions } from '../core/base/options.js';
import type { Request } from '../core/delivery/requests.js';
import type { Command } from '../core/wire/call.js';
import type { EndpointServices } from '../core/endpoint-services.js';
import type { CheckedSetting } from '../core/permits/permits-setting.js';
import { viewPermits } from '../core/permits/permits-view.js';
import type { ToldPermits } from '../core/permits/told-permits.js';
import { PermitAcquisition, type PermitTerms } from './acquisition.js';
import type { PermitExpirableSemaphore } from './contract.js';
import { PermitGrants, type ExpirableSemaphoreState } from './grants.js';
import { ACQUIRING, SETTING } from './options.js';
import type { LeasedPermit, Permit } from './permit.js';
import { ExpirableSemaphoreProtocol, type PermitsView } from './protocol.js';

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
function onlyOne([permit]: readonly LeasedPermit[]): LeasedPermit {
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
  readonly #told: ToldPermits;

  constructor(
    services: EndpointServices,
    name: string,
    key: string,
    state: ExpirableSemaphoreState,
    told?: CheckedSetting,
  ) {
    super(services, new ExpirableSemaphoreProtocol(services, name, key, state.told, told));
    this.#grants = new PermitGrants(services, this.protocol, state);
    this.#told = state.told;
    if (told !== undefined) {
      this.#told.tell(key, told);
    }
  }

  protected override get label(): string {
    return 'PermitExpirableSemaphore';
  }

  async trySetPermits(permits: number, options?: { ttlMs?: number | undefined }): Promise<boolean> {
    checkInteger('permits', permits, 0, INT32_MAX);
    const { ttlMs } = checkOptions('options', options, SETTING) as { ttlMs?: unknown };
    const life = ttlMs === undefined ? 0 : checkInteger('ttlMs', ttlMs, 1, INT32_MAX);
    const { key } = this.protocol;
    const isSet = await this.#told.changing(key, () =>
      this.#change((request) => this.protocol.trySet(request, permits, life)),
    );
    if (isSet) {
      this.#told.overruled(key);
    }
    this.#grants.numberSet();
    return isSet;
  }

  async setPermits(permits: number): Promise<void> {
    checkInteger('permits', permits, 0, INT32_MAX);
    const { key } = this.protocol;
    await this.#told.changing(key, () =>
      this.#change((request) => this.protocol.resize(request, 'to', permits)),
    );
    this.#told.overruled(key);
    this.#grants.numberSet();
  }

  async addPermits(delta: number): Promise<void> {
    checkInteger('delta', delta, INT32_MIN, INT32_MAX);
    const done = await this.#told.changing(this.protocol.key, () =>
      this.#change((request) => this.protocol.resize(request, 'by', delta)),
    );
    if (!done) {
      const range = `from ${INT32_MIN} to ${INT32_MAX}`;
      throw new RangeError(
        `delta must keep the permits of ${JSON.stringify(this.name)} ${range}, got ${delta}`,
      );
    }
    this.#grants.numberSet();
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
    let result: T;
    try {
      result = await task(permit);
    } catch (error) {
      // The task's own error wins over an error of the release.
      await permit[Symbol.asyncDispose]();
      throw error;
    }
    await permit.release();
    return result;
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
        (_, deletion) => this.#grants.deleted(deletion),
      );
      this.#grants.deleted(call);
      this.#told.absent(this.protocol.key);
      return count === 1;
    };
    return await this.#told.changing(this.protocol.key, () => this.inUse(work, () => true));
  }

  async #inspect(): Promise<PermitsView> {
    return await this.inUse(
      () => this.#view(),
      ({ exists }) => !exists,
    );
  }

  #view(): Promise<PermitsView> {
    const { services, protocol } = this;
    return viewPermits(services.delivery, protocol, (request) => protocol.cancel(request));
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

  async #tryAcquire(
    count: number,
    options: AcquireOptions | undefined,
  ): Promise<LeasedPermit[] | null> {
    try {
      return await this.#acquire(count, options, false);
    } catch (error) {
      if (error instanceof AcquireTimeoutError) {
        return null;
      }
      throw error;
    }
  }

  #acquire(count: number, given: unknown, waiting: boolean): Promise<LeasedPermit[]> {
    try {
      checkInteger('count', count, 1, COUNT_MAX);
      const options = checkOptions('options', given, ACQUIRING);
      const { waitMs, signal } = checkWaiting(options);
      const { leaseMs, renewed } = checkLease(options, this.services.client.settings.leaseMs);
      this.services.client.assertOpen(this.name);
      signal?.throwIfAborted();
      // Only `acquire` without `waitMs` has no limit; a single attempt lasts as long as a command.
      const waits = waitMs === undefined ? waiting : waitMs > 0;
      const limitMs = waits ? waitMs : this.services.client.settings.commandTimeoutMs;
      const waitLimit = this.services.client.waitLimit({ limitMs, signal });
      const terms = { count, leaseMs, renewed, waits, waitLimit };
      return enterAndStart(this.#grants, terms, start);
    } catch (error) {
      return Promise.reject(error);
    }
  }
}

function start(grants: PermitGrants, terms: PermitTerms): Promise<LeasedPermit[]> {
  return new Promise((resolve, reject) => {
    new PermitAcquisition(grants, terms, resolve, reject).start();
  });
}
