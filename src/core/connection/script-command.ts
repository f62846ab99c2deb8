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

/** `separators[n]` ends a part of a command, and begins one of n bytes. */
const separators: string[] = [];

function separator(bytes: number): string {
  return (separators[bytes] ??= `\r\n$${bytes}\r\n`);
}

/**
 * A script call as the driver sends it, in a third of the time of its own command: nobody needs a
 * promise of it, and what is written is put together from fewer pieces.
 */
export class ScriptCommand extends Command {
  constructor(name: 'eval' | 'evalsha', args: readonly Operand[], answered: Answered) {
    super(name);
    this.args = [...args];
    // Functions, not methods: tracers wrap them, and call them without `this`.
    this.resolve = (reply) => answered(textOf(reply));
    this.reject = (error) => {
      if (error.name === 'ReplyError') {
        answered(undefined, error);
      } else {
        // The connection may fail inside of `sendCommand`: the sender does not expect it there.
        soon(() => answered(undefined, error));
      }
    };
    this.isTraced = !traces.hasSubscribers;
    this.promise = this.isTraced ? unread : this.#traced();
  }

  override toWritable(stream: object): string | Buffer {
    const { name, args } = this;
    let written = `*${args.length + 1}${separator(name.length)}${name}`;
    for (const arg of args) {
      if (typeof arg === 'string') {
        written += separator(Buffer.byteLength(arg)) + arg;
      } else if (typeof arg === 'number') {
        const digits = String(arg);
        written += separator(digits.length) + digits;
      } else {
        // Bytes, which a string cannot carry.
        this.stringifyArguments();
        return super.toWritable(stream);
      }
    }
    return `${written}\r\n`;
  }

  #traced(): Promise<unknown> {
    const { resolve, reject } = this;
    return new Promise((resolved, rejected) => {
      this.resolve = (reply) => {
        resolve(reply);
        resolved(undefined);
      };
      this.reject = (error) => {
        reject(error);
        rejected(error);
      };
    });
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
