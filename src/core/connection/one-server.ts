/** A connection to an address, among others to the same one. */
export interface Side {
  /** Ends the connection, if there is one, and makes another. */
  leave(cause: Error): void;
  /** Finds out whether the connection still hears what is published at this address. */
  prove(): void;
  /** Ends the pause before the next attempt to connect, if it is in one. */
  tryNow(): void;
}

/** So often in a row connections to different servers are made anew; from then on they stay. */
const DIFFERENT_MAX = 3;

/**
 * Keeps the connections to one address at one server: after a failover behind the address, an older one
 * still leads to the server that was the master before. Servers are told apart by their `run_id`; where
 * one hides it, messages to oneself show it.
 */
export class OneServer {
  readonly #address: string;
  readonly #report: (error: Error) => void;
  readonly #runIds = new Map<Side, string | undefined>();
  /** They have no connection. */
  readonly #down = new Set<Side>();
  #different = 0;

  constructor(address: string, report: (error: Error) => void) {
    this.#address = address;
    this.#report = report;
  }

  /** A connection is ready. */
  learned(side: Side, runId: string | undefined): void {
    this.#runIds.set(side, runId);
    this.#down.delete(side);
    // The server is there (again), so none of the others needs to wait out its pause.
    for (const other of this.#down) {
      other.tryNow();
    }
    const others = [...this.#runIds].filter(([other]) => other !== side);
    const elsewhere = others.filter(([, other]) => isOther(runId, other));
    const isProved = !others.some(([, other]) => runId === undefined || other === undefined);
    if (!isProved) {
      for (const [each] of this.#runIds) {
        each.prove();
      }
    }
    if (elsewhere.length > 0) {
      this.#differ(runId, elsewhere);
    } else if (others.length > 0) {
      this.#different = 0;
    }
  }

  /** A connection is gone, or could not be made; it will be tried again. */
  lost(side: Side): void {
    this.#runIds.delete(side);
    this.#down.add(side);
  }

  /** The connection is closed for good. */
  ended(side: Side): void {
    this.#runIds.delete(side);
    this.#down.delete(side);
  }

  /** The server of this connection is the master no more: the others may have been led to it, too. */
  demoted(side: Side, cause: Error): void {
    for (const [other] of [...this.#runIds].filter(([each]) => each !== side)) {
      other.leave(cause);
    }
  }

  #differ(
    runId: string | undefined,
    elsewhere: readonly (readonly [Side, string | undefined])[],
  ): void {
    this.#different += 1;
    const ids = [runId, ...elsewhere.map(([, other]) => other)].join(' and ');
    const error = new Error(`connections to ${this.#address} lead to different servers: ${ids}`);
    if (this.#different < DIFFERENT_MAX) {
      for (const [side] of elsewhere) {
        side.leave(error);
      }
    } else if (this.#different === DIFFERENT_MAX) {
      this.#report(error);
    }
  }
}

function isOther(one: string | undefined, other: string | undefined): boolean {
  return one !== undefined && other !== undefined && one !== other;
}
