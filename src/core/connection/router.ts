import type { PendingCall } from '../wire/call.js';
import type { Environment } from './environment.js';
import type { Server } from './connection-owner.js';
import { addressOf, type Access } from './access.js';
import { CommandConnection } from './command-connection.js';
import { Lanes } from './lanes.js';
import { OneServer } from './one-server.js';
import type { Examined } from './server-check.js';
import { NODE_OF_CLUSTER, unsupportedServer } from './server-errors.js';
import { readRedirection } from './slots.js';
import { Subscriber } from './subscriber.js';
import type { Post, SubscriberOwner } from './subscriber-owner.js';

/** The client as its router sees it: it gets the events of the connections. */
export interface RouterOwner extends SubscriberOwner {
  /** How long a command may stay unanswered before its connection counts as half-open. */
  readonly answerLimitMs: number;
  /** Of the client: a server may fall behind by a part of it. */
  readonly leaseMs: number;
  /** The longest pause before something is repeated because of an answer. */
  readonly maxPauseMs: number;
  readonly access: Access;
  up(): void;
  down(cause: Error): void;
  /** The server at an address was examined, of each new connection for commands. */
  examined(examined: Examined, address: string): void;
}

/** The channels that a client subscribes to. */
export interface Channels {
  add(channel: string): void;
  remove(channel: string): void;
  /** It is subscribed: no message on it is missed. */
  isConfirmed(channel: string): boolean;
  /** The server does not let this client listen to it. */
  isRefused(channel: string): boolean;
}

/** Requests something of one server, outside of the order of calls; rejects with its refusal. */
export type Query = (command: string, ...args: string[]) => Promise<unknown>;

/** Which server the calls for a key go to. */
export interface Routes {
  /** Why nothing can be sent for `key` just now, by the connection of this lane; undefined when it can. */
  whyDown(key: string, lane?: number): Error | undefined;
  /** Since when; undefined when it can. */
  downSince(key: string): number | undefined;
  /** The group of a key. Keys of different groups cannot share a script call. */
  groupOf(key: string): string;
}

/** Brings calls and subscriptions to the server that is responsible for them. */
export interface Router extends Routes {
  readonly channels: Channels;
  /** The command that reaches the subscribers of a channel: sharded in a cluster that can. */
  readonly publish: 'PUBLISH' | 'SPUBLISH';
  readonly isCluster: boolean;
  readonly topology: 'single' | 'sentinel' | 'cluster';
  /** Each master that is known, to be asked about itself. A query rejects while it is not connected. */
  masters(): readonly Query[];
  /** The server that the calls for a key go to, as far as is known. */
  nodeOf(key: string): string;
  open(): void;
  send(call: PendingCall): void;
  /** Ends all connections; calls under way fail with `error`. */
  close(error: Error): void;
}

/** A node of a cluster was given as a server. */
function refuseNode(call: PendingCall, error: Error): boolean {
  if (readRedirection(error.message, { host: '', port: 0 }) === undefined) {
    return false;
  }
  call.fail(unsupportedServer('', { ...NODE_OF_CLUSTER, cause: error }));
  return true;
}

/** Routes everything to one server (or to the master that Sentinel names). */
export class SingleRouter implements Router {
  readonly channels: Subscriber;
  readonly publish = 'PUBLISH';
  readonly isCluster = false;
  readonly topology: 'single' | 'sentinel';
  readonly #link: CommandConnection;
  readonly #lanes: Lanes;

  constructor(server: Server, environment: Environment, owner: RouterOwner) {
    this.topology = (server.options.sentinels ?? null) === null ? 'single' : 'sentinel';
    const oneServer = new OneServer(addressOf(server.options), (error) => owner.trouble(error));
    const own = { ...owner, isNode: false, oneServer, redirected: refuseNode };
    this.#link = new CommandConnection(server, environment, own);
    this.#lanes = new Lanes(this.#link, server, environment, own);
    const post: Post = {
      server,
      oneServer,
      publish: async (command, channel, payload) =>
        await this.#link.query(command, channel, payload),
      moved: () => {},
    };
    this.channels = new Subscriber(post, environment, owner);
  }

  open(): void {
    this.#link.open();
  }

  send(call: PendingCall): void {
    this.#lanes.send(call);
  }

  masters(): readonly Query[] {
    return [this.#link.query.bind(this.#link)];
  }

  whyDown(_key: string, lane = 0): Error | undefined {
    return this.#lanes.whyDown(lane);
  }

  downSince(): number | undefined {
    return this.#link.downSince;
  }

  groupOf(): string {
    return '';
  }

  nodeOf(): string {
    return '';
  }

  close(error: Error): void {
    this.#lanes.close(error);
    this.channels.close();
  }
}
