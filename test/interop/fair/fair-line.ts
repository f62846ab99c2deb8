// The line of a fair lock in which Java threads, Node clients and Node processes stand together.

import type { AcquireOptions, Client } from '../../../src/index.js';
import type { Finishing } from '../../faults/world.js';
import { FairView } from '../../integration/fair-lock/fair.js';
import { eventually } from '../../support/eventually.js';
import type { Worker } from '../../support/processes.js';
import type { JavaThread } from '../support/java.js';
import type { World } from '../support/world.js';

/** Somebody in the line. */
export interface Place {
  readonly holderId: string;
  /** Fulfilled when it has had its turn, or has given up. */
  readonly over: Promise<unknown>;
}

/** How Java asks: `async: true` keeps no thread waiting. */
export interface JavaWait {
  readonly waitMs?: number;
  readonly async?: boolean;
}

/** Each turn is noted on the server by whoever has the lock, and so in the order of the grants. */
export class MixedLine extends FairView {
  readonly #turns: string;

  constructor({ raw, name }: Pick<World, 'raw' | 'name'>, context: Finishing) {
    super(raw, name);
    // Where the workers note theirs.
    this.#turns = `${name}:served`;
    context.onTestFinished(async () => {
      await raw.del(this.#turns, `${name}:gauge`);
      await this.clear();
    });
  }

  /** Who had a turn, in order. */
  async served(): Promise<string[]> {
    return await this.raw.lrange(this.#turns, 0, -1);
  }

  async forgetServed(): Promise<void> {
    await this.raw.del(this.#turns);
  }

  /** Waits until all of these had a turn. */
  async hadTurns(places: readonly Place[], withinMs: number): Promise<void> {
    await eventually(
      async () => {
        const served = new Set(await this.served());
        return places.every(({ holderId }) => served.has(holderId));
      },
      { withinMs },
    );
  }

  /** Begins to wait, and returns when it stands in the line. */
  async join(wait: () => Promise<unknown>): Promise<Place> {
    const before = new Set(await this.waiting());
    const over = wait();
    // Looked at when it is awaited; until then nobody may take it for unhandled.
    over.catch(() => undefined);
    const holderId = await eventually(
      async () => (await this.waiting()).find((each) => !before.has(each)) ?? null,
      { withinMs: 20_000 },
    );
    return { holderId, over };
  }

  /** A turn of a Java thread; answers whether it got one. */
  async java(thread: JavaThread, wait: JavaWait = {}): Promise<boolean> {
    const op = wait.waitMs === undefined ? 'fair.lock' : 'fair.tryLock';
    const holderId = await thread.holderId();
    const isIn = await thread.call<boolean | null>(op, this.name, { ...wait });
    if (isIn === false) {
      return false;
    }
    await this.#note(holderId);
    await thread.call('fair.unlock', this.name);
    return true;
  }

  /** A turn of a client of this process; answers whether it got one. */
  async node(client: Client, options: AcquireOptions = {}): Promise<boolean> {
    const lock = client.getFairLock(this.name);
    const hold =
      options.waitMs === undefined ? await lock.acquire(options) : await lock.tryAcquire(options);
    if (hold === null) {
      return false;
    }
    await this.#note(hold.holderId);
    await hold.release();
    return true;
  }

  /** A turn of `workers/queuer.mjs`. */
  async process(worker: Worker, id: number): Promise<void> {
    worker.send({ type: 'queue', id });
    await worker.message('over', { withinMs: 40_000 });
  }

  async #note(holderId: string): Promise<void> {
    await this.raw.rpush(this.#turns, holderId);
  }
}
