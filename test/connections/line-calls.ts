// The calls of locks that are handed on, each with the line that it finds.

import { lineKeys } from '../../src/core/locks/line.js';
import * as scripts from '../../src/core/wire/scripts.generated.js';
import { randomName } from '../support/redis.js';
import type { Place } from './seldom-calls.js';
import { writeLineCalls } from './write-line-calls.js';

const US = '11111111-1111-4111-8111-111111111111:1';
const THEY = '22222222-2222-4222-8222-222222222222:1';
const SOMEBODY = '33333333-3333-4333-8333-333333333333:1';
const DEAD = 'deaddead-dead-4ead-8ead-deaddeaddead:1';

/** A lock, with those who stand in its line; nobody listens, so they were heard of just now. */
async function lock({ raw }: Place, holder: string | undefined, ...waiting: readonly string[]) {
  const name = randomName('line');
  const keys = lineKeys(name, true);
  if (holder !== undefined) {
    await raw.hset(name, holder, 1);
    await raw.pexpire(name, 60_000);
  }
  for (const id of waiting) {
    await raw.rpush(keys.line, id);
    await raw.hset(keys.tickets, id, `${Date.now()} 9000 0 0`);
  }
  for (const key of [keys.line, keys.tickets]) {
    await raw.pexpire(key, 60_000);
  }
  const tombstone = `redlatch_cancelled:{${name}}:${US}`;
  const told = { publish: 'PUBLISH', channel: `redisson_lock__channel:{${name}}` };
  const requests = `redlatch_requests:{${name}}:${US.slice(0, 36)}`;
  return { ...keys, tombstone, requests, told };
}

async function enter(place: Place): Promise<void> {
  const args = {
    holder: US,
    leaseMs: 30_000,
    windowMs: 10_000,
    isListening: 1,
    tokens: 1,
    publish: 'PUBLISH',
    replaces: '',
  };
  const { operands } = scripts.lockEnter;
  for (const [holder, ...waiting] of [
    [undefined],
    [undefined, US],
    [undefined, THEY],
    [THEY],
    [THEY, SOMEBODY],
    [US],
  ] as const) {
    const keys = await lock(place, holder, ...waiting);
    await place.run(scripts.lockEnter, operands(keys, args));
  }
  // Behind one that was not heard of for long.
  const keys = await lock(place, undefined, DEAD);
  await place.raw.hset(keys.tickets, DEAD, '1 9000 0 0');
  await place.run(scripts.lockEnter, operands(keys, args));
  // In the place of another one, in the line and as the holder.
  for (const [holder, ...waiting] of [[THEY, DEAD], [DEAD]] as const) {
    const taken = await lock(place, holder, ...waiting);
    await place.run(scripts.lockEnter, operands(taken, { ...args, replaces: DEAD }));
  }
}

async function recheck(place: Place): Promise<void> {
  for (const [holder, ...waiting] of [
    [undefined, US],
    [undefined, THEY, US],
    [THEY, US],
    [US],
    [THEY],
    [undefined, DEAD, US],
  ] as const) {
    const { lock: name, line, tickets, token } = await lock(place, holder, ...waiting);
    if (waiting[0] === DEAD) {
      await place.raw.hset(tickets, DEAD, '1 9000 0 0');
    }
    const keys = { ofTickets: [name, line, tickets, ...token] };
    const args = { publish: 'PUBLISH', terms: [US, '30000', '10000', '1', '1'] };
    await place.run(scripts.lockRecheck, scripts.lockRecheck.operands(keys, args));
  }
}

async function release(place: Place): Promise<void> {
  const { operands } = scripts.lockRelease;
  for (const [holder, ...waiting] of [
    [US, THEY],
    [US, DEAD, THEY],
    [undefined, THEY],
    [THEY, US],
    [US],
  ] as const) {
    const { told, ...keys } = await lock(place, holder, ...waiting);
    if (waiting[0] === DEAD) {
      // It is also time to free the lock openly.
      const now = Date.now();
      await place.raw.hset(keys.tickets, DEAD, '1 9000 0 0', 'turn', `${now - 2_000} ${now} 3`);
    }
    const args = { holder: US, count: 0, tombstoneMs: 1_000, ...told, listens: 0 };
    await place.run(scripts.lockRelease, operands(keys, args));
  }
}

async function forceRelease(place: Place): Promise<void> {
  for (const waiting of [THEY, DEAD]) {
    const { told, ...keys } = await lock(place, US, waiting);
    if (waiting === DEAD) {
      await place.raw.hset(keys.tickets, waiting, '1 9000 0 0');
    }
    const tombstones = { tombstones: keys.tombstone.slice(0, -US.length), tombstoneMs: 1_000 };
    const args = { number: 7, lowWater: 3, ...told, ...tombstones };
    const { operands } = scripts.lockForceRelease;
    await place.run(scripts.lockForceRelease, operands(keys, args));
  }
}

export async function lineCalls(place: Place): Promise<void> {
  await enter(place);
  await recheck(place);
  await release(place);
  await forceRelease(place);
  await writeLineCalls(place);
}
