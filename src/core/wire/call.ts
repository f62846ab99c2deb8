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

/** The parts of a script that sending needs. */
export interface CommandScript<R> extends Pick<
  Script<never, never, R>,
  'name' | 'sha1' | 'source'
> {
  readonly decode: (reply: unknown) => R | Refused;
}

/** A script with its operands, ready to be sent any number of times. */
export interface Command<R> {
  readonly script: CommandScript<R>;
  readonly operands: Operand[];
}

/** The standing of a call among others. */
export interface CallTerms {
  /** See `PendingCall.insists`; it also goes first. */
  readonly insists?: boolean | undefined;
  /** See `PendingCall.goesFirst`. */
  readonly goesFirst?: boolean | undefined;
  /** See `PendingCall.resend`; so unless it is false. */
  readonly resend?: boolean | undefined;
}

export const ANY_CALL: CallTerms = {};
/** One of a round: the next one makes its own. */
export const OF_ROUND: CallTerms = { resend: false };
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

/** A pending call as delivery sees it, whatever the type of its answer. */
export abstract class PendingCall extends Linked {
  abstract readonly script: { readonly sha1: string; readonly source: string };
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
  /** Number of copies whose answer can no longer come: each may still run, at any time. */
  unackedCopies = 0;
  /** It gives back or undoes something: sent again for as long as the server takes no writes. */
  insists = false;
  /** It is about what is held, or gives back: it goes before calls that wait for their turn. */
  goesFirst = false;
  /** The last error with which the server refused to run it. */
  refusal: Error | undefined;
  /** It goes to a cluster node that is importing its slot: ASKING has to be sent before it. */
  asking = false;
  /** A copy was written to the current connection and has no answer yet. */
  isUnanswered = false;
  /** Its sender has given it up: it is not written again, and its receiver is not called. */
  isAbandoned = false;

  /** True once a copy was handed to a connection. */
  get sent(): boolean {
    return !Number.isNaN(this.sentAt);
  }

  /** A copy may run, or may have run: it has no answer. One that was refused has not run. */
  get mayHaveRun(): boolean {
    return this.isUnanswered || this.unackedCopies > 0;
  }

  /** It was refused, and is on its way again; no other copy may have run. */
  get isBeingRetried(): boolean {
    return this.isUnanswered && this.refusal !== undefined && this.unackedCopies === 0;
  }

  /** The key that decides which node of a cluster it goes to. */
  get routingKey(): string {
    return String(this.operands[1]);
  }

  /** Corrects the publishing command in a call that was made before that was known. */
  publishWith(publish: 'PUBLISH' | 'SPUBLISH'): void {
    const firstArgument = Number(this.operands[0]) + 1;
    this.operands = this.operands.map((operand, i) =>
      i >= firstArgument && operand === 'SPUBLISH' ? publish : operand,
    );
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
  readonly #receiver: Receiver<R>;
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

  succeed(reply: unknown): void {
    if (this.#settled || this.isAbandoned) {
      return;
    }
    let answer: R | Refused;
    try {
      // An array comes only from lib/notify*.lua, when the server has refused a message.
      answer = this.script.decode(Array.isArray(reply) ? this.#unwrap(reply) : reply);
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
      this.#receiver.answered(answer, this);
    } catch (error) {
      this.#watch.failed(asError(error));
    }
  }

  fail(error: Error): void {
    if (!this.#settled && !this.isAbandoned) {
      this.#settled = true;
      try {
        this.#receiver.failed(namingKey(error, this.operands), this);
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
