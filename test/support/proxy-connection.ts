// One client connection through the proxy, and its own connection to the server.

import { connect, type Socket } from 'node:net';
import { Pipe } from './proxy-pipe.js';
import { ReplySplitter, RequestSplitter } from './resp.js';

/** What a rule wants done with a request that was just read. */
export interface Verdict {
  /** Keep this request, and all later bytes of the connection, until told to deliver them. */
  readonly hold: boolean;
  /** When the server has answered this request, keep the answer and cut the client off. */
  readonly cutReply: boolean;
}

export interface ConnectionHooks {
  onRequest(command: string[], connection: ProxyConnection): Verdict;
  /** What the client gets in place of the reply to this command. */
  onReply(command: string[], reply: Buffer): Buffer;
  onReplyCut(command: string[]): void;
  onClosed(connection: ProxyConnection): void;
}

const subscribing = /^[ps]?subscribe$/i;
const pushing = /^[ps]?(?:un)?subscribe$/i;

export class ProxyConnection {
  readonly id: number;
  /** Every command this client sent so far. */
  readonly commands: string[][] = [];
  /** It has asked for messages of a channel. */
  isSubscriber = false;
  readonly up: Pipe;
  readonly down: Pipe;
  readonly #client: Socket;
  readonly #server: Socket;
  readonly #hooks: ConnectionHooks;
  readonly #unanswered: { command: string[]; cutReply: boolean }[] = [];

  constructor(
    id: number,
    client: Socket,
    target: { host: string; port: number },
    hooks: ConnectionHooks,
  ) {
    this.id = id;
    this.#client = client;
    this.#server = connect(target);
    this.#hooks = hooks;
    this.up = new Pipe((bytes) => {
      deliver(this.#server, bytes);
    });
    this.down = new Pipe((bytes) => {
      deliver(this.#client, bytes);
    });
    for (const socket of [this.#client, this.#server]) {
      socket.setNoDelay(true);
      socket.on('error', () => undefined);
    }
    this.#listen();
  }

  /** Whether the client's side is still open. */
  get isOpen(): boolean {
    return !this.#client.destroyed;
  }

  /** Whether the server's side is still open: it closes behind what was held, when that has run. */
  get reachesServer(): boolean {
    return !this.#server.destroyed;
  }

  /** Resets the client's side at once. Held requests still reach the server on release. */
  cut(): void {
    this.#client.resetAndDestroy();
    if (!this.up.isHeld) {
      this.up.clear();
      this.#server.destroy();
    }
  }

  /** From now on nothing passes in either direction, and nobody is told. */
  swallow(): void {
    this.up.swallows = true;
    this.down.swallows = true;
  }

  /** Ends both sides, held requests included. */
  destroy(): void {
    this.up.clear();
    this.down.clear();
    this.#client.destroy();
    this.#server.destroy();
  }

  #listen(): void {
    const requests = new RequestSplitter();
    const replies = new ReplySplitter();
    this.#client.on('data', (chunk) => {
      for (const { command, bytes } of requests.push(chunk)) {
        this.#read(command);
        this.up.push(bytes);
      }
    });
    this.#server.on('data', (chunk) => {
      for (const { bytes, isPush } of replies.push(chunk, this.isSubscriber)) {
        const request = isPush ? undefined : this.#unanswered.shift();
        if (request?.cutReply === true) {
          this.cut();
          this.#hooks.onReplyCut(request.command);
          return;
        }
        this.down.push(request ? this.#hooks.onReply(request.command, bytes) : bytes);
      }
    });
    this.#client.on('close', () => {
      if (this.up.swallows) {
        this.#server.destroy();
      }
      this.up.push(undefined);
      this.#hooks.onClosed(this);
    });
    this.#server.on('close', () => {
      this.down.push(undefined);
    });
  }

  #read(command: string[]): void {
    const name = command[0] ?? '';
    this.commands.push(command);
    this.isSubscriber ||= subscribing.test(name);
    const { hold, cutReply } = this.#hooks.onRequest(command, this);
    if (hold) {
      this.up.stop('held');
    }
    // Subscriptions are answered by pushes, which are not counted.
    if (!pushing.test(name)) {
      this.#unanswered.push({ command, cutReply });
    }
  }
}

function deliver(socket: Socket, bytes: Buffer | undefined): void {
  if (bytes === undefined) {
    socket.end();
  } else if (!socket.destroyed) {
    socket.write(bytes);
  }
}
