// @ts-check
// Three servers that do not know of each other, one of which is killed: nobody is promoted.

import * as redlatch from '../../../dist/index.js';
import { startVoters } from '../../redis/voters.mjs';
import { FIXED_LEASE_MS } from '../leases.mjs';
import { now } from '../now.mjs';
import { holdersOf, open } from './shard.mjs';

/**
 * @typedef {import('./index.mjs').LoadOptions} LoadOptions
 * @typedef {import('./index.mjs').LoadClient} LoadClient
 * @typedef {LoadOptions & { servers: string[], maxLeaseMs: number }} QuorumOptions
 * @typedef {(options: QuorumOptions) => LoadClient} CreateQuorumClient
 */

const SERVERS = 3;
const MAX_LEASE_MS = FIXED_LEASE_MS;

/** @type {unknown} */
const built = redlatch;
const { createQuorumClient } = /** @type {{ createQuorumClient?: CreateQuorumClient }} */ (built);

/** Whose grant is left on one of the others keeps everybody else from a majority.
 * @param {import('./shard.mjs').RedisProcess[]} servers @param {string[]} names */
async function heldOn(servers, names) {
  const all = await Promise.all(
    servers.map(async (server) => {
      const redis = open(server);
      try {
        await redis.connect();
        return await holdersOf(redis, names);
      } finally {
        redis.disconnect();
      }
    }),
  );
  return new Map(
    names.map((name) => [name, new Set(all.flatMap((held) => [...(held.get(name) ?? [])]))]),
  );
}

/**
 * None in a build without quorum clients.
 *
 * @type {import('./index.mjs').Topology | undefined}
 */
export const quorum =
  createQuorumClient === undefined
    ? undefined
    : {
        shapes: ['plain'],
        takesReplicas: false,
        async start() {
          const [victim, ...others] = await startVoters(SERVERS, MAX_LEASE_MS);
          const all = victim === undefined ? others : [victim, ...others];
          return {
            target: all.map(({ url }) => url),
            names: (count) => Array.from({ length: count }, (_, index) => `quorum:${index}`),
            async failOver(names) {
              victim?.signal('SIGKILL');
              await victim?.exited();
              // The others grant and free meanwhile: what was held before and after they were read has to be there.
              const grantedUntil = now();
              const kept = await heldOn(others, names);
              return { grantedUntil, kept, heldAt: now() };
            },
            stop: async () => {
              await Promise.all(all.map(async (server) => await server.stop()));
            },
          };
        },
        open(target, options) {
          const servers = /** @type {string[]} */ (target);
          return createQuorumClient({ servers, maxLeaseMs: MAX_LEASE_MS, ...options });
        },
      };
