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

/** `starts[n]` ends a part of a command, and begins one of n bytes. */
const starts = Array.from({ length: 256 }, (_, bytes) => `\r\n$${bytes}\r\n`);

function startOf(bytes: number): string {
  return starts[bytes] ?? `\r\n$${bytes}\r\n`;
}

/** `counts[n]` begins a command of n parts. */
const counts = Array.from({ length: 256 }, (_, parts) => `*${parts}`);

/** The first parts of a command, and how they are written. */
export interface Head {
  readonly parts: readonly string[];
  readonly text: string;
}

export function headOf(parts: readonly string[]): Head {
  return { parts, text: parts.map((part) => startOf(part.length) + part).join('') };
}

/** A command that is to be written. */
interface Outgoing {
  readonly head: Head;
  readonly args: readonly unknown[];
}

function writtenAsBytes({ head, args }: Outgoing): Buffer {
  const all = [...head.parts, ...args];
  const parts: Buffer[] = [];
  for (const arg of all) {
    const part = Buffer.isBuffer(arg) ? arg : Buffer.from(String(arg));
    parts.push(Buffer.from(startOf(part.length)), part);
  }
  return Buffer.concat([Buffer.from(`*${all.length}`), ...parts, Buffer.from(END)]);
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
  /** The commands of this turn, and their text if each of its characters is a byte. Adding texts, which
   * V8 joins when they are written, takes less than writing them into bytes in JavaScript. */
  #turn: Outgoing[] = [];
  #text = '';
  /** How many characters of it are bytes of 128 and more, from arguments that are bytes. */
  #high = 0;
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

  send(head: Head, args: readonly unknown[], answered: Answered): void {
    const count = head.parts.length + args.length;
    let text = this.#text + (counts[count] ?? `*${count}`) + head.text;
    let high = this.#high;
    for (const arg of args) {
      const isBytes = Buffer.isBuffer(arg);
      const part = isBytes ? arg.toString('latin1') : String(arg);
      high += isBytes ? Buffer.byteLength(part) - part.length : 0;
      text += startOf(part.length) + part;
    }
    // Last: whatever throws before, as a text that is too long, must leave no call without a command.
    this.#text = text + END;
    this.#high = high;
    this.#unanswered.push(answered);
    if (this.#turn.push({ head, args }) === 1) {
      afterTurn(this.#write);
    }
  }

  /** Writes the commands of this turn so far. */
  flush(): void {
    this.#write();
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
    const [turn, text, high] = [this.#turn, this.#text, this.#high];
    this.#turn = [];
    this.#text = '';
    this.#high = 0;
    if (turn.length === 0) {
      // They were flushed.
      return;
    }
    if (this.#isClosed || !this.#stream.writable) {
      // The end of the connection follows, or was told.
      return;
    }
    try {
      // In UTF-8 each high character would take one byte more. Asked once for all commands, since the question
      // is a call out of JavaScript.
      if (Buffer.byteLength(text) === text.length + high) {
        this.#stream.write(text, 'latin1');
      } else {
        this.#stream.write(Buffer.concat(turn.map(writtenAsBytes)));
      }
    } catch (error) {
      this.#broken(asError(error));
    }
  };

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
