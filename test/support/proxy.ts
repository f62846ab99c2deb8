// A TCP proxy in front of a Redis that does what networks do: delay, swallow, cut, refuse, deliver
// late. It reads the requests that pass, so that a test can pick the very command to hit.

import { createServer, type Server, type Socket } from 'node:net';
import { reservePort, type Reservation } from '../../scripts/redis/ports.mjs';
import { ProxyConnection } from './proxy-connection.js';
import { atFileEnd } from './file-end.js';

export type { ProxyConnection } from './proxy-connection.js';
export type RequestPredicate = (command: string[], connection: ProxyConnection) => boolean;
export type ConnectionPredicate = (connection: ProxyConnection) => boolean;

/** Gives what a client gets in place of the reply to its command. */
export type ReplyRewriter = (command: string[], reply: Buffer) => Buffer;

export interface CutHandle {
  /** The commands whose answers were kept so far: the server has run them. */
  readonly cut: readonly string[][];
  cancel(): void;
}

export interface HoldHandle {
  /** The first matching command of each held connection. */
  readonly held: readonly string[][];
  /** Delivers what was held, also from clients that are gone, and stops holding. */
  release(): void;
}

interface HoldRule {
  readonly predicate: RequestPredicate;
  readonly connections: Set<ProxyConnection>;
  readonly held: string[][];
}

interface CutRule {
  readonly predicate: RequestPredicate;
  readonly cut: string[][];
  left: number;
}

const proxies = new Set<Proxy>();

atFileEnd(async () => {
  await Promise.all([...proxies].map(async (proxy) => await proxy.close()));
});

export class Proxy {
  readonly port: number;
  readonly #reservation: Reservation;
  #target: () => { host: string; port: number };
  readonly #open = new Set<ProxyConnection>();
  readonly #all = new Set<ProxyConnection>();
  readonly #holds = new Set<HoldRule>();
  readonly #cuts = new Set<CutRule>();
  /** Which rule picked a command whose answer is still to come. */
  readonly #chosen = new WeakMap<string[], CutRule>();
  readonly #delay = { upMs: 0, downMs: 0 };
  #paceMs = 0;
  readonly #paused = { up: false, down: false };
  #rewriter: ReplyRewriter = (_, reply) => reply;
  #server: Server | undefined;
  #lastId = 0;

  constructor(reservation: Reservation, target: { host: string; port: number }) {
    this.port = reservation.port;
    this.#reservation = reservation;
    this.#target = () => target;
  }

  get url(): string {
    return `redis://127.0.0.1:${this.port}`;
  }

  /** The connections whose client side is open, oldest first. */
  connections(): ProxyConnection[] {
    return [...this.#open];
  }

  /** All there ever were, oldest first. */
  everyConnection(): ProxyConnection[] {
    return [...this.#all];
  }

  /** Every command that came through so far, by connection, closed ones included. */
  requests(): string[][] {
    return [...this.#all].flatMap((connection) => connection.commands);
  }

  /** Resets every connection, or those that match; says how many. */
  cutAll(which: ConnectionPredicate = () => true): number {
    const chosen = this.connections().filter(which);
    for (const connection of chosen) {
      connection.cut();
    }
    return chosen.length;
  }

  /** From now on replies pass through `rewriter`; without one they pass as they are. */
  rewriteReplies(rewriter: ReplyRewriter = (_, reply) => reply): void {
    this.#rewriter = rewriter;
  }

  /** Keeps what clients send, ends included, until `resumeUpstream()`. */
  pauseUpstream(): void {
    this.#pause('up');
  }

  resumeUpstream(): void {
    this.#resume('up');
  }

  /** Keeps what the server sends, ends included, until `resumeDownstream()`. */
  pauseDownstream(): void {
    this.#pause('down');
  }

  resumeDownstream(): void {
    this.#resume('down');
  }

  /** Delays what is sent from now on. */
  delay({ upMs = 0, downMs = 0 }: { upMs?: number; downMs?: number }): void {
    Object.assign(this.#delay, { upMs, downMs });
    for (const connection of this.#all) {
      connection.up.delayMs = upMs;
      connection.down.delayMs = downMs;
    }
  }

  /** Each connection gets so many requests a second through, as to a busy server; 0: any number. */
  pace(perSecond: number): void {
    this.#paceMs = perSecond === 0 ? 0 : 1_000 / perSecond;
    for (const connection of this.#all) {
      connection.up.setPace(this.#paceMs);
    }
  }

  /** New connections lead to another server, each to the one that is chosen then. */
  leadTo(choose: () => string): void {
    this.#target = () => addressOf(choose());
  }

  /** New connections are refused; open ones stay, and so does the port: nobody else gets it. */
  refuse(): void {
    this.#server?.close();
    this.#server = undefined;
  }

  /** New connections are accepted again, on the same port. */
  async accept(): Promise<void> {
    if (this.#server !== undefined) {
      return;
    }
    const server = createServer((client) => {
      this.#connect(client);
    });
    this.#server = server;
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen({ port: this.port, host: '127.0.0.1' }, resolve);
    });
  }

  /**
   * Lets the server run the next matching commands, keeps their answers, and resets their clients.
   *
   * @param options.times how many to hit, default 1
   */
  cutReplyAfter(predicate: RequestPredicate, { times = 1 }: { times?: number } = {}): CutHandle {
    const rule: CutRule = { predicate, cut: [], left: times };
    this.#cuts.add(rule);
    return { cut: rule.cut, cancel: () => this.#cuts.delete(rule) };
  }

  /** Holds matching requests and all that follows on their connections, until released. */
  holdRequests(predicate: RequestPredicate): HoldHandle {
    const rule: HoldRule = { predicate, connections: new Set(), held: [] };
    this.#holds.add(rule);
    const release = (): void => {
      this.#holds.delete(rule);
      for (const connection of rule.connections) {
        if (![...this.#holds].some((other) => other.connections.has(connection))) {
          connection.up.go('held');
        }
      }
    };
    return { held: rule.held, release };
  }

  /** The matching open connections swallow everything in both directions until closed. */
  halfOpen(which: ConnectionPredicate): ProxyConnection[] {
    const chosen = this.connections().filter(which);
    for (const connection of chosen) {
      connection.swallow();
    }
    return chosen;
  }

  /** Ends everything, held requests included, and frees the port. Idempotent. */
  async close(): Promise<void> {
    proxies.delete(this);
    this.refuse();
    this.#reservation.release();
    for (const connection of this.#all) {
      connection.destroy();
    }
    await Promise.resolve();
  }

  #pause(direction: 'up' | 'down'): void {
    this.#paused[direction] = true;
    for (const connection of this.#all) {
      connection[direction].stop('paused');
    }
  }

  #resume(direction: 'up' | 'down'): void {
    this.#paused[direction] = false;
    for (const connection of this.#all) {
      connection[direction].go('paused');
    }
  }

  #connect(client: Socket): void {
    this.#lastId += 1;
    const connection = new ProxyConnection(this.#lastId, client, this.#target(), {
      onRequest: (command, from) => ({
        hold: this.#shouldHold(command, from),
        cutReply: this.#shouldCut(command, from),
      }),
      onReply: (command, reply) => this.#rewriter(command, reply),
      onReplyCut: (command) => {
        this.#chosen.get(command)?.cut.push(command);
      },
      onClosed: (closed) => this.#open.delete(closed),
    });
    connection.up.delayMs = this.#delay.upMs;
    connection.down.delayMs = this.#delay.downMs;
    connection.up.setPace(this.#paceMs);
    for (const direction of ['up', 'down'] as const) {
      if (this.#paused[direction]) {
        connection[direction].stop('paused');
      }
    }
    this.#open.add(connection);
    this.#all.add(connection);
  }

  #shouldCut(command: string[], connection: ProxyConnection): boolean {
    for (const rule of this.#cuts) {
      if (rule.left > 0 && rule.predicate(command, connection)) {
        rule.left -= 1;
        this.#chosen.set(command, rule);
        return true;
      }
    }
    return false;
  }

  #shouldHold(command: string[], connection: ProxyConnection): boolean {
    for (const rule of this.#holds) {
      if (!rule.connections.has(connection) && rule.predicate(command, connection)) {
        rule.connections.add(connection);
        rule.held.push(command);
        return true;
      }
    }
    return false;
  }
}

/**
 * Starts a proxy that ends with the test file.
 *
 * @param options.target where the Redis is: its address, or host and port
 */
export async function startProxy({
  target,
}: {
  target: string | { host?: string; port: number };
}): Promise<Proxy> {
  const { host, port } = typeof target === 'string' ? addressOf(target) : target;
  const proxy = new Proxy(await reservePort(), { host: host ?? '127.0.0.1', port });
  await proxy.accept();
  proxies.add(proxy);
  return proxy;
}

function addressOf(url: string): { host: string; port: number } {
  const { hostname, port } = new URL(url);
  return { host: hostname, port: port === '' ? 6379 : Number(port) };
}
