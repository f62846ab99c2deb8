import type { GuardedConnection, Known } from '../../core/connection/driver.js';
import { soon } from '../../core/base/async-context.js';
import type { Answered } from '../../core/connection/wire.js';
import type { Operand } from '../../core/wire/script.js';
import { ReplyError, Status, type Reply } from '../keyspace/reply.js';
import type { MessageEvent } from '../server/channels.js';
import type { Link, LinkClient } from './link.js';

type Listener = (...args: never[]) => void;

interface Pending {
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: Error) => void;
}

/** Sources as they travel. */
const sources = new Map<string, string>();

function bytesOfSource(source: string): string {
  let bytes = sources.get(source);
  if (bytes === undefined) {
    bytes = bytesOf(source);
    sources.set(source, bytes);
  }
  return bytes;
}

/** Text as it travels: one character a byte. */
function bytesOf(operand: Operand): string {
  if (typeof operand === 'number') {
    return String(operand);
  }
  if (typeof operand !== 'string') {
    return operand.toString('latin1');
  }
  return isAscii(operand) ? operand : Buffer.from(operand).toString('latin1');
}

function textOf(bytes: string): string {
  return isAscii(bytes) ? bytes : Buffer.from(bytes, 'latin1').toString();
}

function isAscii(text: string): boolean {
  for (let i = 0; i < text.length; i += 1) {
    if (text.charCodeAt(i) > 127) {
      return false;
    }
  }
  return true;
}

/** An error reply, as the driver makes one. */
function errorOf(reply: ReplyError): Error {
  const error = new Error(reply.message);
  error.name = 'ReplyError';
  return error;
}

function valueOf(reply: Reply): unknown {
  if (typeof reply === 'string') {
    return textOf(reply);
  }
  if (Array.isArray(reply)) {
    return reply.map(valueOf);
  }
  if (reply instanceof ReplyError) {
    return errorOf(reply);
  }
  return reply instanceof Status ? reply.text : reply;
}

/** A connection of the driver, on a simulated link. It behaves as one with the options that the
 * library sets: commands are written to an open connection or rejected, and none is sent again. */
export class SimulatedConnection implements GuardedConnection, LinkClient {
  readonly isKnownDriver = true;
  readonly reportsMoves = true;
  readonly #dial: (client: LinkClient) => Link;
  readonly #listeners = new Map<string, Listener[]>();
  #pending: Pending[] = [];
  #link: Link | undefined;
  #isSignedIn = false;

  constructor(dial: (client: LinkClient) => Link) {
    this.#dial = dial;
  }

  on(event: string, listener: Listener): void {
    this.#listeners.set(event, [...(this.#listeners.get(event) ?? []), listener]);
  }

  connect(): Promise<void> {
    this.#link = this.#dial(this);
    this.#link.open();
    return Promise.resolve();
  }

  call(command: string, ...args: readonly (string | readonly string[])[]): Promise<unknown> {
    return this.#send([command, ...args.flat().map(bytesOf)]);
  }

  sendScript(
    { sha1, source }: Known,
    isKnown: boolean,
    operands: Operand[],
    answered: Answered,
  ): void {
    const first = isKnown ? ['EVALSHA', sha1] : ['EVAL', bytesOfSource(source)];
    this.#write([...first, ...operands.map(bytesOf)], {
      resolve: answered,
      reject: (error) => {
        if (error.name === 'ReplyError') {
          answered(undefined, error);
        } else {
          soon(() => answered(undefined, error));
        }
      },
    });
  }

  cork(): void {}

  flush(): void {}

  unref(): void {}

  destroy(): void {
    this.#listeners.clear();
    const link = this.#link;
    this.#link = undefined;
    link?.close();
    this.#rejectAll();
  }

  /** For the link only. */
  connected(accepted: boolean): void {
    if (!accepted) {
      this.#emit('error', new Error('connect ECONNREFUSED'));
      this.ended();
      return;
    }
    this.#emit('connect');
    // The driver signs in, and is ready when the server has answered.
    this.#pending.push({
      resolve: () => {
        this.#isSignedIn = true;
        this.#emit('ready');
      },
      reject: () => {},
    });
    this.#link?.send(['PING']);
  }

  /** For the link only. */
  replied(reply: Reply): void {
    const pending = this.#pending.shift();
    if (reply instanceof ReplyError && this.#isSignedIn) {
      pending?.reject(errorOf(reply));
    } else {
      pending?.resolve(valueOf(reply));
    }
  }

  /** For the link only. */
  message(event: MessageEvent, channel: string, payload: string): void {
    this.#emit(event, textOf(channel), textOf(payload));
  }

  /** For the link only. */
  moved(): void {
    this.#emit('moved');
  }

  /** For the link only. */
  ended(): void {
    this.#link = undefined;
    this.#rejectAll();
    this.#emit('end');
  }

  #send(argv: readonly string[]): Promise<unknown> {
    return new Promise((resolve, reject) => {
      this.#write(argv, { resolve, reject });
    });
  }

  #write(argv: readonly string[], pending: Pending): void {
    const link = this.#link;
    if (link === undefined || !this.#isSignedIn) {
      pending.reject(new Error("Stream isn't writeable and enableOfflineQueue options is false"));
    } else {
      this.#pending.push(pending);
      link.send(argv);
    }
  }

  #rejectAll(): void {
    const pending = this.#pending;
    this.#pending = [];
    for (const { reject } of pending) {
      reject(new Error('Connection is closed.'));
    }
  }

  #emit(event: string, ...args: unknown[]): void {
    for (const listener of this.#listeners.get(event) ?? []) {
      Reflect.apply(listener, undefined, args);
    }
  }
}
