// A simulated world: clients with the real code, a server and a network, all in virtual time.

import { Cluster } from 'ioredis';
import { createClientOn } from '../../src/client.js';
import { createQuorumClientOn } from '../../src/quorum/client.js';
import { WallClock } from '../../src/testing/wall-clock.js';
import { slotOf } from '../../src/core/connection/slots.js';
import type { HandOff } from '../../src/core/client-services.js';
import type { Client } from '../../src/index.js';
import { Host } from '../../src/testing/network/host.js';
import { Conditions, type Trace } from '../../src/testing/network/conditions.js';
import { Network } from '../../src/testing/network/network.js';
import { Process } from '../../src/testing/process.js';
import { Random } from '../../src/testing/random.js';
import type { LuaEngine } from '../../src/testing/server/lua.js';
import { ClusterMap } from '../../src/testing/server/cluster.js';
import { Server } from '../../src/testing/server/server.js';
import { Timeline } from '../../src/testing/timeline.js';
import { toldBy, type Told } from '../support/ends.js';
import { Recorder } from './recorder.js';
import { FencedStore, OpenStore, RecordedStore } from './stores.js';

/** What a world is like, from the seed. */
export interface WorldTerms {
  readonly clients: number;
  /** More than one: a cluster of as many masters. */
  readonly nodes: number;
  /** More than one: independent masters, of which a majority holds each lock. */
  readonly servers: number;
  /** Slots beside that of the object. Without any a node leaves the cluster when it moves away. */
  readonly otherSlots: number;
  readonly leaseMs: number;
  readonly commandTimeoutMs: number;
  readonly latencyMinMs: number;
  readonly latencyMaxMs: number;
  /** Timers ring this much late at most. */
  readonly latenessMs: number;
  /** Clocks run so much fast or slow at most. */
  readonly drift: number;
  /** How each client hands locks on; one that is `unseen` by the server, or
   * `deaf` to its messages as well, finds its grants by asking. */
  readonly handOffs: readonly (HandOff | 'unseen' | 'deaf')[];
  /** The object was made by Java, without what only our clients write. */
  readonly isMadeByJava: boolean;
}

/** One server is started less often than this. */
const RUN_IDS = 1_000;

const HOST = '127.0.0.1';
const PORT = 7_000;

/** There is one object in a world. */
export const OBJECT = 'thing';

/** No lease of a run is longer than so many leases of its clients. */
export const LEASES_MAX = 2;

/** A cluster of two masters, as a program gives it to the client. It never connects. */
const CLUSTER = new Cluster(
  [
    { host: HOST, port: PORT },
    { host: HOST, port: PORT + 1 },
  ],
  { lazyConnect: true },
);

export class SimulatedClient {
  readonly number: number;
  readonly process: Process;
  readonly client: Client;
  readonly told: ReadonlyMap<string, Told>;
  isClosed = false;
  /** Since when its process stands still. */
  stalledFrom: number | undefined;

  constructor(number: number, process: Process, client: Client) {
    this.number = number;
    this.process = process;
    this.client = client;
    this.told = toldBy(client);
  }

  /** True while code in it can run, some time. */
  get isAlive(): boolean {
    return !this.process.isDead;
  }
}

export class World {
  readonly timeline = new Timeline();
  readonly terms: WorldTerms;
  readonly network: Network;
  readonly hosts: readonly Host[];
  readonly clients: readonly SimulatedClient[];
  readonly recorder: Recorder;
  readonly fencedStore = new RecordedStore(new FencedStore());
  readonly openStore = new RecordedStore(new OpenStore());
  /** Has a user of a client free the object by force. */
  force: (client: number) => void = () => undefined;
  readonly #lua: LuaEngine;
  readonly #random: Random;
  readonly #map: ClusterMap;
  #isMoving = false;

  constructor(lua: LuaEngine, seed: number, terms: WorldTerms, trace: Trace) {
    this.#lua = lua;
    this.terms = terms;
    this.#random = new Random(seed);
    this.recorder = new Recorder(() => this.timeline.now);
    this.network = new Network(new Conditions(this.timeline, this.#random.fork(), terms, trace));
    // The nodes of a cluster agree on the time.
    const clock = new WallClock(this.timeline, this.#rate());
    const { nodes, otherSlots, servers } = terms;
    const count = Math.max(nodes, servers);
    const addresses = Array.from({ length: count }, (_, i) => `${HOST}:${PORT + i}`);
    const slot = slotOf(OBJECT);
    this.#map = new ClusterMap(addresses, { from: slot, to: slot + otherSlots });
    this.hosts = addresses.map((address, i) => {
      const own = servers > 1 ? this.#clockOfItsOwn() : clock;
      return new Host(address, this.#newServer(address, own, i), own);
    });
    for (const host of this.hosts) {
      this.network.add(host);
    }
    this.clients = Array.from({ length: terms.clients }, (_, i) => this.#newClient(i));
  }

  /** Sets a number as Java does. */
  setAsJava(key: string, number: number): boolean {
    this.host.server.keyspace.set(key, String(number));
    return true;
  }

  /** The machine that serves the object. */
  get host(): Host {
    return this.#ownerOf(slotOf(OBJECT));
  }

  #ownerOf(slot: number): Host {
    const owner = this.#map.ownerOf(slot);
    return this.hosts.find(({ address }) => address === owner)!;
  }

  /** One of several servers, or the one that serves the object. */
  hostAt(server: number | undefined): Host {
    return server === undefined ? this.host : this.hosts[server]!;
  }

  /** The slot of the object, or of another name, moves to another node, which takes so long; all keys of the node go
   * with it. False outside clusters, and while one moves already. */
  moveSlot(forMs: number, name = OBJECT): boolean {
    const slot = slotOf(name);
    const from = this.#ownerOf(slot);
    const to = this.hosts.find((host) => host !== from);
    if (to === undefined || this.#isMoving) {
      return false;
    }
    this.#isMoving = true;
    this.#map.begin(slot, to.address);
    this.timeline.at(this.timeline.now + forMs, () => {
      to.server.keyspace.restore(from.server.keyspace.copy());
      from.server.keyspace.clear();
      this.#map.finish();
      this.#isMoving = false;
      // The channels of a slot do not move with it: their listeners have to come.
      from.server.channels.endShards((channel) => slotOf(channel) === slot);
    });
    return true;
  }

  /** The clocks of servers that know nothing of each other differ, by less than the longest lease. */
  #clockOfItsOwn(): WallClock {
    const clock = new WallClock(this.timeline, this.#rate());
    clock.offsetMs = this.#random.int(0, this.terms.leaseMs);
    return clock;
  }

  #newServer(address: string, clock: WallClock, i: number): Server {
    const random = this.#random.fork();
    const server = new Server(this.#lua, () => clock.nowMs(), random, 1 + i * RUN_IDS);
    if (this.terms.nodes > 1) {
      server.node = { map: this.#map, address };
      this.#map.joins(address, server.channels);
    }
    return server;
  }

  /** Time passes for code of a process: it goes on no earlier, and never if the process dies. */
  async sleep({ process }: SimulatedClient, ms: number): Promise<void> {
    await new Promise<void>((resolve) => {
      process.userClock.after(ms, resolve);
    });
  }

  /** Closes a client, with which all its timers end. */
  async close(client: SimulatedClient): Promise<void> {
    const { process, number } = client;
    client.isClosed = true;
    this.recorder.closed(client);
    await client.client.close();
    if (process.pendingTimers > 0) {
      this.recorder.surprised(
        `client ${number} is closed, and has ${process.pendingTimers} timers`,
      );
    }
  }

  #newClient(number: number): SimulatedClient {
    const { leaseMs, commandTimeoutMs, latenessMs, nodes, servers, handOffs } = this.terms;
    const process = new Process(this.timeline, this.#random.fork(), {
      startsAt: 1_000 + this.#random.int(0, 1_000_000),
      rate: this.#rate(),
      latenessMs,
    });
    const { clock, random } = process;
    const environment = { clock, random, connect: this.network.connector(process) };
    const settings = { leaseMs, commandTimeoutMs };
    const way = servers > 1 ? 'strict' : this.#random.pick(handOffs);
    const client =
      servers > 1
        ? createQuorumClientOn(environment, {
            servers: Array.from({ length: servers }, (_, i) => ({ host: HOST, port: PORT + i })),
            maxLeaseMs: leaseMs * LEASES_MAX,
            ...settings,
          })
        : createClientOn(environment, {
            redis: nodes > 1 ? CLUSTER : { host: HOST, port: PORT },
            handOff: way === 'strict' ? way : 'direct',
            ...settings,
          });
    for (const { server } of this.hosts) {
      if (way === 'unseen' || way === 'deaf') {
        server.channels.unseen.add(client.id);
      }
      if (way === 'deaf') {
        server.channels.deaf.add(client.id);
      }
    }
    // One of a quorum has plain and fenced locks only.
    const simulated = new SimulatedClient(number, process, client as Client);
    client.on('error', ({ error }) => {
      if (error.name === 'UnexpectedReplyError' || error instanceof TypeError) {
        this.recorder.surprised(`client ${number}: ${error.name}: ${error.message}`);
      }
    });
    return simulated;
  }

  #rate(): number {
    return 1 + (this.#random.next() * 2 - 1) * this.terms.drift;
  }
}
