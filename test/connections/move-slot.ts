// A slot on its way from one master of a cluster to another.

import type { Redis } from 'ioredis';
import { eventually } from '../support/eventually.js';

/** Begins to move a slot: from now on it is under way, and its keys stay where they are. */
export async function beginMove(slot: number, source: Redis, target: Redis): Promise<void> {
  await target.call('CLUSTER', 'SETSLOT', slot, 'IMPORTING', await source.cluster('MYID'));
  await source.call('CLUSTER', 'SETSLOT', slot, 'MIGRATING', await target.cluster('MYID'));
}

/**
 * Moves a slot with its keys, as an operator would, also one that is under way.
 *
 * @param masters plain connections to all of them
 */
export async function moveSlot(
  masters: readonly Redis[],
  slot: number,
  source: Redis,
  target: Redis,
): Promise<void> {
  const targetId = await target.cluster('MYID');
  await beginMove(slot, source, target);
  const { host = '', port = 0 } = target.options;
  for (;;) {
    const keys = (await source.call('CLUSTER', 'GETKEYSINSLOT', slot, 100)) as string[];
    if (keys.length === 0) {
      break;
    }
    // A target whose cluster has just changed may say CLUSTERDOWN for a while. Until the keys have arrived they
    // are kept, and used, at the source: what a copy before has left at the target is older.
    const copy = [host, port, '', 0, 5_000, 'REPLACE', 'KEYS', ...keys];
    await eventually(async () => await source.call('MIGRATE', ...copy), { withinMs: 20_000 });
  }
  const others = masters.filter((master) => master !== source && master !== target);
  for (const master of [target, source, ...others]) {
    await master.call('CLUSTER', 'SETSLOT', slot, 'NODE', targetId);
  }
}
