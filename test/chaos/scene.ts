// The stage of one seed: its clients, each on a way of its own to the server, and its objects.

import { AsyncLocalStorage } from 'node:async_hooks';
import type { Redis } from 'ioredis';
import { createClient, type Client, type Lock } from '../../src/index.js';
import { startRoute, type Route } from '../property/route.js';
import { randomName, rawClient } from '../support/redis.js';
import type { OwnServer } from '../support/server.js';
import type { LatchWait } from './checks/latches.js';
import { History, type LockKind } from './history.js';
import { Recorder } from './recorder.js';
import { has, type Profile } from './seeds.js';

/** Three that stay, and one that is closed now and then. */
export const CLIENTS = 4;
export const COMMAND_TIMEOUT_MS = 700;
const LEASES = [450, 600, 900, 400];

/** Names of the objects of a seed. */
export interface Names {
  readonly lock: string;
  readonly fair: string;
  readonly fenced: string;
  readonly rw: string;
  readonly permits: string;
  readonly semaphore: string;
  readonly regrown: string;
  readonly lagging: string;
  readonly ledger: string;
  readonly counter: string;
  readonly gate: string;
  readonly relay: string;
}

/** What the numbers start with. */
export const START = {
  permits: 3,
  semaphore: 3,
  regrown: 3,
  lagging: 3,
  ledger: 1_000,
  counter: 100_000,
};

/** In which caller code runs, as users keep it: a listener runs in the one that added it, or none. */
export const callers = new AsyncLocalStorage<string>();

/** The present client at a place. */
export interface Member {
  readonly client: Client;
  readonly label: string;
  readonly leaseMs: number;
  readonly isFleeting: boolean;
}

export class Scene {
  readonly history = new History();
  readonly recorder = new Recorder(this.history);
  readonly profile: Profile;
  readonly server: OwnServer;
  readonly raw: Redis;
  readonly names: Names;
  readonly prefix: string;
  readonly routes: readonly Route[];
  /** Reaches the server directly, and is not disturbed. */
  readonly observer: Client;
  readonly members: Member[] = [];
  /** No new acts are begun. */
  isEnding = false;
  /** Everything was deleted: of the numbers only those are known that were set since. */
  wasFlushed = false;
  /** The server has no memory for anything new. */
  isFull = false;
  /** Holders that the server had forgotten to refuse: they were given up before a flush. */
  readonly forgotten = new Set<string>();
  readonly latchWaits: LatchWait[] = [];
  /** Ids of all clients there were, and what their connections are called. */
  readonly ids = new Map<string, string>();
  /** Ids of the clients whose processes were killed. */
  readonly killed = new Set<string>();
  #generations = 0;

  constructor(seed: number, server: OwnServer, routes: readonly Route[], profile: Profile) {
    this.profile = profile;
    this.server = server;
    this.routes = routes;
    this.raw = rawClient(server.url);
    this.prefix = randomName(`chaos-${seed}`);
    const named = (word: string): string => `${this.prefix}:${word}`;
    this.names = {
      lock: named('lock'),
      fair: named('fair'),
      fenced: named('fenced'),
      rw: named('rw'),
      permits: named('permits'),
      semaphore: named('semaphore'),
      regrown: named('regrown'),
      lagging: named('lagging'),
      ledger: named('ledger'),
      counter: named('counter'),
      gate: named('gate'),
      relay: named('relay'),
    };
    this.observer = createClient({ redis: server.url });
    for (let place = 0; place < CLIENTS; place += 1) {
      this.members.push(this.#open(place));
    }
  }

  async setNumbers(): Promise<void> {
    const { permits, semaphore, regrown, lagging, ledger, counter } = this.names;
    await this.observer.getPermitExpirableSemaphore(permits).trySetPermits(START.permits);
    await this.observer.getSemaphore(semaphore).trySetPermits(START.semaphore);
    await this.observer.getSemaphore(regrown).trySetPermits(START.regrown);
    await this.observer.getSemaphore(lagging).trySetPermits(START.lagging);
    await this.observer.getSemaphore(ledger).trySetPermits(START.ledger);
    await this.observer.getCountDownLatch(counter).trySetCount(START.counter);
  }

  nameOf(kind: LockKind): string {
    return this.names[kind === 'read' || kind === 'write' ? 'rw' : kind];
  }

  lockOf(client: Client, kind: LockKind): Lock {
    const name = this.nameOf(kind);
    const ways: Record<LockKind, () => Lock> = {
      lock: () => client.getLock(name),
      fair: () => client.getFairLock(name),
      fenced: () => client.getFencedLock(name),
      read: () => client.getReadWriteLock(name).readLock,
      write: () => client.getReadWriteLock(name).writeLock,
    };
    return ways[kind]();
  }

  /** Closes the client at a place, in the middle of whatever it does, and puts a new one there. */
  async renew(place: number): Promise<void> {
    const { client, label } = this.members[place]!;
    this.members[place] = this.#open(place);
    const call = this.recorder.begin(label, label, 'close', '', 400);
    await client.close({ timeoutMs: 400 });
    this.recorder.end(call, 'done');
  }

  #open(place: number): Member {
    this.#generations += 1;
    const label = `c${place}.${this.#generations}`;
    const { port } = new URL(this.routes[place]!.url);
    const leaseMs = LEASES[place]!;
    const client = callers.exit(() =>
      createClient({
        redis: {
          host: '127.0.0.1',
          port: Number(port),
          connectionName: this.connectionName(place),
        },
        leaseMs,
        commandTimeoutMs: COMMAND_TIMEOUT_MS,
        // The checks tell holds apart by their holder ids, which the holds of a run share.
        handOff: 'strict',
      }),
    );
    this.ids.set(client.id, label);
    callers.exit(() => this.#listen(client, label));
    return { client, label, leaseMs, isFleeting: place === CLIENTS - 1 };
  }

  connectionName(place: number): string {
    return `chaos-${this.prefix.replaceAll(':', '-')}-${place}`;
  }

  #listen(client: Client, label: string): void {
    client.on('lost', ({ resource, kind, holderId, error }) => {
      this.recorder.lost(label, kind, resource, holderId, error.reason);
    });
    if (!has('contexts')) {
      return;
    }
    for (const event of ['lost', 'acquired', 'released', 'suspect'] as const) {
      client.on(event, () => {
        const caller = callers.getStore();
        if (caller !== undefined) {
          const text = `a listener of ${label} to "${event}", added outside, ran as ${caller}`;
          this.history.violated('listeners run in their own context', undefined, text);
        }
      });
    }
  }

  async close(): Promise<void> {
    await this.observer.close();
    this.raw.disconnect();
    await Promise.all(this.routes.map(async (route) => await route.close()));
  }
}

export async function openScene(seed: number, server: OwnServer, profile: Profile): Promise<Scene> {
  const routes = await Promise.all(
    Array.from({ length: CLIENTS }, async () => await startRoute(server)),
  );
  const scene = new Scene(seed, server, routes, profile);
  await scene.setNumbers();
  return scene;
}
