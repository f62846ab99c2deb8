import { soon } from '../base/async-context.js';
import { asError } from '../wire/replies.js';
import { RepeatPause, type PauseParts } from './repeat-pause.js';

/** The owner of a map of slots. */
export interface MapOwner {
  /** Reads the map. */
  read(): Promise<void>;
  /** Slots without a master, or masters without a connection. */
  hasGaps(): boolean;
  fault(error: Error): void;
}

/** Reads the map of slots at once when something shows that it has changed. What shows it again and again, gaps and
 * nodes that are down included, has it read after pauses that grow. */
export class MapRefresh {
  readonly #owner: MapOwner;
  readonly #pause: RepeatPause;
  #isReading = false;
  #isWanted = false;
  #isClosed = false;

  constructor(environment: PauseParts, maxPauseMs: number, owner: MapOwner) {
    this.#owner = owner;
    this.#pause = new RepeatPause(environment, maxPauseMs, () => this.#begin());
  }

  soon(): void {
    // An answer that is under way may be older than this.
    this.#isWanted = true;
    if (!this.#isClosed && !this.#isReading) {
      this.#pause.begin();
    }
  }

  close(): void {
    this.#isClosed = true;
    this.#pause.cancel();
  }

  #begin(): void {
    this.#isReading = true;
    this.#isWanted = false;
    soon(() => void this.#read());
  }

  async #read(): Promise<void> {
    try {
      await this.#owner.read();
    } catch (error) {
      this.#owner.fault(asError(error));
    } finally {
      this.#isReading = false;
      if (!this.#isClosed && (this.#isWanted || this.#owner.hasGaps())) {
        this.#pause.begin();
      }
    }
  }
}
