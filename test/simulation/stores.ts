// Counters outside of Redis, which workers change under a lock.

import type { StoreRecord, Write } from './history.js';

export interface Store {
  /** Undefined when the token is too small. */
  read(token: bigint): number | undefined;
  /** True when it was taken. */
  write(token: bigint, value: number): boolean;
  readonly value: number;
}

/** Refuses everybody with a token smaller than one that it has seen. */
export class FencedStore implements Store {
  #highest = -1n;
  #value = 0;

  get value(): number {
    return this.#value;
  }

  // A read counts as seen, too: an older write could else come between it and its own write.
  read(token: bigint): number | undefined {
    return this.#admits(token) ? this.#value : undefined;
  }

  write(token: bigint, value: number): boolean {
    if (!this.#admits(token)) {
      return false;
    }
    this.#value = value;
    return true;
  }

  #admits(token: bigint): boolean {
    if (token < this.#highest) {
      return false;
    }
    this.#highest = token;
    return true;
  }
}

/** Takes everything. It shows that the runs contain what fencing is for. */
export class OpenStore implements Store {
  #value = 0;

  get value(): number {
    return this.#value;
  }

  read(): number {
    return this.#value;
  }

  write(_token: bigint, value: number): boolean {
    this.#value = value;
    return true;
  }
}

type Round = Omit<Write, 'read' | 'isAccepted' | 'wroteAt'>;

/** A store, and what was written to it. */
export class RecordedStore implements StoreRecord {
  readonly writes: Write[] = [];
  readonly #store: Store;

  constructor(store: Store) {
    this.#store = store;
  }

  get value(): number {
    return this.#store.value;
  }

  /** Reads, and returns how to write one more. */
  begin(round: Round): (wroteAt: number) => void {
    const read = this.#store.read(round.token);
    return (wroteAt) => {
      if (read !== undefined) {
        const isAccepted = this.#store.write(round.token, read + 1);
        this.writes.push({ ...round, read, wroteAt, isAccepted });
      }
    };
  }
}
