import type { Clock } from '../base/clock.js';
import type { Connection } from './connection.js';
import type { Redis } from './driver.js';
import type { OneServer } from './one-server.js';

/** A server that stays read-only is connected to anew at most this often. */
const PERIOD_MS = 1_000;

/** Leaves a master that was demoted: its address may lead to another one by now. */
export class Demotion {
  readonly #clock: Clock;
  readonly #connection: Connection;
  readonly #oneServer: OneServer;
  #leftAt = Number.NEGATIVE_INFINITY;

  constructor(clock: Clock, connection: Connection, oneServer: OneServer) {
    this.#clock = clock;
    this.#connection = connection;
    this.#oneServer = oneServer;
  }

  /** The server has refused a call for the moment. */
  refused(redis: Redis, error: Error): void {
    const now = this.#clock.now();
    if (error.message.includes('READONLY') && now - this.#leftAt > PERIOD_MS) {
      this.#leftAt = now;
      this.#connection.drop(redis, error);
      this.#oneServer.demoted(this.#connection, error);
    }
  }
}
