import { PermitsMismatchError } from '../../errors.js';
import type { Request } from '../delivery/requests.js';
import type { EndpointServices } from '../endpoint-services.js';
import type { ObjectKind } from '../observe/events.js';
import type { Command } from '../wire/call.js';
import type { CheckedSetting } from './permits-setting.js';
import type { NumberView, Statement, Statements } from './statements.js';

/** How a number is stated: for the first time in its client, which makes a semaphore that was deleted, too; or again,
 * which makes only one that was not. */
const FIRST = 1;
const AGAIN = 2;
/** Or its client only keeps it alive: of a number that is set once. */
const KEEPS = 3;
/** Or it is stated for the first time with this `onMismatch` and `idleMs`, by a client that has stated it before. */
const OTHERWISE = 4;

/** A client keeps a statement alive by one use in so many ms. */
const KEEP_ALIVE_MS = 60_000;

/** The semaphore that an object is about, as far as its number of permits is concerned. */
interface Declaring<V> {
  readonly kind: ObjectKind;
  readonly resource: string;
  readonly key: string;
  /** States a number, at most once. */
  configure(request: Request, setting: string): Command<V>;
  /** Makes sure that a statement never runs. */
  setTombstone(request: Request): Command<unknown>;
}

/** An answer, as far as it shows the number of permits. */
export interface ShownNumber {
  /** Negative, or absent: it is not known. */
  readonly total?: number | undefined;
  /** The permits that were left, where nothing else is known of the semaphore. */
  readonly unknownLeft?: number | undefined;
  /** How many permits there were, when these were more than was stated; 0 otherwise. */
  readonly above?: number | undefined;
}

/**
 * The number of permits that one object was made with.
 *
 * The first use of a name with a number in a client states it, by a `configure` before the call, in the same write.
 * With `set` and `error` the call waits for its answer. From then on the object judges each answer, which names the
 * total. An answer that finds no semaphore, and no mark of a deletion, makes it state the number again.
 */
export class DeclaredNumber<V extends NumberView = NumberView> {
  readonly setting: CheckedSetting;
  readonly #services: EndpointServices;
  readonly #statements: Statements;
  readonly #object: Declaring<V>;
  readonly #number: string;
  readonly #pair: string;
  /** The number by which answers are judged: another one, or none, after a change that was made by this object. */
  #judged: number | undefined;

  constructor(
    services: EndpointServices,
    statements: Statements,
    object: Declaring<V>,
    setting: CheckedSetting,
  ) {
    this.#services = services;
    this.#statements = statements;
    this.#object = object;
    this.setting = setting;
    this.#judged = setting.count;
    this.#number = `${setting.count} ${object.key}`;
    this.#pair = `${this.#text(FIRST)} ${object.key}`;
  }

  /** It was stated before, and the server has answered. */
  get wasSeen(): boolean {
    return this.#statement?.wasSeen === true;
  }

  /** A use has to begin with a statement. */
  get isDue(): boolean {
    const statement = this.#statement;
    if (statement === undefined) {
      return true;
    }
    const { onMismatch } = this.setting;
    return onMismatch === 'set'
      ? this.#services.clock.now() >= statement.keepAt
      : onMismatch === 'error' && !statement.isAgreed;
  }

  get isUnderWay(): boolean {
    return this.#statement?.underWay !== undefined;
  }

  /** A statement is under way, or has to be made. */
  get isOpen(): boolean {
    return this.isDue || this.isUnderWay;
  }

  /** States the number before a use, if that is due. What the use has to wait for; mostly nothing. */
  before(always = false): Promise<unknown> | undefined {
    if ((this.isDue || (always && this.#mustAgree)) && !this.isUnderWay) {
      void unheard(this.#state());
    }
    const { onMismatch } = this.setting;
    const statement = this.#statement;
    const waits = onMismatch === 'error' || (onMismatch === 'set' && statement?.wasSeen !== true);
    return waits && statement?.underWay !== undefined
      ? this.#agreed(statement.underWay)
      : undefined;
  }

  /** States the number, again where the semaphore `isGone`, and says what there is. */
  async view(isGone = false): Promise<V> {
    const view = await this.#state(isGone);
    this.#refuse(view);
    return view;
  }

  /** There is no semaphore: states the number again. */
  again(): Promise<unknown> {
    return this.#statement?.underWay ?? this.#state(true);
  }

  /** The error for an object that takes no other number than its own, and is shown one; any other object reports it. */
  judge({ total = -1, unknownLeft, above = 0 }: ShownNumber): PermitsMismatchError | undefined {
    const statement = this.#statement;
    if (statement !== undefined && above > 0 && statement.reportedAbove !== above) {
      statement.reportedAbove = above;
      this.#report(above);
    }
    const isNewlyUnknown = unknownLeft !== undefined && statement?.isOfUnknown === false;
    const number = total < 0 && isNewlyUnknown ? unknownLeft : total;
    if (statement !== undefined && (total >= 0 || unknownLeft !== undefined)) {
      statement.isOfUnknown = total < 0;
    }
    if (number < 0 || this.#judged === undefined) {
      return undefined;
    }
    return this.#compare(statement, number, this.#judged);
  }

  /** Runs a call by which this object sets the number itself, which then counts. */
  async overruling(count: number, call: () => Promise<boolean>): Promise<boolean> {
    // A statement behind the call would undo it.
    const isSet = this.setting.onMismatch === 'set' && this.#statement === undefined;
    const early = isSet ? this.#statements.add(this.#pair) : undefined;
    let done = false;
    try {
      done = await call();
    } finally {
      if (early !== undefined && !done) {
        this.#statements.delete(this.#pair, early);
      }
    }
    if (done) {
      const statement = this.#statement ?? this.#statements.add(this.#pair);
      this.#seen(statement);
      statement.isAgreed = true;
      statement.isRefused = false;
      statement.keepAt = this.#services.clock.now() + KEEP_ALIVE_MS;
      this.#judged = count;
    }
    return done;
  }

  /** This object has added to the number. */
  added(delta: number): void {
    this.#judged = this.#mustAgree && this.#judged !== undefined ? this.#judged + delta : undefined;
  }

  get #mustAgree(): boolean {
    return this.setting.onMismatch === 'error';
  }

  get #statement(): Statement | undefined {
    return this.#statements.find(this.#pair);
  }

  async #agreed(underWay: Promise<NumberView>): Promise<void> {
    this.#refuse(await underWay);
  }

  #state(isGone = false): Promise<V> {
    const statement = this.#statement ?? this.#statements.add(this.#pair);
    const isKept = this.setting.onMismatch === 'set' && !statement.isRefused && !isGone;
    const again = isKept ? KEEPS : AGAIN;
    const first = this.#statements.knows(this.#number) ? OTHERWISE : FIRST;
    const answer = this.#send(statement, statement.wasSeen ? again : first);
    statement.underWay = answer;
    return answer;
  }

  async #send(statement: Statement, how: number): Promise<V> {
    const { resource, key } = this.#object;
    const text = this.#text(how);
    const build = (request: Request): Command<V> => this.#object.configure(request, text);
    // Before the call that it stands before, whatever that is.
    const setTombstone = (request: Request): Command<unknown> => this.#object.setTombstone(request);
    const tombstone = { setTombstone, always: false, goesFirst: true };
    try {
      const { answer } = await this.#services.delivery.sendOnce(resource, key, build, tombstone);
      this.#answered(statement, answer);
      return answer;
    } catch (error) {
      if (!statement.wasSeen) {
        this.#statements.delete(this.#pair, statement);
      }
      throw error;
    } finally {
      statement.underWay = undefined;
    }
  }

  #answered(statement: Statement, view: NumberView): void {
    const { exists, total, isKnown = true, yieldsMs } = view;
    this.#seen(statement);
    statement.isRefused = yieldsMs !== undefined;
    const inMs = Math.min(KEEP_ALIVE_MS, (yieldsMs ?? KEEP_ALIVE_MS) + 1);
    statement.keepAt = this.#services.clock.now() + inMs;
    statement.isOfUnknown = exists && !isKnown;
    if (exists && total === this.setting.count) {
      this.#judged = total;
    }
    if (exists && !this.#mustAgree && this.#judged !== undefined) {
      this.#compare(statement, total, this.#judged);
    }
  }

  #seen(statement: Statement): void {
    if (!statement.wasSeen) {
      statement.wasSeen = true;
      this.#statements.know(this.#number);
    }
  }

  #refuse(view: NumberView): void {
    const error = view.exists ? this.judge(view) : undefined;
    if (error !== undefined) {
      throw error;
    }
  }

  #compare(
    statement: Statement | undefined,
    total: number,
    judged: number,
  ): PermitsMismatchError | undefined {
    if (statement !== undefined) {
      statement.isAgreed = total === judged;
    }
    if (total === judged) {
      if (statement !== undefined) {
        statement.reported = undefined;
      }
      return undefined;
    }
    if (this.#mustAgree) {
      const { resource } = this.#object;
      const message = `"${resource}" has ${total} permits, and this object was told ${judged}`;
      return new PermitsMismatchError(message, total, judged, { resource });
    }
    if (statement !== undefined && statement.reported !== total) {
      statement.reported = total;
      this.#report(total);
    }
    return undefined;
  }

  #report(permits: number): void {
    const { resource, kind } = this.#object;
    const wanted = this.setting.count;
    this.#services.client.events.report('configured', { resource, kind, permits, wanted });
  }

  #text(statement: number): string {
    const { onMismatch, count, idleMs } = this.setting;
    const text = `${onMismatch} ${statement} ${count}`;
    return idleMs === undefined ? text : `${text} ${idleMs}`;
  }
}

/** The call that a statement stands before fails as well, or finds no semaphore. */
async function unheard(statement: Promise<unknown>): Promise<void> {
  try {
    await statement;
  } catch {}
}

/** The `idleMs` of a call that makes a semaphore where there is none, unless one has to be stated. */
export function declaredIdle(number: DeclaredNumber | undefined): string {
  return number === undefined ? '' : String(number.setting.idleMs ?? 0);
}
