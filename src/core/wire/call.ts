import { Linked } from '../base/linked-list.js';
import { asError } from './replies.js';
import type { Operand, Script } from './script.js';

/** The part of a script that sending needs. */
export type CommandScript<R> = Pick<Script<never, never, R>, 'name' | 'sha1' | 'source' | 'decode'>;

/** A script with its operands, ready to be sent any number of times. */
export interface Command<R> {
  readonly script: CommandScript<R>;
  readonly operands: Operand[];
}

/** Binds a script to its keys and arguments. */
export function commandOf<K, A, R>(script: Script<K, A, R>, keys: K, args: A): Command<R> {
  return { script, operands: script.operands(keys, args) };
}

/** Told what came of a call, once, and never before it has been sent. */
export interface Receiver<R> {
  answered(answer: R, call: Call<R>): void;
  failed(error: Error, call: Call<R>): void;
}

/** Told of what happens beside the answers of calls. */
export interface CallWatch {
  /** Something fails behind the caller's back, a receiver that throws included. */
  readonly failed: (error: Error) => void;
  /** A call was carried out, but its message was refused. */
  readonly unheard: (call: PendingCall) => void;
}

/** A call as those who deliver it see it, whatever it answers. */
export abstract class PendingCall extends Linked {
  abstract readonly script: { readonly sha1: string; readonly source: string };
  abstract operands: Operand[];
  /** Write it again on the next connection when its answer is lost with this one. */
  abstract readonly resend: boolean;
  /** Which call of its client it is: a larger number was sent later. */
  order = 0;
  /** Clock instant just before the first copy was written; NaN while none was. */
  sentAt: number = Number.NaN;
  /** Clock instant just before the newest copy was written. */
  lastSentAt: number = Number.NaN;
  /** Copies whose answer can no longer come: each may still run, at any time. */
  unackedCopies = 0;
  /** It undoes or gives back something: sent again as long as the server takes no writes. */
  insists = false;
  /** Why the server has last refused to run it. */
  refusal: Error | undefined;
  /** For a cluster node that imports its slot just now: it has to be told to answer. */
  asking = false;
  /** A copy was written to a connection that stands, and has no answer yet. */
  isUnanswered = false;
  /** Nobody waits for its answer any more: it is not written again, and tells nobody. */
  isAbandoned = false;

  /** True once a copy was handed to a connection. */
  get sent(): boolean {
    return !Number.isNaN(this.sentAt);
  }

  /** The key that says which node of a cluster it belongs to. */
  get routingKey(): string {
    return String(this.operands[1]);
  }

  /** Puts the publishing command right in a call that was made before it was known. */
  tellWith(publish: 'PUBLISH' | 'SPUBLISH'): void {
    const firstArgument = Number(this.operands[0]) + 1;
    this.operands = this.operands.map((operand, i) =>
      i >= firstArgument && operand === 'SPUBLISH' ? publish : operand,
    );
  }

  /** A copy that was not written yet never will be. One that was written stays where it is: its
   * connection is judged by it. */
  abandon(): void {
    this.isAbandoned = true;
    if (!this.isUnanswered) {
      this.unchain();
    }
  }

  /** Neither throws, whatever its receiver does. */
  abstract succeed(reply: unknown): void;
  abstract fail(error: Error): void;
}

/**
 * One script call under way. It may be written several times, since every script of ours may run
 * twice, late or never; it is settled once.
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
    let answer: R;
    try {
      // No script replies with an array, but for this: lib/notify.lua.
      answer = this.script.decode(Array.isArray(reply) ? this.#unwrap(reply) : reply);
    } catch (error) {
      this.fail(asError(error));
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
        this.#receiver.failed(error, this);
      } catch (thrown) {
        this.#watch.failed(asError(thrown));
      }
    }
  }

  #unwrap([reply]: readonly unknown[]): unknown {
    this.#watch.unheard(this);
    return reply;
  }
}
