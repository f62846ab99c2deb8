import type { PendingCall } from '../wire/call.js';
import type { Environment } from './environment.js';
import type { Server } from './connection.js';
import { addressOf, type Access } from './access.js';
import { CommandConnection } from './command-connection.js';
import { OneServer } from './one-server.js';
import { NODE_OF_CLUSTER, unsupportedServer } from './server-errors.js';
import { readRedirection } from './slots.js';
import { Subscriber, type Post, type SubscriberOwner } from './subscriber.js';

/** The client as its router sees it: it gets the events of the connections. */
export interface RouterOwner extends SubscriberOwner {
  /** How long a command may stay unanswered before its connection counts as half-open. */
  readonly answerLimitMs: number;
  /** How long the answer to a call may take because of other calls. */
  readonly wayMs: number;
  readonly access: Access;
  up(): void;
  down(cause: Error): void;
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

/** Which server the calls for a key go to. */
export interface Routes {
  /** Why nothing can be sent for `key` just now; undefined when it can. */
  whyDown(key: string): Error | undefined;
  /** The group of a key. Keys of different groups cannot share a script call. */
  groupOf(key: string): string;
}

/** Brings calls and subscriptions to the server that is responsible for them. */
export interface Router extends Routes {
  readonly channels: Channels;
  /** The command that reaches the subscribers of a channel: sharded in a cluster that can. */
  readonly publish: 'PUBLISH' | 'SPUBLISH';
  readonly isCluster: boolean;
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
  readonly #link: CommandConnection;

  constructor(server: Server, environment: Environment, owner: RouterOwner) {
    const oneServer = new OneServer(addressOf(server.options), (error) => owner.trouble(error));
    this.#link = new CommandConnection(server, environment, {
      ...owner,
      isNode: false,
      oneServer,
      redirected: (call, error) => refuseNode(call, error),
    });
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
    this.#link.send(call);
  }

  whyDown(): Error | undefined {
    return this.#link.whyDown;
  }

  groupOf(): string {
    return '';
  }

  close(error: Error): void {
    this.#link.close(error);
    this.channels.close();
  }
}
