// The permit-expirable semaphore as it should be, in plain TypeScript, and the real one next to it.

import { expect } from 'vitest';
import type { Permit } from '../../src/index.js';
import { promised } from '../support/broken-promise.js';
import { eventually } from '../support/eventually.js';
import { settled, type World } from './world.js';

export interface ModelPermit {
  readonly client: number;
  /**
   * `live` is renewed; `fixed` may expire at any time, which the next look at the server tells.
   * `doomed`: the server has forgotten it, and its owner will learn that.
   */
  state: 'live' | 'fixed' | 'doomed' | 'released';
  /** It may have been granted before the semaphore was deleted: the next look tells. */
  isUnsure: boolean;
}

export interface ModelWaiter {
  readonly client: number;
  readonly count: number;
  readonly leaseMs: number | undefined;
  state: 'waiting' | 'granted' | 'aborted';
  /** It waited while the semaphore was deleted, and what it got may be gone. */
  mayBeDeleted: boolean;
}

export interface Model {
  /** Number of permits, taken ones included; undefined when none is set. */
  total: number | undefined;
  /** After a shrink less than nothing may be available, but never less than this. */
  lowest: number;
  readonly permits: ModelPermit[];
  readonly waiters: ModelWaiter[];
}

interface RealWaiter {
  readonly abort: AbortController;
  error: unknown;
}

export interface Real extends World {
  /** At the index of their model. */
  readonly permits: Permit[];
  readonly waiters: RealWaiter[];
  /** What was granted and the model does not know yet, in this order. */
  readonly news: { waiter: number; permits: Permit[] }[];
}

/** Those that may be held. */
export const taken = (model: Model): ModelPermit[] =>
  model.permits.filter(({ state }) => state === 'live' || state === 'fixed');

export const waiting = (model: Model): ModelWaiter[] =>
  model.waiters.filter(({ state }) => state === 'waiting');

/** Who stands first among those of a client that wait. */
export const headOf = (model: Model, client: number): ModelWaiter | undefined =>
  waiting(model).find((waiter) => waiter.client === client);

/** How many are taken for sure: they are renewed. */
export const renewed = (model: Model): number =>
  model.permits.filter(({ state }) => state === 'live').length;

/** Whether somebody who waits may be in by now, though nothing happened: fixed leases end. */
export const mayBeLetIn = (model: Model): boolean =>
  waiting(model).some(
    (waiter) =>
      waiter === headOf(model, waiter.client) &&
      waiter.count <= (model.total ?? 0) - renewed(model),
  );

/** Notes permits that were granted. */
export function granted(
  model: Model,
  real: Real,
  {
    client,
    leaseMs,
    permits,
    isUnsure = false,
  }: { client: number; leaseMs: number | undefined; permits: Permit[]; isUnsure?: boolean },
): void {
  const known = new Set(real.permits.map(({ id }) => id));
  for (const permit of permits) {
    expect(permit.id).toMatch(/^[0-9a-f]{32}$/);
    promised('no id is granted twice', () => expect(known.has(permit.id)).toBe(false));
    known.add(permit.id);
    model.permits.push({ client, state: leaseMs === undefined ? 'live' : 'fixed', isUnsure });
    real.permits.push(permit);
  }
}

/** The number of permits changes. */
export function resize(model: Model, total: number): void {
  const most = Math.max(taken(model).length, mayBeLetIn(model) ? (model.total ?? 0) : 0);
  model.total = total;
  model.lowest = Math.min(0, total - most);
}

/** Notes what was granted to those who wait, in the order in which it was. */
function absorb(model: Model, real: Real): void {
  for (const { waiter: at, permits } of real.news.splice(0)) {
    const waiter = model.waiters[at]!;
    const { client, count, leaseMs, mayBeDeleted: isUnsure } = waiter;
    expect(waiter, 'first come, first served inside one client').toBe(headOf(model, client));
    expect(permits.length, 'all or none').toBe(count);
    waiter.state = 'granted';
    granted(model, real, { client, leaseMs, permits, isUnsure });
  }
}

const LOOK = `
local time, answer = redis.call('TIME'), {}
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local entries = redis.call('ZRANGE', KEYS[2], 0, -1, 'WITHSCORES')
for i = 1, #entries, 2 do
  local id = string.gsub(entries[i], '.', function(byte)
    return string.format('%02x', string.byte(byte))
  end)
  answer[#answer + 1] = (tonumber(entries[i + 1]) > now and '+' or '-') .. id
end
return { redis.call('GET', KEYS[1]) or 'none', answer, redis.call('ZRANGE', KEYS[3], 0, -1) }`;

/** What is on the server, in one look by its own clock. */
interface Seen {
  readonly left: number | undefined;
  /** Ids of permits that have not expired. */
  readonly held: Set<string>;
  readonly expired: number;
  /** Clients that were passed over. */
  readonly line: readonly string[];
}

async function look({ raw, name }: Real): Promise<Seen> {
  const keys = [name, `{${name}}:timeout`, `redlatch_waiting:{${name}}`];
  const answer = await raw.eval(LOOK, keys.length, ...keys);
  const [left, permits, line] = answer as [string, string[], string[]];
  const held = permits.filter((entry) => entry.startsWith('+')).map((entry) => entry.slice(1));
  return {
    left: left === 'none' ? undefined : Number(left),
    held: new Set(held),
    expired: permits.length - held.length,
    line,
  };
}

/** Settles what was granted around a deletion, by a look at the server that is newer than both. */
function settleUnsure(model: Model, real: Real, seen: Seen): void {
  model.permits.forEach((permit, i) => {
    const isTaken = permit.state === 'live' || permit.state === 'fixed';
    if (permit.isUnsure && isTaken && !seen.held.has(real.permits[i]!.id)) {
      permit.state = 'doomed';
    }
    permit.isUnsure = false;
  });
}

/** Nobody is told to hold a permit that the server did not know a moment ago. */
function checkTruth(model: Model, real: Real, seen: Seen): void {
  model.permits.forEach(({ state }, i) => {
    const permit = real.permits[i]!;
    if (state === 'fixed' && permit.isHeld) {
      expect(seen.held.has(permit.id), `${permit.id} is told to be held`).toBe(true);
    }
  });
}

function checkServer(model: Model, real: Real, seen: Seen): void {
  const { left, held, expired } = seen;
  const known: string[] = [];
  model.permits.forEach((permit, i) => {
    const { id } = real.permits[i]!;
    if (permit.state === 'live' || (permit.state === 'fixed' && held.has(id))) {
      known.push(id);
    }
  });
  expect([...held].toSorted()).toEqual(known.toSorted());
  expect(left === undefined ? undefined : left + held.size + expired).toBe(model.total);
  const available = (left ?? 0) + expired;
  expect(available, 'never more are taken than there are').toBeGreaterThanOrEqual(model.lowest);
}

/** Whoever fits comes in; with somebody passed over for long, nobody before that one. */
function checkProgress(model: Model, real: Real, seen: Seen): void {
  const first = real.clients.findIndex(({ id }) => id === seen.line[0]);
  real.clients.forEach((_, client) => {
    const head = headOf(model, client);
    if (head !== undefined && (first === -1 || first === client)) {
      expect(head.count, 'who fits gets in').toBeGreaterThan((seen.left ?? 0) + seen.expired);
    }
  });
}

function checkHandles(model: Model, real: Real, seen: Seen): void {
  model.permits.forEach((permit, i) => {
    const { id, isHeld, state } = real.permits[i]!;
    if (permit.state === 'live') {
      expect([isHeld, real.permits[i]!.signal.aborted]).toEqual([true, false]);
    } else if (permit.state === 'released') {
      expect([isHeld, state]).toEqual([false, 'released']);
    } else if (permit.state === 'fixed' && !seen.held.has(id)) {
      permit.state = 'doomed';
    }
  });
  model.waiters.forEach(({ state }, i) => {
    expect(real.waiters[i]!.error === undefined).toBe(state !== 'aborted');
  });
}

/** What must be true after every command. */
export async function check(model: Model, real: Real): Promise<void> {
  await settled(real, async () => {
    const known = real.permits.length;
    const seen = await look(real);
    return [
      () => {
        settleUnsure(model, real, seen);
        checkTruth(model, real, seen);
        absorb(model, real);
      },
      () => {
        expect(real.permits.length, 'a look that may be older than a grant').toBe(known);
        checkServer(model, real, seen);
        checkProgress(model, real, seen);
        checkHandles(model, real, seen);
      },
    ];
  });
}

/** The end of a run: everything is given back, and everybody who waits gets in. */
export async function finish(model: Model, real: Real): Promise<void> {
  const semaphore = real.clients[0]!.getPermitExpirableSemaphore(real.name);
  const needed = Math.max(1, ...waiting(model).map(({ count }) => count));
  if ((model.total ?? 0) < needed) {
    resize(model, needed);
    await semaphore.setPermits(needed);
    await check(model, real);
  }
  while (taken(model).length > 0) {
    const leaving = model.permits.flatMap((permit, i) =>
      permit.state === 'live' || permit.state === 'fixed' ? [i] : [],
    );
    await Promise.all(leaving.map(async (i) => await giveBack(model, real, i)));
    await check(model, real);
  }
  expect(waiting(model)).toEqual([]);
  const doomed = real.permits.filter((_, i) => model.permits[i]!.state === 'doomed');
  await eventually(() => doomed.every((permit) => !permit.isHeld && permit.state === 'lost'));
  await eventually(() => real.lostEvents >= doomed.length);
  expect(real.lostEvents).toBe(doomed.length);
  expect(await semaphore.availablePermits()).toBe(model.total);
  expect(await semaphore.delete()).toBe(true);
}

/** Gives a permit back that may expire meanwhile, unless it is renewed. */
export async function giveBack(model: Model, real: Real, index: number): Promise<void> {
  const permit = model.permits[index]!;
  const { state } = permit;
  const handle = real.permits[index]!;
  permit.state = 'released';
  try {
    await handle.release();
  } catch (error) {
    expect([state, error]).toEqual(['fixed', expect.objectContaining({ code: 'ERR_LEASE_LOST' })]);
    permit.state = 'doomed';
  }
}
