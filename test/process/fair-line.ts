// Who stands in the queue of a fair lock, and who was served.

import type { Redis } from 'ioredis';
import { eventually } from '../support/eventually.js';
import type { Worker } from '../support/processes.js';

/** Who waits for what. */
export interface Place {
  readonly worker: Worker;
  readonly id: number;
  readonly holderId: string;
}

/** The queue of a fair lock, as `workers/queuer.mjs` stands in it and is served. */
export class FairLine {
  readonly name: string;
  readonly queue: string;
  readonly timeouts: string;
  readonly beats: string;
  readonly places: Place[] = [];
  readonly #raw: Redis;

  constructor(raw: Redis, name: string) {
    this.#raw = raw;
    this.name = name;
    this.queue = `redisson_lock_queue:{${name}}`;
    this.timeouts = `redisson_lock_timeout:{${name}}`;
    this.beats = `redlatch_beats:{${name}}`;
  }

  async standing(): Promise<string[]> {
    return await this.#raw.lrange(this.queue, 0, -1);
  }

  /** Who had a turn, in order. */
  async served(): Promise<string[]> {
    return await this.#raw.lrange(`${this.name}:served`, 0, -1);
  }

  /** The worker asks, and stands in the queue. */
  async enter(worker: Worker): Promise<void> {
    const id = this.places.length;
    const before = await this.standing();
    worker.send({ type: 'queue', id });
    const holderId = await eventually(async () => {
      const now = await this.standing();
      return now.length > before.length && (now.at(-1) ?? null);
    });
    this.places.push({ worker, id, holderId });
  }

  async leave({ worker, id, holderId }: Place): Promise<void> {
    worker.send({ type: 'abort', id });
    await eventually(async () => !(await this.standing()).includes(holderId));
  }

  /** Who stands there for some workers. */
  of(workers: readonly Worker[], among: readonly string[]): string[] {
    const theirs = new Set(
      this.places.filter(({ worker }) => workers.includes(worker)).map(({ holderId }) => holderId),
    );
    return among.filter((holderId) => theirs.has(holderId));
  }

  /** As if those who are in the queue now had died long ago. */
  async bury(): Promise<void> {
    for (const client of await this.#raw.zrange(this.beats, '0', '-1')) {
      await this.#raw.zadd(this.beats, 'XX', 1, client);
    }
  }

  async clear(): Promise<void> {
    await this.#raw.del(`${this.name}:served`, `${this.name}:gauge`);
  }
}
