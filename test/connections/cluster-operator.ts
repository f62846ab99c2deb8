// What an operator does to a cluster: slots move, and masters change.

import type { Redis } from 'ioredis';
import { expect } from 'vitest';
import { slotOf } from '../../src/core/connection/slots.js';
import type { Random } from '../../src/testing/random.js';
import { eventually } from '../support/eventually.js';
import { moveSlot } from './move-slot.js';

async function serves(node: Redis, slot: number): Promise<boolean> {
  const line = String(await node.cluster('NODES'))
    .split('\n')
    .find((each) => each.includes('myself'));
  const ranges = (line ?? '')
    .trim()
    .split(' ')
    .slice(8)
    .filter((range) => !range.startsWith('['));
  return ranges.some((range) => {
    const [from = -1, to = from] = range.split('-').map(Number);
    return from <= slot && slot <= to;
  });
}

export class ClusterOperator {
  readonly #nodes: readonly Redis[];

  /** `nodes`: plain connections to masters and replicas. */
  constructor(nodes: readonly Redis[]) {
    this.#nodes = nodes;
  }

  /** The nodes that are masters now. */
  async masters(): Promise<Redis[]> {
    const roles = await Promise.all(
      this.#nodes.map(async (node) => ({
        node,
        role: ((await node.call('ROLE')) as unknown[])[0],
      })),
    );
    return roles.filter(({ role }) => role === 'master').map(({ node }) => node);
  }

  /** The slot of a name moves to another master, with its keys. */
  async reshard(name: string, random: Random): Promise<void> {
    const masters = await this.masters();
    const slot = slotOf(name);
    const owners = await Promise.all(masters.map(async (node) => await serves(node, slot)));
    const source = masters[owners.indexOf(true)];
    const targets = masters.filter((node) => node !== source);
    const target = targets[random.int(0, targets.length - 1)];
    if (source !== undefined && target !== undefined) {
      await moveSlot(masters, slot, source, target);
    }
  }

  /** A replica becomes the master of its shard: by agreement, so that no write is lost, or by force. */
  async failOver(random: Random, how: [] | ['TAKEOVER']): Promise<void> {
    const masters = await this.masters();
    const replicas = this.#nodes.filter((node) => !masters.includes(node));
    const replica = replicas[random.int(0, replicas.length - 1)];
    if (replica === undefined) {
      return;
    }
    await replica.call('CLUSTER', 'FAILOVER', ...how);
    // The old master may refuse to agree, while its cluster settles from the last change.
    const isMaster = async (): Promise<boolean> => (await this.masters()).includes(replica);
    await eventually(isMaster, { withinMs: 4_000 }).catch(() => {
      expect(how).toEqual([]);
    });
    await this.settled();
  }

  /** All nodes agree who serves which slot. */
  async settled(): Promise<void> {
    await eventually(
      async () => {
        const maps = await Promise.all(
          this.#nodes.map(async (node) => {
            const ranges = (await node.call('CLUSTER', 'SLOTS')) as [number, number, unknown[]][];
            return ranges.map(([from, to, [, port]]) => `${from} ${to} ${String(port)}`).toSorted();
          }),
        );
        const roles = (await this.masters()).map(({ options }) => String(options.port));
        const serving = new Set(maps[0]?.map((range) => range.split(' ')[2]));
        return new Set(maps.map(String)).size === 1 && roles.every((port) => serving.has(port));
      },
      { withinMs: 20_000 },
    );
  }
}
