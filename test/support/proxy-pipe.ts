// One direction of a proxied connection: bytes in order, which may wait, come late or be swallowed.

/** Why bytes wait: all traffic of the direction, or one connection's requests. */
type Stop = 'paused' | 'held';

interface Item {
  /** Undefined: the sender closed, after all that came before. */
  readonly bytes: Buffer | undefined;
  /** When it would be due without a pace. */
  readonly arrivesAt: number;
  dueAt: number;
}

export class Pipe {
  delayMs = 0;
  swallows = false;
  readonly #deliver: (bytes: Buffer | undefined) => void;
  readonly #queue: Item[] = [];
  readonly #stops = new Set<Stop>();
  #timer: NodeJS.Timeout | undefined;
  #lastDueAt = 0;
  #paceMs = 0;

  /** @param deliver gets each piece in its time; undefined is the end */
  constructor(deliver: (bytes: Buffer | undefined) => void) {
    this.#deliver = deliver;
  }

  /** Time from each piece to the next one, as on a server that is busy; 0 ends that, also for what waits. */
  setPace(paceMs: number): void {
    this.#paceMs = paceMs;
    if (paceMs === 0) {
      for (const item of this.#queue) {
        item.dueAt = item.arrivesAt;
      }
      this.#flush();
    }
  }

  push(bytes: Buffer | undefined): void {
    if (!this.swallows) {
      // Without a pace the last piece does not matter: a test may have set the clock back since.
      const pacedAt = this.#paceMs > 0 ? this.#lastDueAt + this.#paceMs : Number.NEGATIVE_INFINITY;
      const arrivesAt = performance.now() + this.delayMs;
      const dueAt = Math.max(arrivesAt, pacedAt);
      this.#lastDueAt = dueAt;
      this.#queue.push({ bytes, arrivesAt, dueAt });
      this.#flush();
    }
  }

  stop(reason: Stop): void {
    this.#stops.add(reason);
  }

  go(reason: Stop): void {
    this.#stops.delete(reason);
    this.#flush();
  }

  /** Whether it keeps bytes that will be delivered on request. */
  get isHeld(): boolean {
    return this.#stops.has('held');
  }

  clear(): void {
    this.#queue.length = 0;
    clearTimeout(this.#timer);
  }

  #flush(): void {
    clearTimeout(this.#timer);
    for (;;) {
      const [item] = this.#queue;
      if (item === undefined || this.#stops.size > 0) {
        return;
      }
      const leftMs = item.dueAt - performance.now();
      if (leftMs > 0) {
        this.#timer = setTimeout(() => {
          this.#flush();
        }, leftMs);
        return;
      }
      this.#queue.shift();
      this.#deliver(item.bytes);
    }
  }
}
