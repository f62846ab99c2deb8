import type { Health } from '../observe/troubles.js';
import type { Kind } from './channel-kind.js';
import type { Server } from './connection-owner.js';
import type { OneServer } from './one-server.js';

/** The owner of a subscriber. */
export interface SubscriberOwner {
  readonly health: Health;
  message(channel: string, payload: string): void;
  /** From now on no message on `channel` is missed; earlier ones may have been. */
  confirmed(channel: string): void;
  trouble(error: Error): void;
  /** The server refuses a channel, and will do so until the user is given the right to it. */
  refused(error: Error): void;
  /** Code of this client threw. The error is reported, and the connection goes on. */
  fault(error: Error): void;
}

/** The server of a subscriber, and what else there is between it and this client. */
export interface Post {
  readonly server: Server;
  readonly oneServer: OneServer;
  /** Publishes by the command connection; rejects unless the server has accepted the message. */
  publish(command: Kind['publish'], channel: string, payload: string): Promise<unknown>;
  /** Channels are in slots that this server serves no more. */
  moved(): void;
}
