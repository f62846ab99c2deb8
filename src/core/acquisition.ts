import { soon } from './base/async-context.js';
import { translate } from './delivery/translate.js';
import { AcquireTimeoutError, CommandTimeoutError, OutcomeUnknownError } from '../errors.js';
import { TooManyWaitersError } from '../waiters-error.js';
import { failing, unseen } from './base/failing.js';
import { REPLY_ERROR } from './base/redactor.js';
import type { EndpointServices } from './endpoint-services.js';
import { Linked } from './base/linked-list.js';
import { LateGrants } from './lease/late-grants.js';
import type { ObjectProtocol } from './object-protocol.js';
import type { WaitSpan } from './observe/slow-wait.js';
import type { AskState } from './waiting/contention.js';
import { oneTooMany, type MaxWaiters } from './waiting/max-waiters.js';
import type { Ending, WaitLimit } from './waiting/wait-limit.js';
import type { PendingCall } from './wire/call.js';
import { asError } from './wire/replies.js';

/** The checked arguments that all acquisitions have. */
export interface WaitTerms {
  /** False: one attempt, no waiting. */
  readonly waits: boolean;
  readonly waitLimit: WaitLimit;
  readonly maxWaiters: MaxWaiters;
}

/** The object that is acquired. */
export interface Acquired {
  readonly services: EndpointServices;
  readonly protocol: ObjectProtocol<EndpointServices>;
  /** Reports a wait that lasts long; returns a function that stops watching. */
  watchForStall(span: WaitSpan): () => void;
}

/** The local queue of an object: it asks the server, and tells its waiters what they were granted. */
export interface LocalQueue<W> {
  /** Whether its waiters wait for others, or for the server. */
  readonly contention: AskState;
  /** How many wait that the server has refused, or that came behind one that it had. */
  readonly waiting: number;
  join(waiter: W): void;
  /** The waiter gives up: the queue takes back what its asks may leave on the server. */
  leave(waiter: W): void;
}

/** Resolves with null where others have what was to be acquired, or too many wait for it. */
export async function orNull<T>(acquiring: Promise<T>): Promise<T | null> {
  try {
    return await acquiring;
  } catch (error) {
    if (error instanceof AcquireTimeoutError || error instanceof TooManyWaitersError) {
      return null;
    }
    throw error;
  }
}

/** Whether a call has failed for want of an answer only. */
export const isWithoutAnswer = (error: unknown): boolean =>
  error instanceof CommandTimeoutError || error instanceof OutcomeUnknownError;

/** The answer of the server by which a call without an outcome was refused, if it was. */
function refusalOf(error: unknown): Error | undefined {
  const cause = error instanceof Error ? error.cause : undefined;
  if (isWithoutAnswer(cause)) {
    return refusalOf(cause);
  }
  return cause instanceof Error && cause.name === REPLY_ERROR ? cause : undefined;
}

/**
 * One call that acquires: it waits in a local queue until that has been granted what it wants, or
 * until its wait ends. It settles its promise, and asks the server nothing.
 */
export abstract class Acquisition<T, Terms extends WaitTerms, A extends Acquired> extends Linked {
  protected readonly grants: A;
  protected readonly terms: Terms;
  protected isOver = false;
  readonly #resolve: (granted: T | Promise<never>) => void;
  #queue: LocalQueue<this> | undefined;
  /** It has joined its queue, or waits until it may. */
  #hasBegun = false;
  #stopWatching: (() => void) | undefined;
  #late: LateGrants | undefined;
  /** Why the server has refused what has to be agreed on before it is asked. */
  #refusal: Error | undefined;

  /** Settles by `resolve`, which gets what was granted, or what rejects: with AcquireTimeoutError on contention, else
   * with another error. The name counts as used from before this until it fails or what it was granted ends. */
  constructor(grants: A, terms: Terms, resolve: (granted: T | Promise<never>) => void) {
    super();
    this.grants = grants;
    this.terms = terms;
    this.#resolve = resolve;
  }

  start(): void {
    const { waitLimit, maxWaiters } = this.terms;
    if (waitLimit.ending !== undefined) {
      this.#end(waitLimit.ending);
      return;
    }
    waitLimit.onEnd = (ending) => this.#end(ending);
    if (maxWaiters !== undefined && this.waits) {
      const waiters = this.present?.waiting ?? 0;
      const tooMany = oneTooMany(this.grants.protocol.resource, waiters, maxWaiters);
      if (tooMany !== undefined) {
        this.#fail(tooMany);
        return;
      }
    }
    this.#hasBegun = true;
    const agreement = this.agreement();
    if (agreement === undefined) {
      this.#join();
    } else {
      void this.#joinLater(agreement);
    }
  }

  /** The queue is looked up only here: it goes when nobody waits in it. */
  #join(): void {
    this.#queue = this.localQueue();
    this.#queue.join(this);
  }

  /** Goes on through outages, as an ask does. */
  async #joinLater(agreement: Promise<unknown>): Promise<void> {
    for (let open: Promise<unknown> | undefined = agreement; open !== undefined;) {
      try {
        await open;
        this.#refusal = undefined;
        break;
      } catch (error) {
        if (!isWithoutAnswer(error)) {
          this.failed(asError(error));
        }
        this.#refusal = refusalOf(error);
        open = this.isOver ? undefined : this.agreement();
      }
    }
    if (!this.isOver) {
      this.#join();
    }
  }

  /** The server is asked when this has resolved; most acquisitions wait for nothing. */
  protected agreement(): Promise<unknown> | undefined {
    return undefined;
  }

  /** It was told that it has to wait. */
  get isBlocked(): boolean {
    return this.#stopWatching !== undefined;
  }

  get waits(): boolean {
    return this.terms.waits;
  }

  /** It waits behind others here, whether or not the server has been asked for it. */
  queued(): void {
    this.#stopWatching ??= this.watchForStall();
  }

  /** It has to wait: the server has said so. */
  blocked(): void {
    this.queued();
  }

  /** It has to wait, and does not. */
  refused(): void {
    this.#fail(this.contention());
  }

  /** The call that asked for it has failed. */
  failed(error: Error): void {
    this.#fail(translate(error, this.grants.protocol.resource));
  }

  /** The queue to join at once. */
  protected abstract localQueue(): LocalQueue<this>;

  /** The queue as it is without this waiter, where there is one. */
  protected get present(): Pick<LocalQueue<this>, 'waiting' | 'contention'> | undefined {
    return this.localQueue();
  }

  protected watchForStall(): () => void {
    return this.grants.watchForStall(this.terms.waitLimit);
  }

  /** The error of a wait for somebody else, which has lasted too long. */
  protected abstract contention(): Error;

  /** This client has what it waits for, and proof of that: its waiters ask nobody. */
  protected get isHeldHere(): boolean {
    return false;
  }

  protected get waitedMs(): number {
    return this.grants.services.clock.now() - this.terms.waitLimit.startedAt;
  }

  /** A grant came when its lease was over: what it gave is taken back, and asked for anew, unless that has
   * happened too often. */
  cameTooLate({ lastSentAt }: Pick<PendingCall, 'lastSentAt'>, leaseMs: number): void {
    const { services, protocol } = this.grants;
    const { resource } = protocol;
    const roundTripMs = services.clock.now() - lastSentAt;
    this.#late ??= new LateGrants();
    const error = this.#late.add({ resource, leaseMs, roundTripMs });
    if (error !== undefined) {
      // The queue that has brought the grant finds its waiter as it was.
      soon(() => this.failed(error));
    }
  }

  /** It was granted what it wants, and is not settled yet: nobody is in the way any more. */
  protected taken(onEnd: (ending: Ending) => void): void {
    this.#stopWatching?.();
    this.#stopWatching = undefined;
    this.terms.waitLimit.onEnd = onEnd;
  }

  /** What it was granted is taken back. */
  protected undone(error: unknown): void {
    this.#finish();
    this.#reject(error);
  }

  /** It was granted what it wants. */
  protected succeed(granted: T): void {
    this.#finish();
    this.#resolve(granted);
  }

  #end(ending: Ending): void {
    const { services, protocol } = this.grants;
    this.#fail(services.client.errorOf(ending, protocol.resource, () => this.#timeout()));
  }

  #timeout(): Error {
    const { services, protocol } = this.grants;
    const { resource, key } = protocol;
    const asked = this.#hasBegun ? (this.#queue ?? this.present)?.contention : undefined;
    if ((asked !== undefined && services.proves(asked, key)) || this.isHeldHere) {
      return this.contention();
    }
    const isUp = services.router.downSince(key) === undefined;
    const wasSent = this.#hasBegun && (asked?.sent ?? isUp);
    const refusal = asked?.refusal ?? this.#refusal;
    return services.delivery.timeout(resource, key, wasSent, this.waitedMs, refusal);
  }

  #fail(error: unknown): void {
    if (!this.isOver) {
      this.#finish();
      this.grants.services.names.leave(this.grants.protocol);
      this.#reject(error);
      this.#queue?.leave(this);
    }
  }

  #reject(error: unknown): void {
    const { ending, rejects } = this.terms.waitLimit;
    const isNull = !rejects && error instanceof AcquireTimeoutError;
    this.#resolve(isNull ? unseen(error) : failing(error, ending));
  }

  #finish(): void {
    this.isOver = true;
    this.#stopWatching?.();
    this.terms.waitLimit.dispose();
  }
}
