import type { Reply } from '../keyspace/reply.js';
import type { Channels } from './channels.js';

/** Of the keys that a command names, how many there are. */
export type Found = 'all' | 'some' | 'none';

/** Slots from one to another, both included. */
export interface SlotSpan {
  readonly from: number;
  readonly to: number;
}

/** A slot on its way to another node. */
interface Move {
  readonly slot: number;
  readonly to: string;
}

/**
 * Which node of a cluster serves which slot: one node serves all of them, but for those that have
 * moved. All nodes know at once: what a node learns late, a client has to learn late as well.
 */
export class ClusterMap {
  readonly #nodes: readonly string[];
  readonly #slots: SlotSpan;
  readonly #moved = new Map<number, string>();
  /** The channels of each node, by its address. */
  readonly #channels = new Map<string, Channels>();
  #move: Move | undefined;

  /**
   * @param nodes addresses; the first serves every slot in the beginning
   * @param slots those that are served at all: few, since clients enter each of them into a map
   */
  constructor(nodes: readonly string[], slots: SlotSpan) {
    this.#nodes = nodes;
    this.#slots = slots;
  }

  /** A node has begun to run. */
  joins(address: string, channels: Channels): void {
    this.#channels.set(address, channels);
  }

  /** A message that was published at one node goes to all others. */
  broadcast(from: Channels, channel: string, payload: string): void {
    for (const channels of this.#channels.values()) {
      if (channels !== from) {
        channels.publish('message', channel, payload);
      }
    }
  }

  ownerOf(slot: number): string {
    return this.#moved.get(slot) ?? this.#nodes[0] ?? '';
  }

  /** The slot begins to move: its keys are on either side. */
  begin(slot: number, to: string): void {
    this.#move = { slot, to };
  }

  /** All keys of the slot have moved, and it is served by the other node. */
  finish(): void {
    if (this.#move !== undefined) {
      this.#moved.set(this.#move.slot, this.#move.to);
      this.#move = undefined;
    }
  }

  /** Why `node` does not run a command on keys of `slot`; undefined: it does. */
  refusal(node: string, slot: number, isAsking: boolean, found: Found): string | undefined {
    const owner = this.ownerOf(slot);
    const move = this.#move?.slot === slot ? this.#move : undefined;
    const isServed = owner === node || (move?.to === node && isAsking);
    if (!isServed) {
      return `MOVED ${slot} ${owner}`;
    }
    if (move === undefined || found === 'all') {
      return undefined;
    }
    return owner === node && found === 'none'
      ? `ASK ${slot} ${move.to}`
      : 'TRYAGAIN Multiple keys request during rehashing of slot';
  }

  /** The answer to CLUSTER SLOTS. */
  slots(): Reply {
    const ranges: Reply[] = [];
    let { from } = this.#slots;
    for (const slot of [...this.#moved.keys()].toSorted((a, b) => a - b)) {
      if (slot > from) {
        ranges.push(rangeOf(from, slot - 1, this.#nodes[0] ?? ''));
      }
      ranges.push(rangeOf(slot, slot, this.ownerOf(slot)));
      from = slot + 1;
    }
    if (from <= this.#slots.to) {
      ranges.push(rangeOf(from, this.#slots.to, this.#nodes[0] ?? ''));
    }
    return ranges;
  }
}

function rangeOf(from: number, to: number, address: string): Reply {
  const [host = '', port = ''] = address.split(':');
  return [from, to, [host, Number(port), address]];
}
