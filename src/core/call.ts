import type { Operand, Script } from './script.js';

/** The part of a script that sending needs. */
export type Sendable<R> = Pick<Script<never, never, R>, 'name' | 'sha1' | 'source' | 'decode'>;

/** A call as those who deliver it see it, whatever it answers. */
export interface Sending {
  readonly script: { readonly sha1: string; readonly source: string };
  readonly operands: readonly Operand[];
  readonly resend: boolean;
  readonly routingKey: string;
  readonly sent: boolean;
  sentAt: number;
  lastSentAt: number;
  strays: number;
  succeed(reply: unknown): void;
  fail(error: Error): void;
}

/**
 * One script call under way. It may be written several times, since every script of ours may run
 * twice, late or never; it is settled once.
 */
export class Call<R> implements Sending {
  readonly script: Sendable<R>;
  readonly operands: readonly Operand[];
  /** Write it again on the next connection when its answer is lost with this one. */
  readonly resend: boolean;
  readonly answer: Promise<R>;
  /** Clock instant just before the first copy was written; NaN while none was. */
  sentAt: number = Number.NaN;
  /** Clock instant just before the newest copy was written. */
  lastSentAt: number = Number.NaN;
  /** Copies whose answer can no longer come: each may still run, at any time. */
  strays = 0;
  settled = false;
  #resolve!: (answer: R) => void;
  #reject!: (error: Error) => void;

  constructor(script: Sendable<R>, operands: readonly Operand[], resend: boolean) {
    this.script = script;
    this.operands = operands;
    this.resend = resend;
    this.answer = new Promise<R>((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
  }

  /** True once a copy was handed to a connection. */
  get sent(): boolean {
    return !Number.isNaN(this.sentAt);
  }

  /** The key that says which node of a cluster it belongs to. */
  get routingKey(): string {
    return String(this.operands[1]);
  }

  succeed(reply: unknown): void {
    if (this.settled) {
      return;
    }
    this.settled = true;
    try {
      this.#resolve(this.script.decode(reply));
    } catch (error) {
      this.#reject(error as Error);
    }
  }

  fail(error: Error): void {
    if (!this.settled) {
      this.settled = true;
      this.#reject(error);
    }
  }
}
