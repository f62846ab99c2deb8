import { checkInteger, INT32_MAX } from './base/arguments.js';
import { checkOptions, type OptionSet } from './base/options.js';
import type { ClientServices } from './client-services.js';
import type { ClientEvents } from './observe/events.js';
import { Printable } from './observe/printable.js';

const DEFAULT_CLOSE_TIMEOUT_MS = 5_000;

const CLOSING: OptionSet = {
  of: 'close',
  known: ['timeoutMs'],
  elsewhere: { waitMs: 'what close waits for at most is timeoutMs' },
};

/** The common part of the public clients: their id, their events, and how they end. */
export abstract class ClientFace extends Printable implements AsyncDisposable {
  readonly id: string;
  readonly #client: ClientServices;
  #closing: Promise<void> | undefined;

  constructor(client: ClientServices) {
    super();
    this.id = client.id;
    this.#client = client;
  }

  protected get stateName(): 'open' | 'closed' {
    return this.#closing === undefined ? 'open' : 'closed';
  }

  on<E extends keyof ClientEvents>(event: E, listener: ClientEvents[E]): this {
    this.#client.events.on(event, listener);
    return this;
  }

  once<E extends keyof ClientEvents>(event: E, listener: ClientEvents[E]): this {
    this.#client.events.once(event, listener);
    return this;
  }

  off<E extends keyof ClientEvents>(event: E, listener: ClientEvents[E]): this {
    this.#client.events.off(event, listener);
    return this;
  }

  async close(options?: { timeoutMs?: number | undefined }): Promise<void> {
    const { timeoutMs = DEFAULT_CLOSE_TIMEOUT_MS } = checkOptions('options', options, CLOSING) as {
      timeoutMs?: number | undefined;
    };
    checkInteger('timeoutMs', timeoutMs, 0, INT32_MAX);
    this.#closing ??= this.#close(timeoutMs);
    await this.#closing;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  async #close(timeoutMs: number): Promise<void> {
    this.#client.stopGranting();
    await this.#client.inTime(this.giveBack(), timeoutMs);
    this.shutDown();
    this.#client.shutDown();
  }

  /** Releases all that is held. Every `isHeld` is false when this returns; never rejects. */
  protected abstract giveBack(): Promise<void>;

  /** Ends all connections, timers and subscriptions. */
  protected abstract shutDown(): void;
}
