// @ts-check
// One master, its replicas and the sentinels that watch them, on loopback.

import { serverBinary } from './provider.mjs';
import { startProcess } from './process.mjs';
import { call, field, until } from './wire.mjs';

/**
 * @typedef {import('./process.mjs').RedisProcess} RedisProcess
 * @typedef {object} Sentinels
 * @property {string} name what the sentinels call the master
 * @property {RedisProcess} master
 * @property {RedisProcess[]} replicas
 * @property {RedisProcess[]} sentinels
 * @property {() => Promise<void>} stop
 */

const name = 'redlatch';

/**
 * @param {RedisProcess[]} sentinels
 * @param {number} replicas
 */
async function everySentinelKnows(sentinels, replicas) {
  const infos = await Promise.all(
    sentinels.map(async (sentinel) => String(await call(sentinel, 'INFO', 'sentinel'))),
  );
  const expected = `status=ok,address=127.0.0.1`;
  return infos.every(
    (info) =>
      info.includes(expected) && info.includes(`slaves=${replicas},sentinels=${sentinels.length}`),
  );
}

/**
 * Starts them all and waits until every sentinel knows the others and the replicas are in sync.
 *
 * @param {{ replicas?: number, sentinels?: number, downAfterMs?: number }} [options]
 * @returns {Promise<Sentinels>}
 */
export async function startSentinels({ replicas = 1, sentinels = 1, downAfterMs = 500 } = {}) {
  const binary = await serverBinary();
  /** @type {RedisProcess[]} */
  const started = [];
  const stop = async () => {
    await Promise.all(started.map(async (server) => await server.stop()));
  };
  const start = async (/** @type {import('./process.mjs').ProcessOptions} */ options) => {
    const server = await startProcess(binary, options);
    started.push(server);
    return server;
  };
  try {
    const master = await start({ args: ['--repl-diskless-sync-delay', '0'] });
    /** @type {RedisProcess[]} */
    const followers = [];
    for (let index = 0; index < replicas; index += 1) {
      const follow = ['--replicaof', '127.0.0.1', String(master.port)];
      followers.push(await start({ args: [...follow, '--repl-diskless-sync-delay', '0'] }));
    }
    await until(
      'replication',
      async () =>
        field(await call(master, 'INFO', 'replication'), 'connected_slaves') === String(replicas),
      { withinMs: 10_000 },
    );
    const quorum = Math.floor(sentinels / 2) + 1;
    const config = [
      `sentinel monitor ${name} 127.0.0.1 ${master.port} ${quorum}`,
      `sentinel down-after-milliseconds ${name} ${downAfterMs}`,
      `sentinel failover-timeout ${name} 3000`,
      '',
    ].join('\n');
    /** @type {RedisProcess[]} */
    const watchers = [];
    for (let index = 0; index < sentinels; index += 1) {
      watchers.push(await start({ config, args: ['--sentinel'] }));
    }
    await until(
      'agreement of the sentinels',
      async () => await everySentinelKnows(watchers, replicas),
      { withinMs: 20_000 },
    );
    return { name, master, replicas: followers, sentinels: watchers, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}
