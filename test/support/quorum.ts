// Servers of a quorum, and clients of them that end with their test.

import type { Redis } from 'ioredis';
import { afterEach, expect } from 'vitest';
import {
  CommandTimeoutError,
  createQuorumClient,
  type Lock,
  type LockAcquireOptions,
  type QuorumClient,
  type QuorumOptions,
} from '../../src/index.js';
import { expectRightEnds, toldBy, type Told } from './ends.js';
import { eventually } from './eventually.js';
import { keysUnder, randomName, rawClient } from './redis.js';
import { expectNoResidue } from './residue.js';
import { ownServer, type OwnServer } from './server.js';

/** Short, since a server does not vote before it has been up for so long. */
export const LEASE_MS = 3_000;

/** What stays by design; it has a TTL, but for the counters of fencing tokens. */
const RECORDS = /^(?:redlatch_(?:cancelled|requests|tickets)|redisson_lock_token):/u;

/** Waits until all servers vote; `holders` reads who has the lock on each of them. */
export async function allVote(
  lock: Lock,
  holders: () => Promise<string[][]>,
  withinMs = 5_000,
): Promise<void> {
  const isHeldEverywhere = async (): Promise<boolean> => {
    await using hold = await lock.acquire();
    const found = await holders();
    return hold.isHeld && found.every(([holderId]) => holderId === hold.holderId);
  };
  await eventually(isHeldEverywhere, { withinMs });
}

/** Servers, and the clients of one test. */
export class QuorumStage implements AsyncDisposable {
  readonly servers: readonly OwnServer[];
  readonly #prefix: string;
  readonly #clients = new Map<QuorumClient, ReadonlyMap<string, Told>>();
  readonly #raws = new Map<string, Redis>();
  #names = 0;

  readonly #leaseMs: number;

  constructor(servers: readonly OwnServer[], word: string, leaseMs: number) {
    this.servers = servers;
    this.#leaseMs = leaseMs;
    this.#prefix = randomName(word);
  }

  get urls(): readonly string[] {
    return this.servers.map(({ url }) => url);
  }

  name(): string {
    this.#names += 1;
    return `${this.#prefix}-${this.#names}`;
  }

  client(options: Partial<QuorumOptions> = {}): QuorumClient {
    const client = createQuorumClient({
      servers: this.urls,
      leaseMs: this.#leaseMs,
      // By default it is 50 ms, in which a busy machine may not answer.
      serverTimeoutMs: this.#leaseMs,
      ...options,
    });
    this.#clients.set(client, toldBy(client));
    return client;
  }

  /** A client that all servers vote for. */
  async connected(options?: Partial<QuorumOptions>): Promise<QuorumClient> {
    const client = this.client(options);
    const name = this.name();
    await allVote(client.getLock(name), async () => await this.holders(name));
    return client;
  }

  /** A plain connection to a server. */
  raw(place: number): Redis {
    const url = this.urls[place] ?? '';
    const raw = this.#raws.get(url) ?? rawClient(url, { retryStrategy: () => 20 });
    this.#raws.set(url, raw);
    return raw;
  }

  /** The holder ids of a lock on each server. */
  async holders(name: string): Promise<string[][]> {
    return await Promise.all(this.urls.map(async (_, place) => await this.raw(place).hkeys(name)));
  }

  /** Fails if a server keeps a key of this stage, beside records. */
  async expectNothingLeft(): Promise<void> {
    for (const place of this.urls.keys()) {
      const client = this.raw(place);
      await client.del(...(await client.keys(`redisson_lock_token:{${this.#prefix}*`)), 'none');
      await expectNoResidue(this.#prefix, { allow: [RECORDS], client, withinMs: 3_000 });
    }
  }

  /** Deletes all keys of this stage, so that what a failed test leaves fails no other. */
  async sweep(): Promise<void> {
    for (const place of this.urls.keys()) {
      const client = this.raw(place);
      await client.del(...(await keysUnder(this.#prefix, client)), 'none');
    }
  }

  /** Ends the clients, whose holds all have had one end. */
  async endClients(): Promise<void> {
    const told = [...this.#clients.values()];
    const all = [...this.#clients.keys()];
    this.#clients.clear();
    await Promise.all(all.map(async (client) => await client.close({ timeoutMs: 1_000 })));
    expectRightEnds(told);
  }

  /** Ends the clients and the servers. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.endClients();
    this.#raws.forEach((raw) => raw.disconnect());
    await Promise.all(this.servers.map(async (server) => await server.stop()));
  }
}

/** Starts servers for one test, which ends them. */
export async function startQuorum(
  word: string,
  leaseMs = LEASE_MS,
  count = 3,
): Promise<QuorumStage> {
  const servers = await Promise.all(Array.from({ length: count }, async () => await ownServer()));
  return new QuorumStage(servers, word, leaseMs);
}

/** Starts servers for a test file, and waits until they vote; its clients end with each test. */
export async function quorumOfFile(word: string): Promise<QuorumStage> {
  const stage = await startQuorum(word);
  await stage.connected();
  await stage.endClients();
  afterEach(async ({ task }) => {
    await stage.endClients();
    if (task.result?.state === 'fail') {
      await stage.sweep();
    }
  });
  return stage;
}

/** Fails if an attempt gets in. One that no majority has answered in time, as on a busy machine, says nothing. */
export async function expectRefused(lock: Lock, options: LockAcquireOptions = {}): Promise<void> {
  const got = await eventually(async () => {
    try {
      return (await lock.tryAcquire(options)) ?? 'refused';
    } catch (error) {
      expect(error).toBeInstanceOf(CommandTimeoutError);
      return null;
    }
  });
  expect(got).toBe('refused');
}
