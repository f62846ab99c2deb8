// A lock as it should be, in plain TypeScript, and the real one next to it.

import { expect } from 'vitest';
import type { Client, Hold, Lock } from '../../src/index.js';
import { promised } from '../support/broken-promise.js';
import { eventually } from '../support/eventually.js';
import { isReordered, settled, type World } from './world.js';

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
  error: unknown;
}

/** In what one kind of lock differs from the others. */
export interface Kind {
  readonly lockOf: (client: Client, name: string) => Lock;
  /** Its holds carry tokens that grow. */
  readonly isFenced: boolean;
  /** Its waiters stand in one queue on the server. */
  readonly isFair: boolean;
}

export interface Real extends World {
  readonly kind: Kind;
  /** At the index of their model. */
  readonly holds: Hold[];
  readonly waiters: RealWaiter[];
  /** What was granted and the model does not know yet, in this order. */
  readonly grants: { waiter: number; hold: Hold }[];
  lastToken: bigint;
}

export const liveHolds = (model: Model): ModelHold[] =>
  model.holds.filter(({ state }) => state === 'live');

export const waiting = (model: Model): ModelWaiter[] =>
  model.waiters.filter(({ state }) => state === 'waiting');

export const lockOf = ({ kind, clients, name }: Real, client: number): Lock =>
  kind.lockOf(clients[client]!, name);

/** Called at the very moment of an outermost grant: whoever of this client had it before is out, and
 * knows it, whatever had happened on the server. */
export function expectAlone(real: Real, hold: Hold): void {
  const client = hold.holderId.slice(0, 36);
  const beside = real.holds.filter(
    ({ holderId, isHeld }) => isHeld && holderId !== hold.holderId && holderId.startsWith(client),
  );
  promised('one hold of a client is held at a time', () => expect(beside).toEqual([]));
}

/** Notes a hold that was granted, and that its token and its place are right. */
export function granted(model: Model, real: Real, hold: Hold, outer?: number): void {
  const through = outer === undefined ? undefined : model.holds[outer];
  const token = hold.fencingToken ?? 0n;
  if (through === undefined || outer === undefined) {
    promised('nobody else holds it', () => expect(liveHolds(model)).toEqual([]));
    expect(hold.depth).toBe(1);
    if (real.kind.isFenced) {
      expect(token).toBeGreaterThan(real.lastToken);
    }
    real.lastToken = token;
    model.groups += 1;
  } else {
    expect(hold.depth).toBe(through.depth + 1);
    expect(hold.holderId).toBe(real.holds[outer]?.holderId);
    expect(token).toBe(real.holds[outer]?.fencingToken ?? 0n);
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

/**
 * Notes what was granted to those who wait, in the order in which it was.
 *
 * @param forcedBy the client that has just freed the lock by force: what it had asked for before that
 * is lost with it, also what the attempt got afterwards, when it ran late or twice
 */
export function absorb(model: Model, real: Real, forcedBy?: number): void {
  for (const { waiter: at, hold } of real.grants.splice(0)) {
    const waiter = model.waiters[at]!;
    // One whose client was cut off is passed over until that listens again.
    const rivals = waiting(model).filter(
      ({ client }) =>
        client === waiter.client || (real.kind.isFair && !real.routes[client]!.isCutOff),
    );
    expect(waiter, 'first come, first served').toBe(rivals[0]);
    waiter.state = 'granted';
    granted(model, real, hold);
    if (waiter.client === forcedBy && isReordered(real, forcedBy) && hold.state === 'lost') {
      doom(model);
    }
  }
}

/** What is on the server, in one look. */
async function look({ raw, name }: Real) {
  const replies = await raw
    .multi()
    .hgetall(name)
    .lrange(`redisson_lock_queue:{${name}}`, '0', '-1')
    .zrange(`redisson_lock_timeout:{${name}}`, '0', '-1')
    .exec();
  const [fields, queue, timeouts] = (replies ?? []).map(([, reply]) => reply);
  return {
    fields: fields as Record<string, string>,
    queue: queue as string[],
    timeouts: timeouts as string[],
  };
}

/**
 * A late copy of a re-entry, or of the release of one, may set the number of a holder's holds back
 * to what it was: the number is stated anew by the next one, and the lock is free at none.
 */
function maySlip(model: Model, { routes }: Real, { client, group }: ModelHold): boolean {
  const hasReentered = model.holds.some((hold) => hold.group === group && hold.depth > 1);
  return hasReentered && routes[client]!.wasCut;
}

/** Who holds, and not how often. */
const vague = (fields: Record<string, string>): string[] => Object.keys(fields);

function checkServer(model: Model, real: Real, seen: Awaited<ReturnType<typeof look>>): void {
  const live = liveHolds(model);
  expect(new Set(live.map(({ group }) => group)).size).toBeLessThanOrEqual(1);
  const holder = real.holds[model.holds.findIndex((hold) => hold === live[0])];
  const expected = holder === undefined ? {} : { [holder.holderId]: String(live.length) };
  const isVague = holder !== undefined && maySlip(model, real, live[0]!);
  expect(isVague ? vague(seen.fields) : seen.fields).toEqual(isVague ? vague(expected) : expected);
  expect(live.length === 0 && waiting(model).length > 0, 'a free lock is taken').toBe(false);
  // Whoever waits stands in the queue, in the order of the calls.
  const ids = waiting(model).map(({ client }) => real.clients[client]!.id);
  expect(seen.queue.map((holderId) => holderId.slice(0, 36))).toEqual(real.kind.isFair ? ids : []);
  expect(seen.timeouts.toSorted()).toEqual(seen.queue.toSorted());
}

function checkHandles(model: Model, real: Real): void {
  model.holds.forEach(({ state }, i) => {
    const hold = real.holds[i]!;
    if (state === 'live') {
      expect([hold.isHeld, hold.signal.aborted]).toEqual([true, false]);
      expect(['held', 'suspect']).toContain(hold.state);
    } else if (state === 'released') {
      expect([hold.isHeld, hold.state]).toEqual([false, 'released']);
    }
  });
  model.waiters.forEach(({ state }, i) => {
    expect(real.waiters[i]!.error === undefined).toBe(state !== 'aborted');
  });
}

/** What must be true after every command. */
export async function check(model: Model, real: Real): Promise<void> {
  await settled(real, async () => {
    const seen = await look(real);
    return [
      () => absorb(model, real),
      () => {
        checkServer(model, real, seen);
        checkHandles(model, real);
      },
    ];
  });
}

/** The end of a run: all who wait get in as the others leave, what is doomed is lost. */
export async function finish(model: Model, real: Real): Promise<void> {
  const doomed = real.holds.filter((_, i) => model.holds[i]!.state === 'doomed');
  await eventually(() => doomed.every((hold) => !hold.isHeld && hold.state === 'lost'));
  await eventually(() => real.lostEvents === doomed.length);
  while (liveHolds(model).length > 0) {
    const leaving = model.holds.flatMap((hold, i) => (hold.state === 'live' ? [i] : []));
    for (const i of leaving) {
      model.holds[i]!.state = 'released';
    }
    await Promise.all(leaving.map(async (i) => await real.holds[i]!.release()));
    await check(model, real);
  }
  expect(waiting(model)).toEqual([]);
  expect(await real.raw.exists(real.name)).toBe(0);
  expect(real.lostEvents).toBe(doomed.length);
}

/** The empty model, and what stands next to it. */
export function setup(kind: Kind, world: World): { model: Model; real: Real } {
  const parts = { kind, holds: [], waiters: [], grants: [], lastToken: 0n };
  return { model: { holds: [], waiters: [], groups: 0 }, real: Object.assign(world, parts) };
}
