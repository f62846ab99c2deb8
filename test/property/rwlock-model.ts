// The read-write lock as it should be, in plain TypeScript, and the real one next to it.

import { expect } from 'vitest';
import type { Client, Hold, Lock } from '../../src/index.js';
import { promised } from '../support/broken-promise.js';
import { eventually } from '../support/eventually.js';
import { isReordered, settled, type World } from './world.js';

export type Side = 'read' | 'write';

/** One hold. `doomed`: the server has forgotten it, and its owner will learn that. */
export interface ModelHold {
  readonly client: number;
  readonly side: Side;
  /** Holds of one holder share it. */
  readonly group: number;
  readonly outer: number | undefined;
  state: 'live' | 'doomed' | 'released';
}

export interface ModelWaiter {
  readonly client: number;
  readonly side: Side;
  /** Those whom it must not pass. */
  readonly behind: readonly ModelWaiter[];
  /** Those who may be before it: a client enters the line for its next writer when its hold is over. */
  readonly mayBeBehind: readonly ModelWaiter[];
  /** It has its place in the line, which the server has told it. */
  isInLine: boolean;
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

export interface Real extends World {
  /** At the index of their model. */
  readonly holds: Hold[];
  readonly waiters: RealWaiter[];
  /** What was granted and the model does not know yet, in this order. */
  readonly grants: { waiter: number; hold: Hold }[];
}

export const liveHolds = (model: Model, side?: Side): ModelHold[] =>
  model.holds.filter((hold) => hold.state === 'live' && (side ?? hold.side) === hold.side);

export const waiting = (model: Model, side?: Side): ModelWaiter[] =>
  model.waiters.filter(
    (waiter) => waiter.state === 'waiting' && (side ?? waiter.side) === waiter.side,
  );

export function lockOf(client: Client, name: string, side: Side): Lock {
  const { readLock, writeLock } = client.getReadWriteLock(name);
  return side === 'read' ? readLock : writeLock;
}

/** Notes a hold that was granted, and that nobody has what excludes it. */
export function granted(
  model: Model,
  real: Real,
  { hold, side, outer }: { hold: Hold; side: Side; outer?: number },
): void {
  const client = real.clients.findIndex(({ id }) => hold.holderId.startsWith(`${id}:`));
  if (outer === undefined) {
    const excluding = liveHolds(model, side === 'read' ? 'write' : undefined);
    promised(`no ${side} hold is granted beside those that exclude it`, () =>
      expect(excluding).toEqual([]),
    );
    expect(hold.depth).toBe(1);
    model.groups += 1;
  } else if (side === model.holds[outer]!.side) {
    expect(hold.holderId).toBe(real.holds[outer]?.holderId);
  }
  // A writer's first read has the writer's id, and a later one its own: no id is granted twice.
  const group = outer === undefined ? model.groups : model.holds[outer]!.group;
  model.holds.push({ client, side, group, outer, state: 'live' });
  real.holds.push(hold);
}

/** The server forgets whoever holds the lock. */
export function doom(model: Model, which: (hold: ModelHold) => boolean = () => true): void {
  for (const hold of liveHolds(model).filter((one) => which(one))) {
    hold.state = 'doomed';
  }
}

/**
 * Notes what was granted to those who wait, in the order in which it was.
 *
 * @param forced the client and the side that have just been used to free the lock by force: what was
 * asked for there before that is lost with it, also what the attempt got afterwards, when it ran late or
 * twice
 */
export function absorb(
  model: Model,
  real: Real,
  forced?: { readonly client: number; readonly side: Side },
): void {
  for (const { waiter: at, hold } of real.grants.splice(0)) {
    const waiter = model.waiters[at]!;
    const { side, client, behind } = waiter;
    // A writer whose client was cut off is passed over until that listens again; and readers of one
    // client share a place, which a late copy takes away until they ask again.
    const mayBePassed = (before: ModelWaiter): boolean => {
      const route = real.routes[before.client]!;
      return before.side === 'write' ? route.isCutOff : route.wasCut;
    };
    const passed = behind.filter((before) => before.state === 'waiting' && !mayBePassed(before));
    expect(passed, `a ${side} of client ${client} has passed them`).toEqual([]);
    const first = waiting(model, side).find((other) => other.client === client);
    if (side === 'write') {
      expect(waiter, 'first come, first served inside one client').toBe(first);
    }
    waiter.state = 'granted';
    granted(model, real, { hold, side });
    const isForced = client === forced?.client && side === forced.side;
    if (isForced && isReordered(real, client) && hold.state === 'lost') {
      model.holds.at(-1)!.state = 'doomed';
    }
  }
}

/** What is on the server, in one look. */
async function look({ raw, name }: Real) {
  const replies = await raw
    .multi()
    .hgetall(name)
    .zrange(`redlatch_readers:{${name}}`, '0', '-1')
    .zrange(`redlatch_writers:{${name}}`, '0', '-1')
    .zrange(`redlatch_waiting:{${name}}`, '0', '-1')
    .keys(`{${name}}:*:rwlock_timeout:*`)
    .exec();
  const [fields, readers, writers, clients, holdKeys] = (replies ?? []).map(([, reply]) => reply);
  return {
    fields: fields as Record<string, string>,
    readers: readers as string[],
    /** Ids of clients, or of holders, which begin with them. */
    line: { write: writers as string[], read: clients as string[] },
    holdKeys: (holdKeys as string[]).map((key) => key.slice(name.length + 3)),
  };
}

type Seen = Awaited<ReturnType<typeof look>>;

/** What the server should know of those who hold the lock. */
function expected(model: Model, real: Real): { fields: Record<string, string>; keys: string[] } {
  const fields: Record<string, string> = {};
  const keys: string[] = [];
  model.holds.forEach((hold, i) => {
    if (hold.state === 'live') {
      const { holderId } = real.holds[i]!;
      const field = hold.side === 'read' ? holderId : `${holderId}:write`;
      const count = Number(fields[field] ?? 0) + 1;
      fields[field] = String(count);
      if (hold.side === 'read') {
        keys.push(`${holderId}:rwlock_timeout:${count}`);
      }
    }
  });
  if (Object.keys(fields).length > 0) {
    fields['mode'] = liveHolds(model, 'write').length > 0 ? 'write' : 'read';
  }
  return { fields, keys };
}

/**
 * Ids of holders whose number of holds may be off: a late copy of a re-entry, or of the release of
 * one, sets it back to what it was, until the next one states it anew; at none nothing stays.
 */
function slipping(model: Model, { routes, holds }: Real): Set<string> {
  const reentered = model.holds.flatMap(({ client, outer }, i) =>
    outer !== undefined && routes[client]!.wasCut ? [holds[i]!.holderId] : [],
  );
  return new Set(reentered);
}

/** The fields, with the numbers of `slippery` holders left out. */
function exact(
  fields: Record<string, string>,
  slippery: ReadonlySet<string>,
): Record<string, string> {
  const entries = Object.entries(fields).map(([field, count]) => [
    field,
    slippery.has(field.replace(/:write$/, '')) ? 'some' : count,
  ]);
  return Object.fromEntries(entries) as Record<string, string>;
}

function checkServer(model: Model, real: Real, seen: Seen): void {
  const doomed = new Set(
    real.holds.filter((_, i) => model.holds[i]!.state === 'doomed').map(({ holderId }) => holderId),
  );
  const { fields, keys } = expected(model, real);
  // What of a doomed reader is still there is gone when its lease would have ended.
  const [known, holdKeys] = [
    Object.fromEntries(Object.entries(seen.fields).filter(([field]) => !doomed.has(field))),
    seen.holdKeys.filter((key) => !doomed.has(key.split(':rwlock_timeout')[0]!)),
  ];
  if (Object.keys(known).join() === 'mode') {
    delete known['mode'];
  }
  const slippery = slipping(model, real);
  expect(exact(known, slippery)).toEqual(exact(fields, slippery));
  const countable = (key: string): boolean =>
    key.endsWith(':1') || !slippery.has(key.split(':rwlock_timeout')[0]!);
  expect(holdKeys.filter((key) => countable(key)).toSorted()).toEqual(
    keys.filter((key) => countable(key)).toSorted(),
  );
  if (liveHolds(model).length > 0) {
    const readers = liveHolds(model, 'read').map((hold) => real.holds[model.holds.indexOf(hold)]!);
    const ours = seen.readers.filter((holderId) => !doomed.has(holderId));
    expect(new Set(ours)).toEqual(new Set(readers.map(({ holderId }) => holderId)));
  }
  for (const side of ['read', 'write'] as const) {
    const ids = waiting(model, side).map(({ client }) => real.clients[client]!.id);
    const strangers = seen.line[side].filter((member) => !ids.includes(member.slice(0, 36)));
    expect(strangers, `only who waits stands in the ${side} line`).toEqual([]);
  }
}

/** Whoever nobody keeps out comes in. */
function checkProgress(model: Model): void {
  const writes = liveHolds(model, 'write').length > 0;
  const reads = liveHolds(model, 'read').length > 0;
  const [readers, writers] = [waiting(model, 'read'), waiting(model, 'write')];
  expect(!writes && !reads && readers.length + writers.length > 0, 'somebody gets in').toBe(false);
  expect(!writes && writers.length === 0 && readers.length > 0, 'readers get in').toBe(false);
  // Of the readers of a client only the first one has a place of its own in the line.
  const first = readers.filter(
    ({ isInLine, mayBeBehind }) =>
      isInLine && mayBeBehind.every(({ state }) => state !== 'waiting'),
  );
  expect(!writes && first.length > 0, 'readers before all writers get in').toBe(false);
}

function checkHandles(model: Model, real: Real): void {
  model.holds.forEach(({ state }, i) => {
    const hold = real.holds[i]!;
    if (state === 'live') {
      expect([hold.isHeld, hold.signal.aborted]).toEqual([true, false]);
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
        checkProgress(model);
        checkHandles(model, real);
      },
    ];
  });
}

/** The end of a run: all who wait get in as the others leave, and nothing is left. */
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
  // Whoever comes next takes out those whose lease ended unseen.
  const last = await real.clients[0]!.getReadWriteLock(real.name).writeLock.acquire();
  await last.release();
  const left = await look(real);
  expect(left.fields).toEqual({});
  expect(real.lostEvents).toBe(doomed.length);
}
