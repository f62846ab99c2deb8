import type { PendingCall } from '../wire/call.js';
import type { Health } from '../observe/troubles.js';

/** No key has this name: stands for the server as a whole. */
const ANY_KEY = '';

/** The calls that one server refuses for now, and which are sent again, so that people are told. */
export class Refusals {
  readonly #health: Health;
  readonly #trouble: string;
  readonly #keys = new Set<string>();

  constructor(health: Health, address: string) {
    this.#health = health;
    this.#trouble = `Redis at ${address} refuses calls`;
  }

  /** A call was refused; `key`: because of its key, so that others may be carried out. */
  add(error: Error, key: string = ANY_KEY): void {
    this.#keys.add(key);
    this.#health.shown(this.#trouble, key, error);
  }

  /** A call was carried out. */
  carriedOut(call: PendingCall): void {
    if (this.#keys.size > 0) {
      this.#delete(call.routingKey);
      this.#delete(ANY_KEY);
    }
  }

  close(): void {
    for (const key of this.#keys) {
      this.#delete(key);
    }
  }

  #delete(key: string): void {
    if (this.#keys.delete(key)) {
      this.#health.up(this.#trouble, key);
    }
  }
}
