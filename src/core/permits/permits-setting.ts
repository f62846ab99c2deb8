import { checkChoice, checkInteger, INT32_MAX } from '../base/arguments.js';
import { describe } from '../base/key-names.js';
import { checkOptions, type OptionSet } from '../base/options.js';

const MISMATCHES = ['keep', 'set', 'error'] as const;

/** What is done when a semaphore on the server has another number of permits than was given. */
type OnMismatch = (typeof MISMATCHES)[number];

/**
 * How many permits a semaphore has, and what is done when the server has another number.
 *
 * @example
 * ```ts
 * const permits: PermitsSetting = { count: 5, onMismatch: 'error' };
 * const seats = client.getPermitExpirableSemaphore('seats', { permits });
 * ```
 */
export interface PermitsSetting {
  /** Number of permits, acquired ones included: 0 to 2147483647. */
  count: number;
  /**
   * When the server has another number: `keep` leaves it, and emits `configured`; `set` grows or
   * shrinks the semaphore, as `setPermits`, unless another number was stated later and is kept
   * alive, which is told by `configured`; `error` rejects the call with PermitsMismatchError, and
   * so each later one until the numbers agree, also a wait. Each object judges by its own number,
   * whatever others were made with. With `set` and `error` a first use takes one round trip more.
   * Default `keep`, the only value that a counting semaphore takes.
   */
  onMismatch?: 'keep' | 'set' | 'error' | undefined;
  /**
   * The semaphore goes, with all that is known of it, when it was not used for so many milliseconds and no
   * permit is out: 1000 to 2147483647. Each use keeps it for at least 15 s, so it does not go while somebody
   * waits. The next use of an object that was given its number makes it again, with this number. Not for a
   * semaphore that is shared with Java, whose uses do not count. A counting semaphore of which the server has
   * no record takes none: one that Java has made, or one that was not used for 30 days. By default it stays.
   * A `ttlMs` wins; of several `idleMs` the one given last counts.
   */
  idleMs?: number | undefined;
}

const IDLE_MIN_MS = 1_000;

const PERMITS = 'a number of permits, or { count, onMismatch, idleMs }';

const OPTIONS: OptionSet = {
  of: 'the getter of a semaphore',
  known: ['permits'],
  elsewhere: {
    count: `it is part of permits: ${PERMITS}`,
    onMismatch: `it is part of permits: ${PERMITS}`,
    idleMs: `it is part of permits: ${PERMITS}`,
    ttlMs: 'trySetPermits limits the life of a semaphore',
    waitMs: 'each acquisition takes its own',
    leaseMs: 'each acquisition takes its own, where permits have leases',
    signal: 'each acquisition takes its own',
  },
};

const SETTING: OptionSet = {
  of: 'permits',
  known: ['count', 'onMismatch', 'idleMs'],
  elsewhere: {
    permits: 'the number is called count here',
    ttlMs: 'trySetPermits limits the life of a semaphore',
  },
};

/** A checked setting. */
export interface CheckedSetting {
  readonly count: number;
  readonly onMismatch: OnMismatch;
  /** Undefined: it stays. */
  readonly idleMs?: number | undefined;
}

/** Checks `permits` among the options of a semaphore; undefined when it is not given. `keepsOnly`:
 * the semaphore takes no `onMismatch` but `keep`. */
export function checkPermitsSetting(
  options: unknown,
  keepsOnly: boolean,
): CheckedSetting | undefined {
  if (typeof options === 'number') {
    const got = describe(options);
    throw new TypeError(`options must be an object, got ${got}: write { permits: ${got} }`);
  }
  const { permits } = checkOptions('options', options, OPTIONS) as { permits?: unknown };
  if (permits === undefined) {
    return undefined;
  }
  if (typeof permits !== 'object' || permits === null || Array.isArray(permits)) {
    return { count: checkInteger('permits', permits, 0, INT32_MAX), onMismatch: 'keep' };
  }
  const {
    count,
    onMismatch = 'keep',
    idleMs,
  } = checkOptions('permits', permits, SETTING) as {
    count?: unknown;
    onMismatch?: unknown;
    idleMs?: unknown;
  };
  const checked = {
    count: checkInteger('permits.count', count, 0, INT32_MAX),
    onMismatch: checkChoice('permits.onMismatch', onMismatch, MISMATCHES),
    idleMs:
      idleMs === undefined
        ? undefined
        : checkInteger('permits.idleMs', idleMs, IDLE_MIN_MS, INT32_MAX),
  };
  if (keepsOnly && checked.onMismatch !== 'keep') {
    throw new RangeError(
      `permits.onMismatch must be "keep" for a counting semaphore, of whose permits the server ` +
        `stores only those that are left, got ${describe(checked.onMismatch)}`,
    );
  }
  return checked;
}
