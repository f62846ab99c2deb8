// A read-write lock seen from the server, Redisson's clients that hold it, and those who listen.

import type { Redis } from 'ioredis';
import { eventually } from '../../support/eventually.js';
import { messagesOn } from '../../support/messages.js';
import { keysUnder } from '../../support/redis.js';
import { toldOf } from '../../support/told.js';

/** Holder ids of Redisson's clients, and so never of ours. */
export const JAVA = '6e0a3c1e-44d1-4a51-9d1f-0c5c8a9b7a11:42';
export const OTHER_JAVA = '0d8c2f9a-71b3-4c0e-8a55-5f0e6b1d9c22:7';

/** A holder id of a client of ours that is no more. */
export const DEAD_WRITER = '4f6c2f9a-71b3-4c0e-8a55-5f0e6b1d9c33:3';

/** Redis 6.2 has no PEXPIRE with NX and GT. */
const LENGTHEN =
  "if redis.call('PTTL', KEYS[1]) < tonumber(ARGV[1]) then redis.call('PEXPIRE', KEYS[1], ARGV[1]) end";

/** The longest that a client which waits lets pass before it asks again of its own accord. */
export const BEAT_MS = 1_300;

export class RwView {
  readonly raw: Redis;
  readonly name: string;
  readonly readers: string;
  readonly writers: string;
  readonly waiting: string;
  readonly beats: string;
  readonly tickets: string;
  readonly channel: string;

  constructor(raw: Redis, name: string) {
    const tagged = name.includes('{') ? name : `{${name}}`;
    this.raw = raw;
    this.name = name;
    this.readers = `redlatch_readers:${tagged}`;
    this.writers = `redlatch_writers:${tagged}`;
    this.waiting = `redlatch_waiting:${tagged}`;
    this.beats = `redlatch_beats:${tagged}`;
    this.tickets = `redlatch_tickets:${tagged}`;
    this.channel = `redisson_rwlock:${tagged}`;
  }

  holdKey(holderId: string, hold = 1): string {
    const base = this.name.includes('{') ? this.name : `{${this.name}}`;
    return `${base}:${holderId}:rwlock_timeout:${hold}`;
  }

  async now(): Promise<number> {
    const [seconds, micros] = await this.raw.time();
    return Number(seconds) * 1000 + Math.floor(Number(micros) / 1000);
  }

  async fields(): Promise<Record<string, string>> {
    return await this.raw.hgetall(this.name);
  }

  /** Every hold key there is, in alphabetical order. */
  async holdKeys(): Promise<string[]> {
    const base = this.name.includes('{') ? this.name : `{${this.name}}`;
    const keys = await keysUnder(base, this.raw);
    return keys.filter((key) => key.includes(':rwlock_timeout:'));
  }

  /** Redisson reads, or re-enters; without hold keys it is one whose lease has ended. */
  async javaReads(
    holderId: string,
    leaseMs: number,
    { holds = 1, holdKeys = true }: { holds?: number; holdKeys?: boolean } = {},
  ): Promise<void> {
    const entering = this.raw.multi();
    entering.hset(this.name, 'mode', 'read', holderId, holds);
    const living = holdKeys ? holds : 0;
    for (let hold = 1; hold <= living; hold += 1) {
      entering.set(this.holdKey(holderId, hold), '1', 'PX', leaseMs);
    }
    await entering.eval(LENGTHEN, 1, this.name, leaseMs).exec();
  }

  /** A reader of Redisson leaves while others read. */
  async javaLeaves(holderId: string): Promise<void> {
    await this.raw.multi().hdel(this.name, holderId).del(this.holdKey(holderId)).exec();
  }

  async javaWrites(holderId: string, leaseMs: number): Promise<void> {
    const fields = { mode: 'write', [`${holderId}:write`]: 1 };
    await this.raw.multi().hset(this.name, fields).pexpire(this.name, leaseMs).exec();
  }

  async javaStopsWriting(): Promise<void> {
    await this.raw.multi().del(this.name).publish(this.channel, '1').exec();
  }

  /** Waits until readers of so many clients stand in line and listen. */
  async readersWait(clients: number): Promise<void> {
    await eventually(async () => (await this.raw.zcard(this.waiting)) === clients);
    await this.listened(clients);
  }

  /** Waits until so many writers, one a client, stand in line, and says which. */
  async writersWait(count: number): Promise<string[]> {
    return await eventually(async () => {
      const waiting = await this.raw.zrange(this.writers, '0', '-1');
      return waiting.length === count && waiting;
    });
  }

  /** Waits until so many clients, at least, will be told of the lock. */
  async listened(clients: number): Promise<void> {
    await eventually(async () => (await toldOf(this.name, this.raw)) >= clients);
  }

  /** What is published from now on, while the test runs. */
  async messages(): Promise<string[]> {
    return await messagesOn(this.channel);
  }

  /** Somebody, or each of several, stands in line for writing, was last heard of `beatAgoMs` ago,
   * and never again. */
  async intend(beatAgoMs: number, ...holderIds: string[]): Promise<void> {
    const now = await this.now();
    const entering = this.raw.multi();
    for (const holderId of holderIds) {
      entering.zadd(this.writers, now * 1000, holderId);
      entering.zadd(this.beats, now - beatAgoMs, holderId);
    }
    await entering.pexpire(this.writers, 600_000).pexpire(this.beats, 600_000).exec();
  }
}

/** Waits until leases would have run out so many times, had nobody renewed them. */
export async function outlive(leases: number, leaseMs: number): Promise<void> {
  const end = performance.now() + leases * leaseMs;
  await eventually(() => performance.now() > end, { withinMs: leases * leaseMs + 5_000 });
}
