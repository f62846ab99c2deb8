import type { Health } from '../observe/troubles.js';
import type { CredentialsOrigin } from '../base/credentials-options.js';
import type { Redis, Use } from './driver.js';
import type { ConnectionOptions } from './driver-types.js';
import type { OneServer } from './one-server.js';
import type { Examined } from './server-check.js';

/** How to reach a server. */
export interface Server {
  readonly options: ConnectionOptions;
  /** A connection that is not ready within this time is given up and made anew. */
  readonly readyLimitMs: number;
  /** Gives what to sign in with; undefined: the options have it. */
  readonly credentials?: CredentialsOrigin | undefined;
}

/** The owner of a connection. */
export interface ConnectionOwner {
  /** A connection is established, signed in and ready. */
  connected(redis: Redis): void;
  /** The connection is gone, and nothing outstanding on it will be answered. */
  disconnected(cause: Error): void;
  /** Examines the server behind a connection; `examined` gets what it has found, before that is used. */
  readonly examine: (redis: Redis) => Promise<Examined>;
  examined(examined: Examined, address: string): void;
  /** The connections to the same address. */
  readonly oneServer: OneServer;
  /** Finds out whether the connection still hears what is published at its address. */
  prove?(): void;
  /** An attempt to connect failed. */
  failed(cause: Error): void;
  /** Something failed that ends no connection. */
  trouble(error: Error): void;
  /** The credentials run out, and another connection is to take its place. Without it the connection signs in again,
   * by `query`. */
  replace?(): void;
  /** Writes a command that is no call; the connection ends when it hears nothing for too long. */
  query?(write: () => Promise<unknown>): Promise<unknown>;
  /** One of these functions, or a function of the template, threw. The connection goes on. */
  fault(error: Error): void;
  readonly health: Health;
  readonly use: Use;
}
