// Where an object lives: its keys, and the channels on which its waiters are told.

import type { Redis } from 'ioredis';
import { expect } from 'vitest';
import type { Client } from '../../../src/index.js';
import { eventually } from '../../support/eventually.js';
import { channelsUnder, keysUnder } from '../../support/redis.js';
import type { JavaClient } from '../support/java.js';
import { firstOf, type Kind, type Leave } from '../wake-ups/wake-up-kinds.js';

/** Whole names, but for the holders and the base in them; without private records. */
export interface Footprint {
  readonly keys: readonly string[];
  readonly channels: readonly string[];
}

export interface Pair {
  readonly raw: Redis;
  readonly java: JavaClient;
  /** Its timers stand still: it gets in by a message or not at all. */
  readonly node: Client;
}

/** Long before a lease ends, after which Java would look again. */
const SOON_MS = 15_000;

/**
 * Each side in turn holds an object, lets the other one wait and then in, by a message.
 *
 * @param base a part of the name that is like no other
 * @returns the footprint while Java waits for Node, and while Node waits for Java
 */
export async function handOvers(
  { raw, java, node }: Pair,
  kind: Kind,
  { name, base }: { name: string; base: string },
): Promise<{ nodeHolds: Footprint; javaHolds: Footprint }> {
  const [holder, waiter] = [java.thread('holder'), java.thread('waiter')];
  // In this order: a channel that Node has listened to stays while timers stand still.
  const nodeHolds = await handOver(
    raw,
    base,
    await kind.nodeHolds(node, name),
    firstOf(kind.javaWaits)(waiter, name),
    // One who listens, and does not sleep yet, misses the message of a writer (R2).
    async () => (await java.parked()) === 1,
  );
  await eventually(async () => expect(await channelsUnder(base, raw)).toEqual([]));
  await clear(raw, name, base);
  const javaHolds = await handOver(
    raw,
    base,
    await kind.javaHolds(holder, name),
    firstOf(kind.nodeWaits)(node, name),
  );
  await clear(raw, name, base);
  return { nodeHolds, javaHolds };
}

async function handOver(
  raw: Redis,
  base: string,
  leave: Leave,
  waiting: Promise<Leave>,
  isAsleep: () => Promise<boolean> = async () => await Promise.resolve(true),
): Promise<Footprint> {
  const channels = await eventually(
    async () => {
      const found = await channelsUnder(base, raw);
      expect(found).toHaveLength(1);
      return found;
    },
    { withinMs: SOON_MS },
  );
  const keys = (await keysUnder(base, raw)).filter((key) => !key.startsWith('redlatch_'));
  await eventually(isAsleep, { withinMs: SOON_MS });
  const startedAt = performance.now();
  await leave();
  const leaveToo = await waiting;
  expect(performance.now() - startedAt).toBeLessThan(SOON_MS);
  await leaveToo();
  const anonymous = (text: string): string =>
    text.replaceAll(HOLDER, 'HOLDER').replaceAll(base, 'BASE');
  return { keys: keys.map(anonymous).toSorted(), channels: channels.map(anonymous) };
}

/** What stays by design: permits that nobody has, and the last token. */
async function clear(raw: Redis, name: string, base: string): Promise<void> {
  const keys = await keysUnder(base, raw);
  const left = keys.filter((key) => !/^redlatch_|^redisson_unlock_latch/.test(key));
  await raw.del(name, ...left);
}

const HOLDER = /[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}:\d+/g;
