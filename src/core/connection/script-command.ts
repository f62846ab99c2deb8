import { tracingChannel } from 'node:diagnostics_channel';
import { Command } from 'ioredis';
import { soon } from '../base/async-context.js';
import type { Operand } from '../wire/script.js';

/**
 * Gets the outcome of a script call: the reply, or an error. Replies and errors of the server come in
 * the order of the calls, when they are read, and outside of every context; other errors come later.
 */
export type Answered = (reply: unknown, error?: Error) => void;

/** Where the driver tells tracers, such as those of OpenTelemetry, of each command. */
const traces = tracingChannel('ioredis:command');

/** Nobody waits for it. */
const unread = Promise.resolve();

/** Makes errors fit for those who see them. */
interface Cleaner {
  error(error: unknown): Error;
}

/** `separators[n]` ends a part of a command, and begins one of n bytes. */
const separators = Array.from({ length: 256 }, (_, bytes) => `\r\n$${bytes}\r\n`);

function separator(bytes: number): string {
  return separators[bytes] ?? `\r\n$${bytes}\r\n`;
}

function isAscii(arg: unknown): boolean {
  return typeof arg !== 'string' || Buffer.byteLength(arg) === arg.length;
}

/** A command as it is written, where each character of its texts is a byte; else undefined. */
function written(name: string, args: readonly unknown[]): string | Buffer | undefined {
  let text = `*${args.length + 1}${separator(name.length)}${name}`;
  let hasBytes = false;
  for (const arg of args) {
    const isBytes = Buffer.isBuffer(arg);
    const part = isBytes ? arg.toString('latin1') : String(arg);
    text += separator(part.length) + part;
    hasBytes ||= isBytes;
  }
  text += '\r\n';
  if (hasBytes) {
    return args.every(isAscii) ? Buffer.from(text, 'latin1') : undefined;
  }
  // Asked once for all parts, since each question is a call out of JavaScript.
  return isAscii(text) ? text : undefined;
}

/**
 * A script call as the driver sends it, in a third of the time of its own command: nobody needs a
 * promise of it, and what is written is put together from fewer pieces.
 */
export class ScriptCommand extends Command {
  constructor(
    name: 'eval' | 'evalsha',
    script: string,
    operands: readonly Operand[],
    cleaner: Cleaner,
    answered: Answered,
  ) {
    super(name);
    this.args = [script, ...operands];
    // Functions, not methods: tracers wrap them, and call them without `this`.
    this.resolve = (reply) => answered(textOf(reply));
    this.reject = (error) => {
      const cleaned = cleaner.error(error);
      if (error.name === 'ReplyError') {
        answered(undefined, cleaned);
      } else {
        // The connection may fail inside of `sendCommand`: the sender does not expect it there.
        soon(() => answered(undefined, cleaned));
      }
    };
    this.isTraced = !traces.hasSubscribers;
    this.promise = this.isTraced ? unread : this.#traced(cleaner);
  }

  override toWritable(stream: object): string | Buffer {
    const own = written(this.name, this.args);
    if (own !== undefined) {
      return own;
    }
    this.stringifyArguments();
    return super.toWritable(stream);
  }

  /** The promise that the driver gives to tracers. */
  #traced(cleaner: Cleaner): Promise<unknown> {
    const { resolve, reject } = this;
    const promise = new Promise((resolved, rejected) => {
      this.resolve = (reply) => {
        resolve(reply);
        resolved(undefined);
      };
      this.reject = (error) => {
        reject(error);
        rejected(cleaner.error(error));
      };
    });
    // The driver gives it to nobody when it cannot write the command.
    promise.catch(() => {});
    return promise;
  }
}

// The driver's constructor calls this to make its promises; its types hide the method.
Object.defineProperty(ScriptCommand.prototype, 'initPromise', { value: () => {} });

/** The driver reads bytes. */
function textOf(reply: unknown): unknown {
  if (Buffer.isBuffer(reply)) {
    return reply.toString();
  }
  return Array.isArray(reply) ? reply.map(textOf) : reply;
}
