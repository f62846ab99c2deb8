// A fair lock seen from the server, and Java clients that stand in its queue.

import type { Redis } from 'ioredis';
import { createClient, type Client, type ClientOptions } from '../../../src/index.js';
import { eventually } from '../../support/eventually.js';
import { redisUrl } from '../../support/redis.js';

/** The id of a Java client, and so never one of ours. */
export const JAVA = '6e0a3c1e-44d1-4a51-9d1f-0c5c8a9b7a11';
/** The id of a client of ours that is no more. */
export const DEAD = '0d8c2f9a-71b3-4c0e-8a55-5f0e6b1d9c22';

/** What Redisson gives an entry if nothing else is said. */
export const PATIENCE_MS = 300_000;
/** How far ahead the score of an entry of ours is when nobody of Java stands before it. */
export const AHEAD_MS = 5_000;

/** The part of a test's context that cleans up after it. */
interface Finishing {
  onTestFinished(end: () => Promise<void>): void;
}

/** Makes clients that end with their test, also where tests run side by side. */
export function clientsOf(context: Finishing): (options?: ClientOptions) => Client {
  const clients: Client[] = [];
  context.onTestFinished(async () => {
    await Promise.all(clients.map(async (client) => await client.close({ timeoutMs: 1_000 })));
  });
  return (options = {}) => {
    const client = createClient({ redis: redisUrl(), ...options });
    clients.push(client);
    return client;
  };
}

export class FairView {
  readonly queue: string;
  readonly timeouts: string;
  readonly beats: string;
  readonly tickets: string;
  readonly channel: string;
  readonly raw: Redis;
  readonly name: string;

  constructor(raw: Redis, name: string) {
    const tagged = name.includes('{') ? name : `{${name}}`;
    this.raw = raw;
    this.name = name;
    this.queue = `redisson_lock_queue:${tagged}`;
    this.timeouts = `redisson_lock_timeout:${tagged}`;
    this.beats = `redlatch_beats:${tagged}`;
    this.tickets = `redlatch_tickets:${tagged}`;
    this.channel = `redisson_lock__channel:${tagged}`;
  }

  async now(): Promise<number> {
    const [seconds, micros] = await this.raw.time();
    return Number(seconds) * 1000 + Math.floor(Number(micros) / 1000);
  }

  async waiting(): Promise<string[]> {
    return await this.raw.lrange(this.queue, 0, -1);
  }

  /** Waits until so many stand in the queue, and says who. */
  async queued(count: number): Promise<string[]> {
    return await eventually(async () => {
      const waiting = await this.waiting();
      return waiting.length === count && waiting;
    });
  }

  /** The score of an entry. */
  async score(holderId: string): Promise<number> {
    const score = await this.raw.zscore(this.timeouts, holderId);
    return score === null ? Number.NaN : Number(score);
  }

  /** Somebody else enters the queue; `beatAgoMs` makes it one of ours, last heard of then. */
  async enter(
    holderId: string,
    { scoreInMs = PATIENCE_MS, beatAgoMs }: { scoreInMs?: number; beatAgoMs?: number } = {},
  ): Promise<void> {
    const now = await this.now();
    const entering = this.raw.multi();
    entering.zadd(this.timeouts, now + scoreInMs, holderId).rpush(this.queue, holderId);
    if (beatAgoMs !== undefined) {
      entering.zadd(this.beats, now - beatAgoMs, holderId.slice(0, 36));
    }
    await entering.exec();
  }

  /** Takes an entry out, as Java does with one that it takes for dead. */
  async evict(holderId: string): Promise<void> {
    await this.raw.multi().zrem(this.timeouts, holderId).lrem(this.queue, 0, holderId).exec();
  }

  /** Somebody else holds the lock. */
  async hold(holderId: string, leaseMs: number): Promise<void> {
    await this.raw.multi().hset(this.name, holderId, 1).pexpire(this.name, leaseMs).exec();
  }

  /** An entry of Java takes the lock, which brings the score of the next one nearer. */
  async take(holderId: string, leaseMs: number, next: string): Promise<void> {
    const taking = this.raw.multi();
    taking.zrem(this.timeouts, holderId).lrem(this.queue, 0, holderId);
    taking.hset(this.name, holderId, 1).pexpire(this.name, leaseMs);
    await taking.zincrby(this.timeouts, -PATIENCE_MS, next).exec();
  }

  /** Frees the lock without a message. */
  async free(): Promise<void> {
    await this.raw.del(this.name);
  }

  /** Removes everything, what Java left included. */
  async clear(): Promise<void> {
    await this.raw.del(this.name, this.queue, this.timeouts, this.beats, this.tickets);
  }
}
