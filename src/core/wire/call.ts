import { Linked } from '../base/linked-list.js';
import { namingKey } from './foreign-key.js';
import { asError } from './replies.js';
import type { Operand, Script } from './script.js';

/** The answer of a script that has refused a call, changed nothing and recorded that: a decoder returns it
 * as a value, since whatever a decoder throws leaves the outcome open where a reply was lost before. */
export class Refused {
  readonly error: Error;

  constructor(error: Error) {
    this.error = error;
  }
}

/** The server has refused a copy whose end had passed by its clock. */
export class TooLateError extends Error {
  static override readonly name = 'TooLateError';
  override readonly name = 'TooLateError';
}

/** The parts of a script that sending needs. */
export interface CommandScript<R> extends Pick<
  Script<never, never, R>,
  'name' | 'sha1' | 'source' | 'untilAt'
> {
  /** Reads a reply, and changes nothing: the call may be over already. */
  readonly decode: (reply: unknown) => R | Refused;
  /** Gets the reply that settles the call, before its receiver gets the answer. */
  readonly settledBy?: (reply: unknown) => void;
}

/** A script with its operands, ready to be sent any number of times. */
export interface Command<R> {
  readonly script: CommandScript<R>;
  readonly operands: Operand[];
}

/** What a call takes back: an ask that was given up. */
export interface Undoing {
  readonly ask: PendingCall;
  /** The operands where no copy of that can run later: they rule nothing out. */
  readonly operands: Operand[];
}

/** The standing of a call among others. */
export interface CallTerms {
  /** The operands of its command rule out what it undoes, also later. */
  readonly undoes?: Undoing | undefined;
  /** See `PendingCall.insists`; it also goes first. */
  readonly insists?: boolean | undefined;
  /** See `PendingCall.isNumbered`. */
  readonly isNumbered?: boolean | undefined;
  /** See `PendingCall.goesFirst`. */
  readonly goesFirst?: boolean | undefined;
  /** See `PendingCall.resend`; so unless it is false. */
  readonly resend?: boolean | undefined;
  /** See `PendingCall.atOnce`. */
  readonly atOnce?: boolean | undefined;
  /** See `PendingCall.lane`. */
  readonly lane?: number | undefined;
  /** See `PendingCall.endsAt`. */
  readonly endsAt?: number | undefined;
}

export const ANY_CALL: CallTerms = {};
/** One of a round: the next one makes its own. */
export const OF_ROUND: CallTerms = { resend: false };
/** The same, and the program is to know of what it is about when its bytes were given to the socket. */
export const AT_ONCE: CallTerms = { resend: false, atOnce: true };
/** About what is held. */
export const ABOUT_HOLD: CallTerms = { goesFirst: true };
/** Gives back or undoes something. */
export const CLEAN_UP: CallTerms = { insists: true };

/** Binds a script to its keys and arguments. */
export function commandOf<K, A, R>(script: Script<K, A, R>, keys: K, args: A): Command<R> {
  return { script, operands: script.operands(keys, args) };
}

/** Gets the outcome of a call: once, and never before its sender has the call in hand. */
export interface Receiver<R> {
  answered(answer: R, call: Call<R>): void;
  failed(error: Error, call: Call<R>): void;
}

/** Gets the events of calls that are not their outcome. */
export interface CallWatch {
  /** Something has failed in the background, or a receiver has thrown. */
  readonly failed: (error: Error) => void;
  /** A call was carried out, but the server refused this message of it. */
  readonly unheard: (publish: string, channel: string) => void;
}

/** What has written a call to a connection. */
export interface Written {
  /** Sends a command behind `call`, on the connection that has answered it; rejects when that has ended.
   * `takesMs`: the server may take so long to carry it out. */
  sendBehind(call: PendingCall, parts: readonly string[], takesMs: number): Promise<unknown>;
}

/** A pending call as delivery sees it, whatever the type of its answer. */
export abstract class PendingCall extends Linked {
  abstract readonly script: {
    readonly sha1: string;
    readonly source: string;
    readonly untilAt?: number;
  };
  abstract operands: Operand[];
  /** Whether to write it again on the next connection when its answer is lost with this one. The others come
   * in rounds, each for many leases, and wait for no turn. */
  abstract readonly resend: boolean;
  /** Its number among the calls of its client: a call with a larger number was made later. */
  order = 0;
  /** Clock instant just before the first copy was written; NaN while none was. */
  sentAt: number = Number.NaN;
  /** Clock instant just before the newest copy was written. */
  lastSentAt: number = Number.NaN;
  /** Clock instant just before the oldest copy that may have run was written. */
  mayRunSince: number = Number.NaN;
  /** Number of copies whose answer is lost, or shows nothing: each may still run, at any time. */
  unackedCopies = 0;
  /** It gives back or undoes something: sent again whatever the server answers, unless that shows that nothing is
   * left. */
  insists = false;
  /** The server carries it out once under its number: sent again behind an answer that shows nothing. */
  isNumbered = false;
  /** It is about what is held, or gives back: it goes before calls that wait for their turn. */
  goesFirst = false;
  /** It does not wait for others of the same turn of the event loop. */
  atOnce = false;
  /** Which connection to its server it takes; 0: that of all ordinary calls. */
  lane = 0;
  /** Clock instant after which no copy is run: its caller waits no more. NaN: it may be run at any time. */
  endsAt: number = Number.NaN;
  /** The last error with which the server refused to run it. */
  refusal: Error | undefined;
  /** A copy was refused at a command inside its script, and may have run up to there: it takes nothing, but may have
   * given back, or left a line. */
  wasRefusedInside = false;
  /** The ask that it takes back. */
  undoes: Undoing | undefined;
  /** The connection that the newest copy was written to. */
  writtenTo: object | undefined;
  writtenBy: Written | undefined;
  /** It goes to a cluster node that is importing its slot: ASKING has to be sent before it. */
  asking = false;
  /** How often a node has redirected it. */
  redirections = 0;
  /** A copy was written to the current connection and has no answer yet. */
  isUnanswered = false;
  /** Its sender has given it up: it is not written again, and its receiver is not called. */
  isAbandoned = false;

  /** True once a copy was handed to a connection. */
  get sent(): boolean {
    return !Number.isNaN(this.sentAt);
  }

  /** A copy of it is about to be written. */
  writing(now: number): void {
    this.sentAt = this.sent ? this.sentAt : now;
    this.lastSentAt = now;
    this.mayRunSince = this.unackedCopies > 0 ? this.mayRunSince : now;
  }

  /** A copy may run, or may have run: it has no answer. One that was refused has not run. */
  get mayHaveRun(): boolean {
    return this.isUnanswered || this.unackedCopies > 0;
  }

  /** An earlier copy may have run, or the part of it up to a command that was refused. */
  get mayHaveBegun(): boolean {
    return this.unackedCopies > 0 || this.wasRefusedInside;
  }

  /** It was refused, and is on its way again; no other copy may have run. */
  get isBeingRetried(): boolean {
    return this.isUnanswered && this.refusal !== undefined && this.unackedCopies === 0;
  }

  /** The key that decides which node of a cluster it goes to. */
  get routingKey(): string {
    return String(this.operands[1]);
  }

  /** The operands of a copy that is written to a connection now. A server runs what one connection
   * brings in order, and a copy that was lost with its connection at any time: between two copies of
   * this call, too. `untilMs`: when the server may run the copy no more. */
  operandsOn(connection: object, untilMs?: number): Operand[] {
    const { undoes, script } = this;
    const operands =
      undoes === undefined || this.unackedCopies > 0 || undoes.ask.mayRunBehind(connection)
        ? this.operands
        : undoes.operands;
    return untilMs === undefined || script.untilAt === undefined
      ? operands
      : operands.with(1 + Number(operands[0]) + script.untilAt, untilMs);
  }

  /** A copy may run later than what is written to this connection now. */
  mayRunBehind(connection: object): boolean {
    return this.unackedCopies > 0 || (this.isUnanswered && this.writtenTo !== connection);
  }

  /** Corrects the publishing command in a call that was made before that was known. */
  publishWith(publish: 'PUBLISH' | 'SPUBLISH'): void {
    const firstArgument = Number(this.operands[0]) + 1;
    const corrected = (operands: readonly Operand[]): Operand[] =>
      operands.map((operand, i) =>
        i >= firstArgument && operand === 'SPUBLISH' ? publish : operand,
      );
    this.operands = corrected(this.operands);
    if (this.undoes !== undefined) {
      this.undoes = { ...this.undoes, operands: corrected(this.undoes.operands) };
    }
  }

  /** A copy that was not written yet never will be. One that was written stays among the unanswered
   * calls, by which its connection is judged. */
  abandon(): void {
    this.isAbandoned = true;
    if (!this.isUnanswered) {
      this.unlink();
    }
  }

  /** Neither method throws, even when the receiver does. */
  abstract succeed(reply: unknown): void;
  abstract fail(error: Error): void;
}

/**
 * One script call under way. It may be written several times, since every script may run twice,
 * late or never; it is settled once.
 */
export class Call<R> extends PendingCall {
  readonly script: CommandScript<R>;
  operands: Operand[];
  readonly resend: boolean;
  #settled = false;
  #receiver: Receiver<R> | undefined;
  readonly #watch: CallWatch;

  constructor(
    { script, operands }: Command<R>,
    receiver: Receiver<R>,
    resend: boolean,
    watch: CallWatch,
  ) {
    super();
    this.script = script;
    this.operands = operands;
    this.resend = resend;
    this.#receiver = receiver;
    this.#watch = watch;
  }

  /** Its sender is let go: what undoes it may go on for long. */
  override abandon(): void {
    super.abandon();
    this.#receiver = undefined;
  }

  succeed(reply: unknown): void {
    if (this.#settled || this.isAbandoned) {
      return;
    }
    // An array comes only from lib/notify*.lua, when the server has refused a message.
    const own = Array.isArray(reply) ? this.#unwrap(reply) : reply;
    let answer: R | Refused;
    try {
      answer = this.script.decode(own);
    } catch (error) {
      this.fail(asError(error));
      return;
    }
    if (answer instanceof Refused) {
      // Any copy that may still run finds the recorded answer.
      this.unackedCopies = 0;
      this.fail(answer.error);
      return;
    }
    this.#settled = true;
    try {
      this.script.settledBy?.(own);
      this.#receiver?.answered(answer, this);
    } catch (error) {
      this.#watch.failed(asError(error));
    }
  }

  fail(error: Error): void {
    if (!this.#settled && !this.isAbandoned) {
      this.#settled = true;
      try {
        this.#receiver?.failed(namingKey(error, this.operands), this);
      } catch (thrown) {
        this.#watch.failed(asError(thrown));
      }
    }
  }

  /** Behind the reply stand, for each message, the command that was to publish it and the channel. */
  #unwrap([reply, ...refused]: readonly unknown[]): unknown {
    for (let i = 0; i < refused.length; i += 2) {
      this.#watch.unheard(String(refused[i]), String(refused[i + 1]));
    }
    return reply;
  }
}
