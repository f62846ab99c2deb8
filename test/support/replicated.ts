// A server of a test file's own, with replicas that the tests freeze.

import type { Redis } from 'ioredis';
import { field } from '../../scripts/redis/wire.mjs';
import { eventually } from './eventually.js';
import { rawClient } from './redis.js';
import { ownServer, type OwnServer } from './server.js';

export interface Replicated {
  readonly url: string;
  readonly raw: Redis;
  readonly replicas: readonly OwnServer[];
  /** The replicas get nothing, and acknowledge nothing, while `work` runs. */
  readonly frozen: <T>(work: () => Promise<T>) => Promise<T>;
  /** How often the server was asked to do this. */
  calls(command: string): Promise<number>;
  /** How many clients are connected, besides the one that asks and the replicas. */
  connections(): Promise<number>;
}

/** Called once at the top of a test file: starts a server with so many replicas, which have caught up. */
export async function replicated(count = 1): Promise<Replicated> {
  const args = ['--repl-diskless-sync-delay', '0'];
  const [master, ...replicas] = await Promise.all(
    Array.from({ length: count + 1 }, async () => await ownServer({ args })),
  );
  if (master === undefined) {
    throw new RangeError(`there is no server with ${count} replicas`);
  }
  const raw = rawClient(master.url);
  await Promise.all(
    replicas.map(async ({ url }) => {
      await rawClient(url).call('REPLICAOF', master.host, master.port);
    }),
  );
  await eventually(async () => {
    await raw.set('redlatch-test:replicated', '1', 'PX', 1_000);
    return Number(await raw.call('WAIT', count, 100)) === count;
  });
  const frozen = async <T>(work: () => Promise<T>): Promise<T> => {
    for (const replica of replicas) {
      replica.pause();
    }
    try {
      return await work();
    } finally {
      for (const replica of replicas) {
        replica.resume();
      }
    }
  };
  return {
    url: master.url,
    raw,
    replicas,
    frozen,
    calls: async (command) => {
      const [, calls = 0] =
        new RegExp(`^cmdstat_${command}:calls=(\\d+)`, 'm').exec(await raw.info('commandstats')) ??
        [];
      return Number(calls);
    },
    connections: async () => Number(field(await raw.info('clients'), 'connected_clients')) - 1,
  };
}
