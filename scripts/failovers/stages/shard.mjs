// @ts-check
// A master and its replicas, whichever way a new one is chosen among them.

import { Redis } from 'ioredis';
import { call, field, until } from '../../redis/wire.mjs';
import { now } from '../now.mjs';

/** @typedef {import('../../redis/process.mjs').RedisProcess} RedisProcess */

/** A replica that stands still gets what its connection has room for: it has to be full before anything lags. */
const BALLAST_BYTES = 1_000_000;
const BALLAST_PIECES = 24;

/** @param {RedisProcess} server */
export function open({ host, port }) {
  const redis = new Redis({
    host,
    port,
    lazyConnect: true,
    retryStrategy: () => null,
    // In a cluster a replica answers reads only so. Another one refuses it, which the driver does not mind.
    readOnly: true,
  });
  redis.on('error', () => undefined);
  return redis;
}

/**
 * @param {Redis} redis
 * @param {string[]} names of locks
 * @returns {Promise<Map<string, Set<string>>>} the holder ids of each
 */
export async function holdersOf(redis, names) {
  const fields = await Promise.all(names.map(async (name) => await redis.hkeys(name)));
  return new Map(names.map((name, index) => [name, new Set(fields[index])]));
}

/** Longer than any election. */
const LIMIT_MS = 15_000;

export class Shard {
  #master;
  #replicas;
  #hashTag;

  /**
   * @param {RedisProcess} master
   * @param {RedisProcess[]} replicas
   * @param {string} hashTag what all names have in them, so that they are on this shard
   */
  constructor(master, replicas, hashTag) {
    this.#master = master;
    this.#replicas = replicas;
    this.#hashTag = hashTag;
  }

  /** @param {number} count */
  names(count) {
    return Array.from({ length: count }, (_, index) => `{${this.#hashTag}}:${index}`);
  }

  /** All replicas have all that was written. */
  async inSync() {
    const master = open(this.#master);
    try {
      await master.connect();
      await until(
        'replication',
        async () => {
          await master.set(`{${this.#hashTag}}:sync`, '1', 'PX', 1_000);
          return (await master.wait(this.#replicas.length, 100)) === this.#replicas.length;
        },
        { withinMs: LIMIT_MS },
      );
    } finally {
      master.disconnect();
    }
  }

  async lag() {
    const master = open(this.#master);
    try {
      await master.connect();
      for (const replica of this.#replicas) {
        replica.signal('SIGSTOP');
      }
      const piece = Buffer.alloc(BALLAST_BYTES);
      const key = `{${this.#hashTag}}:ballast`;
      await Promise.all(
        Array.from({ length: BALLAST_PIECES }, async () => await master.set(key, piece)),
      );
    } finally {
      master.disconnect();
    }
  }

  /**
   * What the replicas have not got is gone with the master. What a new one begins with is read before it is one:
   * nobody can have changed it.
   *
   * @param {string[]} names
   * @returns {Promise<import('../count.mjs').Failover>}
   */
  async failOver(names) {
    this.#master.signal('SIGKILL');
    await this.#master.exited();
    const heldAt = now();
    for (const replica of this.#replicas) {
      replica.signal('SIGCONT');
    }
    const contents = await Promise.all(
      this.#replicas.map(async (replica) => await this.#contents(replica, names)),
    );
    const kept = contents[await this.#promoted()];
    if (kept === undefined) {
      throw new Error('nobody was promoted');
    }
    return { heldAt, grantedUntil: now(), kept };
  }

  /** @returns {Promise<number>} which of the replicas is a master now */
  async #promoted() {
    let master = -1;
    await until(
      'a new master',
      async () => {
        const roles = await Promise.all(
          this.#replicas.map(async (replica) =>
            field(await call(replica, 'INFO', 'replication'), 'role'),
          ),
        );
        master = roles.indexOf('master');
        return master !== -1;
      },
      { withinMs: LIMIT_MS, everyMs: 10 },
    );
    return master;
  }

  /**
   * @param {RedisProcess} replica
   * @param {string[]} names
   * @returns {Promise<Map<string, Set<string>>>}
   */
  async #contents(replica, names) {
    const redis = open(replica);
    try {
      await redis.connect();
      // It has read all that its connection had, when it knows of the end of that.
      await until(
        'the end of replication',
        async () => field(await redis.info('replication'), 'master_link_status') === 'down',
        { withinMs: LIMIT_MS, everyMs: 2 },
      );
      const role = field(await redis.info('replication'), 'role');
      if (role !== 'slave') {
        throw new Error('a replica was promoted before it was looked at');
      }
      return await holdersOf(redis, names);
    } finally {
      redis.disconnect();
    }
  }
}
