// @ts-check
// A small cluster on loopback, set up command by command.

import { serverBinary } from './provider.mjs';
import { startProcess } from './process.mjs';
import { call, field, until } from './wire.mjs';

const slots = 16_384;

/**
 * @typedef {import('./process.mjs').RedisProcess} RedisProcess
 * @typedef {object} Cluster
 * @property {RedisProcess[]} nodes masters first, then the replicas in their order
 * @property {() => Promise<void>} stop
 */

/** @param {number} index @param {number} masters */
const firstSlotOf = (index, masters) => Math.floor((slots * index) / masters);

/**
 * The master that is responsible for a slot at first, by its index.
 * @param {number} slot
 * @param {number} masters
 */
export function masterOf(slot, masters) {
  const indices = Array.from({ length: masters }, (_, index) => index);
  return indices.findLast((index) => firstSlotOf(index, masters) <= slot) ?? 0;
}

/**
 * @param {RedisProcess} node
 * @param {number} index
 * @param {number} masters
 */
async function assignSlots(node, index, masters) {
  const first = firstSlotOf(index, masters);
  const end = firstSlotOf(index + 1, masters);
  const mine = Array.from({ length: end - first }, (_, offset) => first + offset);
  await call(node, 'CLUSTER', 'ADDSLOTS', ...mine);
}

/**
 * @param {RedisProcess[]} nodes
 * @param {number} count
 */
async function everyNodeKnows(nodes, count) {
  const infos = await Promise.all(nodes.map(async (node) => await call(node, 'CLUSTER', 'INFO')));
  return infos.every((info) => field(info, 'cluster_known_nodes') === String(count));
}

/**
 * @param {RedisProcess[]} nodes
 * @param {number} masters
 */
async function isServing(nodes, masters) {
  const healthy = await Promise.all(
    nodes.map(async (node, index) => {
      const cluster = await call(node, 'CLUSTER', 'INFO');
      const replication = await call(node, 'INFO', 'replication');
      const linked = index < masters || field(replication, 'master_link_status') === 'up';
      return field(cluster, 'cluster_state') === 'ok' && linked;
    }),
  );
  return healthy.every(Boolean);
}

/**
 * @param {RedisProcess[]} nodes
 * @param {number} masters
 * @param {readonly number[]} followed the master of each replica
 */
async function join(nodes, masters, followed) {
  const [first, ...others] = nodes;
  if (first === undefined) {
    throw new RangeError('masters must be at least 1, got 0');
  }
  await Promise.all(
    nodes.map(async (node, index) => {
      // Distinct epochs from the start: nodes need not settle a conflict first.
      await call(node, 'CLUSTER', 'SET-CONFIG-EPOCH', index + 1);
      if (index < masters) {
        await assignSlots(node, index, masters);
      }
    }),
  );
  for (const node of others) {
    await call(first, 'CLUSTER', 'MEET', '127.0.0.1', node.port);
  }
  await until('gossip', async () => await everyNodeKnows(nodes, nodes.length), {
    withinMs: 20_000,
  });
  await Promise.all(
    nodes.slice(masters).map(async (replica, index) => {
      const id = await call(nodes[followed[index] ?? 0] ?? first, 'CLUSTER', 'MYID');
      await call(replica, 'CLUSTER', 'REPLICATE', String(id));
    }),
  );
  await until('a working cluster', async () => await isServing(nodes, masters), {
    withinMs: 30_000,
  });
}

/**
 * Starts a cluster and waits until every node serves.
 *
 * @param {{ masters?: number, replicas?: number | readonly number[], nodeTimeoutMs?: number }} [options]
 *   `replicas` is the total, at most one for each master, or the index of the master of each
 * @returns {Promise<Cluster>}
 */
export async function startCluster({ masters = 3, replicas = 0, nodeTimeoutMs = 1_000 } = {}) {
  const binary = await serverBinary();
  const followed =
    typeof replicas === 'number' ? Array.from({ length: replicas }, (_, index) => index) : replicas;
  const args = ['--cluster-enabled', 'yes', '--cluster-node-timeout', String(nodeTimeoutMs)];
  args.push('--cluster-replica-validity-factor', '0', '--repl-diskless-sync-delay', '0');
  /** @type {RedisProcess[]} */
  const nodes = [];
  const stop = async () => {
    await Promise.all(nodes.map(async (node) => await node.stop()));
  };
  try {
    while (nodes.length < masters + followed.length) {
      nodes.push(await startProcess(binary, { args, cluster: true }));
    }
    await join(nodes, masters, followed);
    return { nodes, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}
