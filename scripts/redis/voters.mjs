// @ts-check
// Independent servers that vote in a quorum: they have been up for as long as the longest lease.

import { startProcess } from './process.mjs';
import { serverBinary } from './provider.mjs';
import { call, field, until } from './wire.mjs';

/** @typedef {Awaited<ReturnType<typeof startProcess>>} RedisProcess */

/**
 * @param {number} count
 * @param {number} maxLeaseMs
 * @returns {Promise<RedisProcess[]>}
 */
export async function startVoters(count, maxLeaseMs) {
  const binary = await serverBinary();
  const servers = await Promise.all(
    Array.from({ length: count }, async () => await startProcess(binary)),
  );
  await until(
    'the uptime of a server that votes',
    async () => {
      const infos = await Promise.all(
        servers.map(async (server) => await call(server, 'INFO', 'server')),
      );
      // It counts whole seconds.
      return infos.every((info) => Number(field(info, 'uptime_in_seconds')) * 1_000 > maxLeaseMs);
    },
    { withinMs: 2 * maxLeaseMs + 2_000, everyMs: 200 },
  );
  return servers;
}
