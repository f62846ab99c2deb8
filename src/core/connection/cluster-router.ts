import { isOwnChannel } from '../base/key-names.js';
import type { PendingCall } from '../wire/call.js';
import { LinkedList } from '../base/linked-list.js';
import { addressOf } from './access.js';
import { askForSharding, askForSlots, type Node } from './cluster-map.js';
import { ClusterSubscriber } from './cluster-subscriber.js';
import { soon } from '../base/async-context.js';
import { CommandConnection } from './command-connection.js';
import type { Server } from './connection-owner.js';
import type { Address } from './driver-types.js';
import type { Environment } from './environment.js';
import { Lanes } from './lanes.js';
import { MapRefresh } from './map-refresh.js';
import { OneServer } from './one-server.js';
import { RedirectedCalls } from './redirected-calls.js';
import type { Query, Router, RouterOwner } from './router.js';
import { denialOf } from './server-errors.js';
import { readRedirection, slotOf, type SlotRange } from './slots.js';

/** Whether messages are sharded: when the cluster can, always, or never. */
export const SHARDED_SUBSCRIPTION_MODES = ['auto', 'on', 'off'] as const;
export type ShardedSubscriptionMode = (typeof SHARDED_SUBSCRIPTION_MODES)[number];

/** The publishing command that a mode prescribes; undefined: the cluster has to be asked. */
const PUBLISH = { auto: undefined, on: 'SPUBLISH', off: 'PUBLISH' } as const;

/** How to reach a cluster. */
export interface ClusterEndpoint extends Server {
  readonly seeds: readonly Address[];
  readonly translate: (address: Address) => Address;
  readonly shardedSubscriptionMode: ShardedSubscriptionMode;
}

/**
 * Routes calls to the masters of a cluster by slot, over one link to each. The driver's cluster
 * client is not used, since it may run a command, even a whole pipeline, twice.
 */
export class ClusterRouter implements Router {
  readonly isCluster = true;
  readonly topology = 'cluster';
  readonly channels: ClusterSubscriber;
  readonly #endpoint: ClusterEndpoint;
  readonly #environment: Environment;
  readonly #owner: RouterOwner;
  readonly #nodes = new Map<string, Node>();
  /** The master of each slot, by node id. */
  readonly #masters = new Map<number, string>();
  /** Calls whose slot has no known master. */
  readonly #unrouted = new LinkedList<PendingCall>();
  #publish: 'PUBLISH' | 'SPUBLISH' | undefined;
  readonly #redirections: RedirectedCalls;
  readonly #refresh: MapRefresh;
  #closedBy: Error | undefined;

  constructor(endpoint: ClusterEndpoint, environment: Environment, owner: RouterOwner) {
    this.#endpoint = endpoint;
    this.#publish = PUBLISH[endpoint.shardedSubscriptionMode];
    this.#environment = environment;
    this.#owner = owner;
    this.#redirections = new RedirectedCalls(environment, owner.maxPauseMs);
    this.#refresh = new MapRefresh(environment, owner.maxPauseMs, {
      read: async () => await this.#readMap(),
      hasGaps: () => this.#hasGaps(),
      fault: (error) => owner.fault(error),
    });
    this.channels = new ClusterSubscriber(endpoint, environment, {
      ...owner,
      trouble: (error) => {
        owner.trouble(error);
        this.#refresh.soon();
      },
      masterOf: (channel) => this.#masterFor(channel)?.address,
      postAt: (address) => {
        const { oneServer, link } = this.#node(address);
        return {
          oneServer,
          publish: async (command, channel, payload) => await link.query(command, channel, payload),
          moved: () => this.#refresh.soon(),
        };
      },
    });
  }

  get publish(): 'PUBLISH' | 'SPUBLISH' {
    return this.#publish ?? 'SPUBLISH';
  }

  open(): void {
    if (this.#closedBy !== undefined) {
      return;
    }
    for (const seed of this.#endpoint.seeds) {
      this.#node(seed);
    }
  }

  send(call: PendingCall): void {
    const closedBy = this.#closedBy;
    const node = this.#masterOf(slotOf(call.routingKey));
    if (closedBy !== undefined) {
      soon(() => call.fail(closedBy));
    } else if (node === undefined) {
      this.#unrouted.push(call);
      this.#refresh.soon();
    } else {
      node.lanes.send(call);
    }
  }

  masters(): readonly Query[] {
    const nodes = [...new Set(this.#masters.values())].flatMap((id) => this.#nodes.get(id) ?? []);
    return nodes.map(({ link }) => link.query.bind(link));
  }

  whyDown(key: string, lane = 0): Error | undefined {
    const node = this.#masterOf(slotOf(key));
    if (node === undefined) {
      const errors = [...this.#nodes.values()].map((each) => each.mapError ?? each.link.whyDown);
      return errors.find((error) => error !== undefined) ?? new Error('no master is known yet');
    }
    return node.lanes.whyDown(lane);
  }

  downSince(key: string): number | undefined {
    const node = this.#masterOf(slotOf(key));
    return node === undefined ? Number.NEGATIVE_INFINITY : node.link.downSince;
  }

  groupOf(key: string): string {
    return String(slotOf(key));
  }

  nodeOf(key: string): string {
    return this.#masters.get(slotOf(key)) ?? '';
  }

  close(error: Error): void {
    this.#closedBy = error;
    this.#refresh.close();
    this.channels.close();
    for (const { lanes } of this.#nodes.values()) {
      lanes.close(error);
    }
    for (const call of [...this.#unrouted.clear(), ...this.#redirections.close()]) {
      call.fail(error);
    }
  }

  #masterOf(slot: number): Node | undefined {
    const id = this.#masters.get(slot);
    return id === undefined ? undefined : this.#nodes.get(id);
  }

  /** Where to listen to a channel. Every node hears what is published for one client alone: where
   * nobody serves the slot of that channel, any master will do. */
  #masterFor(channel: string): Node | undefined {
    const [any = ''] = isOwnChannel(channel) ? this.#masters.values() : [];
    return this.#masterOf(slotOf(channel)) ?? this.#nodes.get(any);
  }

  /** The node at an address, with a link that is opened the first time. */
  #node(address: Address): Node {
    const id = `${address.host}:${address.port}`;
    let node = this.#nodes.get(id);
    if (node === undefined) {
      const { readyLimitMs, credentials, options: shared } = this.#endpoint;
      const options = { ...shared, ...address };
      const oneServer = new OneServer(addressOf(options), (error) => this.#owner.trouble(error));
      const own = {
        ...this.#owner,
        isNode: true,
        oneServer,
        redirected: (call: PendingCall, error: Error) => this.#redirected(call, error, address),
      };
      const server = { options, readyLimitMs, credentials };
      const link = new CommandConnection(server, this.#environment, {
        ...own,
        up: () => {
          this.#owner.up();
          this.#refresh.soon();
        },
        down: (cause) => {
          this.#owner.down(cause);
          this.#endUnrouted();
          this.#refresh.soon();
        },
      });
      const lanes = new Lanes(link, server, this.#environment, own);
      node = { id, address, link, lanes, oneServer, mapError: undefined };
      this.#nodes.set(id, node);
      link.open();
    }
    return node;
  }

  #redirected(call: PendingCall, error: Error, asked: Address): boolean {
    const redirection = readRedirection(error.message, asked);
    if (redirection === undefined) {
      return false;
    }
    const node = this.#node(this.#endpoint.translate(redirection.address));
    call.asking = redirection.isAsk;
    if (!redirection.isAsk) {
      this.#masters.set(redirection.slot, node.id);
      this.#refresh.soon();
    }
    this.#redirections.add(call, () => {
      // It may have left the cluster meanwhile.
      if (this.#nodes.get(node.id) === node) {
        node.lanes.send(call);
      } else {
        call.asking = false;
        this.send(call);
      }
    });
    return true;
  }

  #hasGaps(): boolean {
    const nodes = [...this.#nodes.values()];
    return this.#unrouted.first !== undefined || nodes.some(({ link }) => !link.isUp);
  }

  /** Reads the slots from the first node that answers; tries the seeds again when none does. */
  async #readMap(): Promise<void> {
    const up = [...this.#nodes.values()].filter(({ link }) => link.isUp);
    const asked = up.map(async (node) => await this.#readMapFrom(node));
    const ranges = await Promise.any(asked).catch(() => undefined);
    const { health } = this.#owner;
    if (ranges === undefined) {
      // Each link that is down reports why.
      const cause = up.find(({ mapError }) => mapError !== undefined)?.mapError;
      if (cause !== undefined) {
        health.down(this.#trouble, this, () => cause);
        this.#owner.trouble(cause);
      }
      this.#endUnrouted();
      this.open();
    } else if (this.#closedBy === undefined) {
      health.up(this.#trouble, this);
      this.#apply(ranges);
    }
  }

  async #readMapFrom(node: Node): Promise<SlotRange[]> {
    const ranges = await askForSlots(node);
    this.#publish ??= await askForSharding(node.link);
    return ranges;
  }

  #apply(ranges: readonly SlotRange[]): void {
    this.#masters.clear();
    for (const { from, to, master } of ranges) {
      const { id } = this.#node(this.#endpoint.translate(master));
      for (let slot = from; slot <= to; slot += 1) {
        this.#masters.set(slot, id);
      }
    }
    const masters = new Set(this.#masters.values());
    for (const node of this.#nodes.values()) {
      // The node may never come back: its waiting calls go to the masters that have its slots now.
      this.#reroute(node.lanes.takeWaiting());
      if (!masters.has(node.id)) {
        this.#nodes.delete(node.id);
        this.#reroute(node.lanes.retire());
      }
    }
    for (const call of this.#unrouted) {
      const master = this.#masterOf(slotOf(call.routingKey));
      if (master !== undefined) {
        this.#unrouted.delete(call);
        call.publishWith(this.publish);
        master.lanes.send(call);
      }
    }
    this.channels.move(this.publish === 'SPUBLISH');
  }

  /** Nobody can say who serves which slot, and every node refuses this client: no retry helps. */
  #endUnrouted(): void {
    const denials = [...this.#nodes.values()].map((node) => this.#denialOf(node));
    const [denial] = denials;
    if (denial !== undefined && this.#masters.size === 0 && !denials.includes(undefined)) {
      for (const call of this.#unrouted.clear()) {
        call.fail(denial);
      }
    }
  }

  /** Undefined also for a node that has not said anything yet. */
  #denialOf({ link, mapError }: Node): Error | undefined {
    return (this.#owner.access.served ? undefined : denialOf(mapError)) ?? link.denial;
  }

  get #trouble(): string {
    const seeds = this.#endpoint.seeds.map((seed) => addressOf(seed));
    return `the slots of the cluster at ${seeds.join(', ')} cannot be read`;
  }

  /** Queues the calls until the master of each is known. */
  #reroute(calls: readonly PendingCall[]): void {
    for (const call of calls) {
      this.#unrouted.push(call);
    }
  }
}
