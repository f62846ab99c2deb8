import { EventEmitter } from 'eventemitter3';
import { CoordinationError } from '../../coordination-error.js';
import type { LeaseLostError } from '../../errors.js';
import { currentContext, runIn, whenSettled, type Context } from '../base/async-context.js';
import { checkTask } from '../base/arguments.js';
import { emitLater } from '../base/program-calls.js';
import { describe } from '../base/key-names.js';
import { nearest } from '../base/nearest.js';

/**
 * The kinds of object, as events and logs name them. The two sides of a read-write lock count as
 * kinds of their own.
 *
 * @example
 * ```ts
 * const waits = new Map<ObjectKind, number>();
 * client.on('acquired', ({ kind, waitedMs }) => {
 *   waits.set(kind, (waits.get(kind) ?? 0) + waitedMs);
 * });
 * ```
 */
export type ObjectKind =
  | 'lock'
  | 'fair-lock'
  | 'fenced-lock'
  | 'read-lock'
  | 'write-lock'
  | 'multi-lock'
  | 'quorum-lock'
  | 'semaphore'
  | 'permit-expirable-semaphore'
  | 'count-down-latch';

/**
 * The fields of every event about an object.
 *
 * @example
 * ```ts
 * const titleOf = ({ kind, resource }: ObjectEvent): string => `${kind} ${resource}`;
 * client.on('stalled', (event) => console.warn(titleOf(event), event.holders));
 * ```
 */
export interface ObjectEvent {
  /** Name of the object. */
  readonly resource: string;
  /** Kind of the object. */
  readonly kind: ObjectKind;
}

/**
 * The fields of every event about a hold.
 *
 * @example
 * ```ts
 * const log = (what: string, { resource, holderId }: HoldEvent): void => {
 *   console.log(what, resource, holderId);
 * };
 * client.on('acquired', (event) => log('acquired', event));
 * client.on('released', (event) => log('released', event));
 * ```
 */
export interface HoldEvent extends ObjectEvent {
  /** Holder id as stored in Redis; for permits the permit id. */
  readonly holderId: string;
}

/**
 * A current holder of an object.
 *
 * @example
 * ```ts
 * const holders: Holder[] = await client.getLock('invoice:42').holders();
 * for (const { holderId, depth, remainingMs } of holders) {
 *   console.log(holderId, depth, `${remainingMs} ms left`);
 * }
 * ```
 */
export interface Holder {
  /** Holder id as stored in Redis. */
  readonly holderId: string;
  /** Number of its holds. */
  readonly depth: number;
  /** Milliseconds left on its lease; Infinity when a key of another program has none. */
  readonly remainingMs: number;
}

/**
 * Events of a client and the arguments of their listeners.
 *
 * @example
 * ```ts
 * const warn: ClientEvents['lost'] = ({ resource, error }) => {
 *   console.warn(`${resource} was lost: ${error.reason}`);
 * };
 * client.on('lost', warn).on('error', ({ error }) => console.error(error));
 * ```
 */
export interface ClientEvents {
  /** A hold was granted. Either `released` or `lost` follows, once. */
  acquired: (event: HoldEvent & { readonly waitedMs: number }) => void;
  /**
   * A hold was released by its owner. `error` is there only for permits of a counting semaphore, which
   * have no lease: nothing is known of their release, and never will be.
   */
  released: (event: HoldEvent & { readonly heldMs: number; readonly error?: Error }) => void;
  /** A hold cannot be proven just now; its state becomes `held` again, or `lost`. */
  suspect: (
    event: HoldEvent & { readonly remainingMs: number; readonly cause: Error | undefined },
  ) => void;
  /** A hold ended while it was held, or its release found that it had; once per hold. */
  lost: (event: HoldEvent & { readonly error: LeaseLostError }) => void;
  /**
   * A wait has lasted `stalledAfterMs`; emitted again when it has lasted two, four, eight times
   * that, and so on. Waits for one object that come due within a tenth of it are reported together,
   * after a single poll. `holders` are the holders that are waited for, with what is left of their
   * leases; of hundreds only the first ones. `waiters`: how many calls of this client wait for the
   * object, this one included. While it has no listener, a wait without `waitMs` is reported once a name by
   * a warning of the process (`RedlatchWarning`, code `REDLATCH_WAIT`): a listener that does nothing silences that.
   * `uninitialised` is there, and true, for a semaphore whose number of permits nobody has set; `note`
   * where the code that waits runs in the scope of a hold that it waits for (`within: null`, or
   * `reentry: 'explicit'`). `part` is the name that a multi-lock waits for: it holds all names before that
   * one.
   */
  stalled: (
    event: ObjectEvent & {
      readonly waitedMs: number;
      readonly holders: readonly Holder[];
      readonly waiters: number;
      readonly uninitialised?: true;
      readonly note?: 'held by the scope that waits';
      readonly part?: string;
    },
  ) => void;
  /**
   * A semaphore on the server has another number of permits (`permits`) than an object of this client
   * was made with (`wanted`); the number of the server stays. Emitted once for each number of a
   * semaphore: see `getSemaphore`.
   */
  configured: (event: ObjectEvent & { readonly permits: number; readonly wanted: number }) => void;
  /**
   * A grant is kept though only `acknowledged` of `min` replicas had it in time (option `replicas` with
   * `onShortfall: 'keep'`). It follows `acquired`.
   */
  replicas: (event: HoldEvent & { readonly acknowledged: number; readonly min: number }) => void;
  /**
   * Another client waits for what is held, as its listeners (`onContended`) are told: once for each holder,
   * and for each hold that follows on the same lease.
   */
  contended: (event: HoldEvent) => void;
  /** Something failed in the background. */
  error: (event: { readonly error: Error }) => void;
}

/** What a wait is told that may be waiting for itself. */
export const HELD_AROUND = 'held by the scope that waits' as const;

const EVENTS: Readonly<Record<keyof ClientEvents, true>> = {
  acquired: true,
  released: true,
  suspect: true,
  lost: true,
  stalled: true,
  configured: true,
  replicas: true,
  contended: true,
  error: true,
};

/** Throws a TypeError for an event that there is not: its listener would never be called. */
function checkName(event: unknown): void {
  if (typeof event !== 'string' || !Object.hasOwn(EVENTS, event)) {
    const names = Object.keys(EVENTS);
    const meant = typeof event === 'string' ? `: did you mean "${nearest(event, names)}"?` : '.';
    const known = `The events are ${names.join(', ')}`;
    throw new TypeError(`there is no event ${describe(event)}${meant} ${known}`);
  }
}

/** In JSON most errors are empty, and one that refers to itself throws. */
function errorAsJson(error: Error): object {
  const { name, message } = error;
  return error instanceof CoordinationError ? error.toJSON() : { name, message };
}

/** The `toJSON` of an event with an error of any kind. */
function asJson(this: object): object {
  const fields = Object.entries(this).map(([key, value]: [string, unknown]): [string, unknown] => {
    return [key, value instanceof Error ? errorAsJson(value) : value];
  });
  return Object.fromEntries(fields);
}

type Listener = (event: never) => unknown;
/** Called with the context in which its listener was added as `this`. */
type Guard = (this: Context, payload: unknown) => void;
type Guards = Map<keyof ClientEvents, Guard>;

/** The client's events. A listener runs in the async context in which it was added, and after the code that has
 * reported the event. The error of a listener that throws becomes an `error` event, and stops nothing. */
export class Events {
  readonly #emitter = new EventEmitter<keyof ClientEvents>();
  /** The guards registered in place of each listener: one function may listen to many events. */
  readonly #guarded = new WeakMap<Listener, Guards>();

  on<E extends keyof ClientEvents>(event: E, listener: ClientEvents[E]): void {
    checkName(event);
    this.#emitter.on(event, this.#guard(event, listener), currentContext());
  }

  once<E extends keyof ClientEvents>(event: E, listener: ClientEvents[E]): void {
    checkName(event);
    this.#emitter.once(event, this.#guard(event, listener), currentContext());
  }

  off<E extends keyof ClientEvents>(event: E, listener: ClientEvents[E]): void {
    checkName(event);
    this.#emitter.off(event, this.#guard(event, listener));
  }

  /** True when the event has a listener; spares the cost of making events that none receives. */
  wanted(event: keyof ClientEvents): boolean {
    return this.#emitter.listenerCount(event) > 0;
  }

  /** Its listeners run in the order of the reports, and later: see `program-calls`. By then an event may be true
   * no more, and is not emitted. */
  report<E extends keyof ClientEvents>(
    event: E,
    payload: Parameters<ClientEvents[E]>[0],
    isTrue?: () => boolean,
  ): void {
    if ('error' in payload || 'cause' in payload) {
      // Not enumerable: the payload looks like any other.
      Object.defineProperty(payload, 'toJSON', { value: asJson });
    }
    emitLater(this.#emitter, event, payload, isTrue);
  }

  /** Calls one listener in its context, as those of this event are called. */
  call(event: keyof ClientEvents, context: Context, listener: () => unknown): void {
    this.#call(event, () => runIn(context, listener));
  }

  #guard(event: keyof ClientEvents, listener: Listener): Guard {
    checkTask('listener', listener);
    const guards: Guards = this.#guarded.get(listener) ?? new Map();
    this.#guarded.set(listener, guards);
    const call = (context: Context, payload: unknown): void => {
      const listen = (): unknown => Reflect.apply(listener, undefined, [payload]);
      this.#call(event, () => runIn(context, listen));
    };
    const guarded: Guard =
      guards.get(event) ??
      function guarded(payload) {
        call(this, payload);
      };
    guards.set(event, guarded);
    return guarded;
  }

  #call(event: keyof ClientEvents, listen: () => unknown): void {
    const report = (error: unknown): void => {
      if (event !== 'error') {
        this.report('error', { error: error instanceof Error ? error : new Error(String(error)) });
      }
    };
    try {
      const result = listen();
      if (result instanceof Promise) {
        whenSettled(result, () => {}, report);
      }
    } catch (error) {
      report(error);
    }
  }
}
