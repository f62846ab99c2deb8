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
      await this.settled();
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
    // The old master may refuse to agree, while its cluster settles from the last change. Redis gives up after
    // 5 s: until then a slot must not move, or the old master would keep it, and stay a master.
    const isMaster = async (): Promise<boolean> => (await this.masters()).includes(replica);
    await eventually(isMaster, { withinMs: 7_000 }).catch(() => {
      expect(how).toEqual([]);
    });
    await this.settled();
  }

  /**
   * All nodes agree who serves which slot, and since which epoch. A node that has not heard of the last change yet must
   * not make the next one: its claim would have an old epoch, and the nodes never agree again.
   */
  async settled(): Promise<void> {
    await eventually(
      async () => {
        const roles = (await this.masters()).map(({ options }) => String(options.port));
        const seen = await Promise.all(this.#nodes.map(mastersSeenBy));
        const isAgreed = new Set(seen.map(String)).size === 1;
        const serving = seen[0]?.map(([port]) => port) ?? [];
        if (!isAgreed || !roles.every((port) => serving.includes(port))) {
          throw new Error(`masters are ${roles.join(', ')}; the nodes see ${seen.join(' | ')}`);
        }
        return true;
      },
      { withinMs: 20_000 },
    );
  }
}

/** Port, epoch and slots of each master that serves slots, as a node knows them. */
async function mastersSeenBy(node: Redis): Promise<string[][]> {
  return String(await node.cluster('NODES'))
    .trim()
    .split('\n')
    .map((line) => line.split(' '))
    .filter(([, , flags = '']) => flags.includes('master'))
    .map(([, address = '', , , , , epoch = '', , ...slots]) => {
      const port = /:(\d+)@/u.exec(address)?.[1] ?? '';
      return [port, epoch, ...slots];
    })
    .filter(([, , ...slots]) => slots.length > 0)
    .toSorted(([one = ''], [other = '']) => one.localeCompare(other));
}
