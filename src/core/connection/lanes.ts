import type { PendingCall } from '../wire/call.js';
import { CommandConnection, type CommandConnectionOwner } from './command-connection.js';
import type { Server } from './connection-owner.js';
import type { Environment } from './environment.js';

/** The lane of ordinary calls. */
const ORDINARY = 0;

/** The connections to one server: that of its ordinary calls, and others beside it, each of which is opened for the
 * first call that takes it. What stops one of them stops no call of the others. */
export class Lanes {
  readonly #server: Server;
  readonly #environment: Environment;
  readonly #owner: CommandConnectionOwner;
  readonly #ordinary: CommandConnection;
  readonly #links: Map<number, CommandConnection>;
  #closedBy: Error | undefined;

  constructor(
    ordinary: CommandConnection,
    server: Server,
    environment: Environment,
    owner: Omit<CommandConnectionOwner, 'up' | 'down'>,
  ) {
    this.#ordinary = ordinary;
    this.#links = new Map([[ORDINARY, ordinary]]);
    this.#server = server;
    this.#environment = environment;
    // What is known of the server does not depend on those beside it.
    this.#owner = { ...owner, up: () => {}, down: () => {} };
  }

  send(call: PendingCall): void {
    const link = call.lane === ORDINARY ? this.#ordinary : this.#link(call.lane);
    link.send(call);
  }

  whyDown(lane: number): Error | undefined {
    return this.#links.get(lane)?.whyDown;
  }

  /** Takes out the calls that wait for a connection. */
  takeWaiting(): PendingCall[] {
    return [...this.#links.values()].flatMap((link) => (link.isUp ? [] : link.takeWaiting()));
  }

  /** Ends the connections and takes out every call, for another server to carry out. */
  retire(): PendingCall[] {
    return [...this.#links.values()].flatMap((link) => link.retire());
  }

  /** Ends the connections; every call still under way fails with `error`. */
  close(error: Error): void {
    this.#closedBy = error;
    for (const link of this.#links.values()) {
      link.close(error);
    }
  }

  #link(lane: number): CommandConnection {
    let link = this.#links.get(lane);
    if (link === undefined) {
      link = new CommandConnection(this.#server, this.#environment, this.#owner);
      this.#links.set(lane, link);
      if (this.#closedBy === undefined) {
        link.open();
      } else {
        link.close(this.#closedBy);
      }
    }
    return link;
  }
}
