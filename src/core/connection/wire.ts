// eslint-disable-next-line typescript/triple-slash-reference -- whoever compiles this file alone needs it
/// <reference path="./redis-parser.d.ts" />
import type { Duplex } from 'node:stream';
import Parser from 'redis-parser';
import { afterTurn } from '../base/async-context.js';
import { asError } from '../wire/replies.js';

/** Gets the outcome of a call: the reply, or an error. It must not throw: replies that came with this one
 * would wait for the next bytes. */
export type Answered = (reply: unknown, error?: Error) => void;

const END = '\r\n';

/** `separators[n]` ends a part of a command, and begins one of n bytes. */
const separators = Array.from({ length: 256 }, (_, bytes) => `\r\n$${bytes}\r\n`);

function separator(bytes: number): string {
  return separators[bytes] ?? `\r\n$${bytes}\r\n`;
}

/** A command as it is written: a text where each character is a byte, or bytes. */
export function written(name: string, args: readonly unknown[]): string | Buffer {
  let text = `*${args.length + 1}${separator(name.length)}${name}`;
  for (const arg of args) {
    if (Buffer.isBuffer(arg)) {
      return writtenAsBytes(name, args);
    }
    const part = String(arg);
    text += separator(part.length) + part;
  }
  text += END;
  // Asked once for all parts, since each question is a call out of JavaScript.
  return Buffer.byteLength(text) === text.length ? text : writtenAsBytes(name, args);
}

function writtenAsBytes(name: string, args: readonly unknown[]): Buffer {
  const parts: Buffer[] = [];
  for (const arg of [name, ...args]) {
    const part = Buffer.isBuffer(arg) ? arg : Buffer.from(String(arg));
    parts.push(Buffer.from(separator(part.length)), part);
  }
  return Buffer.concat([Buffer.from(`*${args.length + 1}`), ...parts, Buffer.from(END)]);
}

/** So many calls that were answered are dropped at once. */
const ANSWERED_MAX = 1_024;

/**
 * Commands and their replies on a socket that belongs to nobody else. The commands of one turn of the
 * event loop leave in one write. Replies come in the order of the commands, and go to their callers when
 * they are read, outside of every context.
 */
export class Wire {
  readonly #stream: Duplex;
  readonly #unanswered: (Answered | undefined)[] = [];
  /** Index of the oldest call without an answer. */
  #next = 0;
  #text = '';
  #parts: (string | Buffer)[] | undefined;
  #isWriting = false;
  #isClosed = false;

  /** `cleaned` makes an error reply fit for those who see it. */
  constructor(stream: Duplex, cleaned: (error: Error) => Error) {
    this.#stream = stream;
    const parser = new Parser({
      returnReply: (reply) => this.#answered(reply),
      returnError: (error) => this.#answered(undefined, cleaned(error)),
      returnFatalError: (error) => this.#broken(error),
    });
    stream.on('data', (bytes: Buffer) => {
      if (!this.#isClosed) {
        parser.execute(bytes);
      }
    });
  }

  send(name: string, args: readonly unknown[], answered: Answered): void {
    const command = written(name, args);
    if (typeof command === 'string') {
      this.#text += command;
    } else {
      this.#parts ??= [];
      this.#parts.push(this.#text, command);
      this.#text = '';
    }
    // Last: whatever throws before, as a text that is too long, must leave no call without a command.
    this.#unanswered.push(answered);
    if (!this.#isWriting) {
      this.#isWriting = true;
      afterTurn(this.#write);
    }
  }

  /** Gives `error` to all calls that wait for an answer. */
  close(error: Error): void {
    this.#isClosed = true;
    for (const answered of this.#unanswered.splice(0).slice(this.#next)) {
      answered?.(undefined, error);
    }
    this.#next = 0;
  }

  readonly #write = (): void => {
    this.#isWriting = false;
    const [text, parts] = [this.#text, this.#parts];
    this.#text = '';
    this.#parts = undefined;
    if (this.#isClosed || !this.#stream.writable) {
      // The end of the connection follows, or was told.
      return;
    }
    try {
      this.#writeAll(text, parts);
    } catch (error) {
      this.#broken(asError(error));
    }
  };

  #writeAll(text: string, parts: readonly (string | Buffer)[] | undefined): void {
    if (parts === undefined) {
      this.#stream.write(text, 'latin1');
      return;
    }
    const all = [...parts, text].map((part) =>
      typeof part === 'string' ? Buffer.from(part, 'latin1') : part,
    );
    this.#stream.write(Buffer.concat(all));
  }

  #answered(reply: unknown, error?: Error): void {
    if (this.#isClosed) {
      // Bytes behind those by which it was closed.
      return;
    }
    const answered = this.#unanswered[this.#next];
    if (answered === undefined) {
      this.#broken(new Error('Redis has sent a reply to nothing'));
      return;
    }
    this.#unanswered[this.#next] = undefined;
    this.#next += 1;
    if (this.#next === this.#unanswered.length) {
      this.#unanswered.length = 0;
      this.#next = 0;
    } else if (this.#next === ANSWERED_MAX) {
      this.#unanswered.splice(0, ANSWERED_MAX);
      this.#next = 0;
    }
    answered(reply, error);
  }

  /** Whose reply is whose is not known any more. The callers are told when the end of the connection is. */
  #broken(error: Error): void {
    this.#isClosed = true;
    this.#stream.destroy(error);
  }
}
