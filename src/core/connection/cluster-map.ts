import { asError } from '../wire/replies.js';
import type { CommandConnection } from './command-connection.js';
import { isReplyError } from './driver.js';
import type { Address } from './driver-types.js';
import type { Lanes } from './lanes.js';
import type { OneServer } from './one-server.js';
import { readSlots, type SlotRange } from './slots.js';

/** A node of a cluster. */
export interface Node {
  readonly id: string;
  readonly address: Address;
  readonly link: CommandConnection;
  readonly lanes: Lanes;
  readonly oneServer: OneServer;
  /** Why it did not tell the slots when it was asked last. */
  mapError: Error | undefined;
}

/** Asks a node which slots each master serves. */
export async function askForSlots(node: Node): Promise<SlotRange[]> {
  try {
    const ranges = readSlots(await node.link.query('CLUSTER', 'SLOTS'), node.address);
    if (ranges.length === 0) {
      throw new Error('the node knows no slots');
    }
    node.mapError = undefined;
    return ranges;
  } catch (error) {
    node.mapError = asError(error);
    throw error;
  }
}

/** Redisson's test: sharded exactly when the cluster can. */
export async function askForSharding(link: CommandConnection): Promise<'PUBLISH' | 'SPUBLISH'> {
  try {
    await link.query('PUBSUB', 'SHARDNUMSUB');
    return 'SPUBLISH';
  } catch (error) {
    if (isReplyError(error)) {
      return 'PUBLISH';
    }
    throw error;
  }
}
