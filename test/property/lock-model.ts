// The lock as it should be, in plain TypeScript, and the real one next to it.

import type { Redis } from 'ioredis';
import { expect } from 'vitest';
import type { Client, Hold } from '../../src/index.js';
import { eventually } from '../support/eventually.js';

/** One hold. `doomed`: the server has forgotten it, and its owner will learn that. */
export interface ModelHold {
  readonly client: number;
  /** Holds of one holder share it. */
  readonly group: number;
  readonly depth: number;
  readonly outer: number | undefined;
  state: 'live' | 'doomed' | 'released';
}

interface ModelWaiter {
  readonly client: number;
  state: 'waiting' | 'granted' | 'aborted';
}

export interface Model {
  readonly holds: ModelHold[];
  readonly waiters: ModelWaiter[];
  groups: number;
}

interface RealWaiter {
  readonly abort: AbortController;
  granted: Hold | undefined;
  error: unknown;
}

export interface Real {
  readonly name: string;
  readonly raw: Redis;
  readonly clients: readonly Client[];
  /** At the index of their model. */
  readonly holds: Hold[];
  readonly waiters: RealWaiter[];
  lastToken: bigint;
  lostEvents: number;
}

export const liveHolds = (model: Model): ModelHold[] =>
  model.holds.filter(({ state }) => state === 'live');

const waiting = (model: Model): ModelWaiter[] =>
  model.waiters.filter(({ state }) => state === 'waiting');

/** Notes a hold that was granted, and that its token and its place are right. */
export function granted(model: Model, real: Real, hold: Hold, outer?: number): void {
  const through = outer === undefined ? undefined : model.holds[outer];
  const token = hold.fencingToken ?? 0n;
  if (through === undefined || outer === undefined) {
    expect(hold.depth).toBe(1);
    expect(token).toBeGreaterThan(real.lastToken);
    real.lastToken = token;
    model.groups += 1;
  } else {
    expect(hold.depth).toBe(through.depth + 1);
    expect(hold.holderId).toBe(real.holds[outer]?.holderId);
    expect(token).toBe(real.holds[outer]?.fencingToken);
  }
  const client = real.clients.findIndex(({ id }) => hold.holderId.startsWith(`${id}:`));
  const group = through?.group ?? model.groups;
  model.holds.push({ client, group, depth: hold.depth, outer, state: 'live' });
  real.holds.push(hold);
}

/** The server forgets whoever holds the lock. */
export function doom(model: Model): void {
  for (const hold of liveHolds(model)) {
    hold.state = 'doomed';
  }
}

/** A free lock goes to the first waiter of some client, whichever comes first. */
async function handOver(model: Model, real: Real): Promise<void> {
  if (liveHolds(model).length > 0 || waiting(model).length === 0) {
    return;
  }
  const at = await eventually(
    () => {
      const index = model.waiters.findIndex(
        ({ state }, i) => state === 'waiting' && real.waiters[i]?.granted !== undefined,
      );
      return index === -1 ? null : index;
    },
    { withinMs: 8_000 },
  );
  const winner = model.waiters[at];
  const first = waiting(model).find(({ client }) => client === winner?.client);
  expect(winner, 'first come, first served inside one client').toBe(first);
  if (winner !== undefined) {
    winner.state = 'granted';
    granted(model, real, real.waiters[at]!.granted!);
  }
}

/** What must be true after every command. */
export async function check(model: Model, real: Real): Promise<void> {
  await handOver(model, real);

  const live = liveHolds(model);
  const holder = real.holds[model.holds.findIndex((hold) => hold === live[0])];
  const expected = holder === undefined ? {} : { [holder.holderId]: String(live.length) };
  expect(await real.raw.hgetall(real.name)).toEqual(expected);

  model.holds.forEach(({ state }, i) => {
    const hold = real.holds[i]!;
    if (state === 'live') {
      expect(hold.isHeld).toBe(true);
      expect(['held', 'suspect']).toContain(hold.state);
      expect(hold.signal.aborted).toBe(false);
    } else if (state === 'released') {
      expect([hold.isHeld, hold.state]).toEqual([false, 'released']);
    }
  });
  expect(new Set(live.map(({ group }) => group)).size).toBeLessThanOrEqual(1);
  model.waiters.forEach(({ state }, i) => {
    const waiter = real.waiters[i]!;
    expect(waiter.granted === undefined).toBe(state !== 'granted');
    expect(waiter.error === undefined).toBe(state !== 'aborted');
  });
}

/** The end of a run: what waits gives up, what is doomed is lost, what is held goes back. */
export async function finish(model: Model, real: Real): Promise<void> {
  for (const [i, waiter] of model.waiters.entries()) {
    if (waiter.state === 'waiting') {
      waiter.state = 'aborted';
      real.waiters[i]!.abort.abort(new Error('the end'));
    }
  }
  const doomed = model.holds.flatMap(({ state }, i) =>
    state === 'doomed' ? [real.holds[i]!] : [],
  );
  await eventually(() => doomed.every((hold) => !hold.isHeld && hold.state === 'lost'));
  await eventually(() => real.lostEvents === doomed.length);
  for (const [i, hold] of model.holds.entries()) {
    if (hold.state === 'live') {
      hold.state = 'released';
      await real.holds[i]!.release();
    }
  }
  await check(model, real);
  expect(await real.raw.exists(real.name)).toBe(0);
  expect(real.lostEvents).toBe(doomed.length);
}
