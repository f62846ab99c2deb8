// The counting semaphore as it should be, in plain TypeScript, and the real one next to it.

import { expect } from 'vitest';
import type { Permits, Semaphore } from '../../src/index.js';
import { promised } from '../support/broken-promise.js';
import { settled, type World } from './world.js';

export interface ModelGrant {
  readonly count: number;
  /** Of the semaphore that it was taken from. */
  readonly mark: number | undefined;
  state: 'live' | 'released';
}

export interface ModelWaiter {
  readonly client: number;
  readonly count: number;
  state: 'waiting' | 'granted' | 'aborted';
}

export interface Model {
  /** Permits that are left; undefined when none were set. */
  available: number | undefined;
  /** Tells the semaphore from those that were made before it; Java's have none, and go without their
   * mark. */
  mark: number | undefined;
  /** Somebody may have stated the number in code: more permits than that are put right, which
   * `test/property/failover.test.ts` is about. */
  mayBeStated: boolean;
  /** More were released than were taken: a client that states the number now has them put right. */
  hasMore: boolean;
  /** How many semaphores there have been. */
  made: number;
  /** All that were ever set or added, less those that were taken away or released twice. */
  total: number;
  /** It was deleted by one of ours: a client makes none for a number that it was told before. */
  isDeleted: boolean;
  /** All numbers of permits with which a client has made an object, the newest object's last. */
  readonly told: Map<number, number[]>;
  readonly grants: ModelGrant[];
  readonly waiters: ModelWaiter[];
}

interface RealWaiter {
  readonly abort: AbortController;
  error: unknown;
}

export interface Real extends World {
  /** At the index of their model. */
  readonly grants: Permits[];
  readonly waiters: RealWaiter[];
  /** The number of permits of the newest object of each client, where it was made with one. */
  readonly numbers: Map<number, number>;
  /** What was granted and the model does not know yet, in this order. */
  readonly news: { waiter: number; permits: Permits }[];
}

/** The object of a client, with the number that it was made with last. */
export const semaphoreOf = ({ clients, name, numbers }: Real, client: number): Semaphore =>
  clients[client]!.getSemaphore(name, { permits: numbers.get(client) });

export const liveGrants = (model: Model): ModelGrant[] =>
  model.grants.filter(({ state }) => state === 'live');

export const waiting = (model: Model): ModelWaiter[] =>
  model.waiters.filter(({ state }) => state === 'waiting');

/** Who stands first among those of a client that wait. */
export const headOf = (model: Model, client: number): ModelWaiter | undefined =>
  waiting(model).find((waiter) => waiter.client === client);

/** Notes permits that were granted, and that they were there. */
export function granted(model: Model, real: Real, permits: Permits): void {
  expect(permits.count, 'never more than there are').toBeLessThanOrEqual(model.available ?? 0);
  model.available = (model.available ?? 0) - permits.count;
  model.grants.push({ count: permits.count, mark: model.mark, state: 'live' });
  real.grants.push(permits);
}

/** Notes what was granted to those who wait, in the order in which it was. */
function absorb(model: Model, real: Real): void {
  for (const { waiter: at, permits } of real.news.splice(0)) {
    const waiter = model.waiters[at]!;
    expect(waiter, 'first come, first served inside one client').toBe(headOf(model, waiter.client));
    expect(permits.count).toBe(waiter.count);
    waiter.state = 'granted';
    granted(model, real, permits);
  }
}

/** Permits become available, or are taken away. Where there are none, one of ours makes the semaphore
 * by that. */
export function change(model: Model, delta: number): void {
  if (model.available === undefined) {
    model.made += 1;
    model.mark = model.made;
    model.mayBeStated = model.told.size > 0;
    model.isDeleted = false;
  }
  foreignChange(model, delta);
}

/** A client that was told a number uses the semaphore: one that is gone, and was not deleted, is made. */
export function use(model: Model, client: number): void {
  const count = model.told.get(client)?.at(-1);
  if (count !== undefined && model.available === undefined && !model.isDeleted) {
    change(model, count);
  }
}

/** Nobody who waits was told a number: such a client makes the semaphore when it asks again. */
export const isQuiet = (model: Model): boolean =>
  waiting(model).every(({ client }) => !model.told.has(client));

/** The same by Java, which marks nothing. */
export function foreignChange(model: Model, delta: number): void {
  model.available = (model.available ?? 0) + delta;
  model.total += delta;
}

/** The semaphore goes; its mark goes with it, unless Java has deleted it. */
export function vanish(model: Model, withMark: boolean): void {
  model.total -= model.available ?? 0;
  model.available = undefined;
  model.mark = withMark ? undefined : model.mark;
  model.mayBeStated &&= !withMark;
  model.hasMore &&= !withMark;
}

/** Those who had permits give them back: to nobody, when the semaphore has gone meanwhile, or one of
 * ours was made since. */
export function giveBack(model: Model, grants: readonly ModelGrant[]): void {
  for (const grant of grants) {
    grant.state = 'released';
    const isTheirs = model.mark === undefined || model.mark === grant.mark;
    if (model.available === undefined || !isTheirs) {
      model.total -= grant.count;
    } else {
      model.available += grant.count;
    }
  }
}

/** Whoever fits comes in; with somebody passed over for long, nobody before that one. */
function checkProgress(model: Model, real: Real, line: readonly string[]): void {
  const first = real.clients.findIndex(({ id }) => id === line[0]);
  real.clients.forEach((_, client) => {
    const head = headOf(model, client);
    if (head !== undefined && (first === -1 || first === client)) {
      expect(head.count, 'who fits gets in').toBeGreaterThan(model.available ?? 0);
    }
  });
}

/** What must be true after every command. */
export async function check(model: Model, real: Real): Promise<void> {
  const { raw, name } = real;
  await settled(real, async () => {
    const line = `redlatch_waiting:{${name}}`;
    const replies = await raw.multi().get(name).zrange(line, '0', '-1').exec();
    const [value, clients] = (replies ?? []).map(([, reply]) => reply);
    return [
      () => absorb(model, real),
      () => {
        expect(value).toBe(model.available === undefined ? null : String(model.available));
        checkProgress(model, real, clients as string[]);
        model.waiters.forEach(({ state }, i) => {
          expect(real.waiters[i]!.error === undefined).toBe(state !== 'aborted');
        });
      },
    ];
  });
  const taken = liveGrants(model).reduce((sum, { count }) => sum + count, 0);
  expect((model.available ?? 0) + taken).toBe(model.total);
}

/** A waiter may have got some of the permits of a semaphore that was made just now. */
export function checkLeft(model: Model, left: number, isMade: boolean): void {
  const available = model.available ?? 0;
  expect(isMade ? left <= available : left === available).toBe(true);
}

/** Everybody gives back what they have, until nobody has anything. */
async function releaseAll(model: Model, real: Real): Promise<void> {
  while (liveGrants(model).length > 0) {
    const leaving = model.grants.flatMap(({ state }, i) => (state === 'live' ? [i] : []));
    giveBack(model, liveGrants(model));
    await Promise.all(leaving.map(async (i) => await real.grants[i]!.release()));
    await check(model, real);
  }
}

/** The end of a run: everything is given back, and everybody who waits gets in. */
export async function finish(model: Model, real: Real): Promise<void> {
  const semaphore = semaphoreOf(real, 0);
  await releaseAll(model, real);
  const needed = Math.max(1, ...waiting(model).map(({ count }) => count));
  const isGone = model.available === undefined;
  if (isGone) {
    use(model, 0);
  }
  const missing = Math.max(0, needed - model.total);
  if (missing > 0 || isGone) {
    change(model, missing);
    await semaphore.addPermits(missing);
    await check(model, real);
  }
  await releaseAll(model, real);
  expect(waiting(model)).toEqual([]);
  const left = await real.raw.get(real.name);
  promised('no permit is lost or doubled', () => expect(left).toBe(String(model.total)));
  expect(await semaphore.delete()).toBe(true);
}
