// What can happen to a counting semaphore, one command each, on the model and on the real one.

import { expect } from 'vitest';
import { fc } from '../support/fast-check.js';
import { eventually } from '../support/eventually.js';
import { semaphoreRecord } from '../support/semaphore-record.js';
import { anyClient, commandsWith, faults, pick, quiet, turns } from './model-command.js';
import type { ModelCommand } from './model-command.js';
import {
  change,
  check,
  checkLeft,
  foreignChange,
  giveBack,
  granted,
  headOf,
  isQuiet,
  liveGrants,
  semaphoreOf,
  use,
  vanish,
  waiting,
} from './semaphore-model.js';
import type { Model, Real } from './semaphore-model.js';

type SemaphoreCommand = ModelCommand<Model, Real>;

const command = commandsWith<Model, Real>(check);

const trySetPermits = (client: number, permits: number): SemaphoreCommand =>
  command(`trySetPermits(${client}, ${permits})`, async (model, real) => {
    const isSet = await semaphoreOf(real, client).trySetPermits(permits);
    expect(isSet).toBe(model.available === undefined);
    if (isSet) {
      change(model, permits);
    }
  });

const addPermits = (client: number, delta: number): SemaphoreCommand =>
  command(`addPermits(${client}, ${delta})`, async (model, real) => {
    use(model, client);
    change(model, delta);
    await semaphoreOf(real, client).addPermits(delta);
  });

const drainPermits = (client: number): SemaphoreCommand =>
  command(`drainPermits(${client})`, async (model, real) => {
    use(model, client);
    const left = Math.max(0, model.available ?? 0);
    expect(await semaphoreOf(real, client).drainPermits()).toBe(left);
    if (left > 0) {
      change(model, -left);
    }
  });

const availablePermits = (client: number): SemaphoreCommand =>
  command(`availablePermits(${client})`, async (model, real) => {
    const isMade = model.available === undefined;
    use(model, client);
    const left = await semaphoreOf(real, client).availablePermits();
    checkLeft(model, left, isMade);
  });

/** Made with a number of permits, which the first use of the client sets where there is none. */
const told = (client: number, permits: number): SemaphoreCommand =>
  command(
    `told(${client}, ${permits})`,
    async (model, real) => {
      const isMade = model.available === undefined;
      const numbers = model.told.get(client) ?? [];
      model.told.set(client, [...numbers.filter((each) => each !== permits), permits]);
      real.numbers.set(client, permits);
      if (isMade && !numbers.includes(permits)) {
        change(model, permits);
      }
      use(model, client);
      model.mayBeStated = true;
      const left = await semaphoreOf(real, client).availablePermits();
      checkLeft(model, left, isMade);
    },
    ({ hasMore }) => !hasMore,
  );

const mayGrow = ({ mayBeStated, available }: Readonly<Model>): boolean =>
  !mayBeStated || available === undefined;

/** Permits that nobody took. */
const releaseMore = (client: number, permits: number): SemaphoreCommand =>
  command(
    `releaseMore(${client}, ${permits})`,
    async (model, real) => {
      const isGone = model.available === undefined;
      use(model, client);
      // A client that makes the number it was told adds nothing to it.
      if (!isGone || model.available === undefined) {
        change(model, permits);
        model.hasMore = true;
      }
      await semaphoreOf(real, client).release(permits);
    },
    mayGrow,
  );

/** Starts an acquisition that may wait for ever. */
function start(model: Model, real: Real, client: number, count: number): number {
  const abort = new AbortController();
  const index = model.waiters.length;
  use(model, client);
  model.waiters.push({ client, count, state: 'waiting' });
  real.waiters.push({ abort, error: undefined });
  semaphoreOf(real, client)
    .acquire(count, { signal: abort.signal })
    .then(
      (permits) => real.news.push({ waiter: index, permits }),
      (error: unknown) => {
        real.waiters[index]!.error = error;
      },
    );
  return index;
}

const acquire = (client: number, count: number): SemaphoreCommand =>
  command(`acquire(${client}, ${count})`, (model, real) => {
    start(model, real, client, count);
  });

/** Given up after a moment: it is granted, or nothing of it stays. */
const acquireAndAbort = (client: number, count: number, after: number): SemaphoreCommand =>
  command(`acquireAndAbort(${client}, ${count}, ${after})`, async (model, real) => {
    const index = start(model, real, client, count);
    await turns(after);
    real.waiters[index]!.abort.abort(new Error('given up'));
    const hasEnded = (): boolean =>
      real.waiters[index]!.error !== undefined || real.news.some(({ waiter }) => waiter === index);
    await eventually(hasEnded, { everyMs: 1 });
    if (real.waiters[index]!.error !== undefined) {
      model.waiters[index]!.state = 'aborted';
    }
    await quiet(() => semaphoreOf(real, client).availablePermits());
  });

const tryAcquire = (client: number, count: number): SemaphoreCommand =>
  command(`tryAcquire(${client}, ${count})`, async (model, real) => {
    use(model, client);
    const isServed = headOf(model, client) === undefined && count <= (model.available ?? 0);
    const permits = await semaphoreOf(real, client).tryAcquire(count);
    const line = await real.raw.zcard(`redlatch_waiting:{${real.name}}`);
    if (line === 0) {
      expect(permits !== null).toBe(isServed);
    }
    if (permits !== null) {
      granted(model, real, permits);
    }
  });

const release = (which: number): SemaphoreCommand =>
  command(
    `release(${which})`,
    async (model, real) => {
      const grant = liveGrants(model)[which % liveGrants(model).length]!;
      const permits = real.grants[model.grants.indexOf(grant)]!;
      giveBack(model, [grant]);
      await Promise.all([permits.release(), permits.release()]);
    },
    (model) => liveGrants(model).length > 0,
  );

const releaseAll = (): SemaphoreCommand =>
  command(
    'releaseAll',
    async (model, real) => {
      const leaving = real.grants.filter((_, i) => model.grants[i]!.state === 'live');
      giveBack(model, liveGrants(model));
      await Promise.all(leaving.map(async (permits) => await permits.release()));
    },
    (model) => liveGrants(model).length > 0,
  );

const abort = (which: number): SemaphoreCommand =>
  command(
    `abort(${which})`,
    async (model, real) => {
      const waiter = waiting(model)[which % waiting(model).length]!;
      const its = real.waiters[model.waiters.indexOf(waiter)]!;
      const reason = new Error('given up');
      waiter.state = 'aborted';
      its.abort.abort(reason);
      await turns(1);
      expect(its.error).toBe(reason);
      await quiet(() => semaphoreOf(real, waiter.client).availablePermits());
    },
    (model) => waiting(model).length > 0,
  );

/** What was taken before does not come back to the one that is made after it. */
const remove = (client: number): SemaphoreCommand =>
  command(`delete(${client})`, async (model, real) => {
    const isThere = await semaphoreOf(real, client).delete();
    expect(isThere).toBe(model.available !== undefined);
    model.isDeleted ||= isThere;
    vanish(model, true);
  });

/** Its time is over, as with `ttlMs`. */
const expire = (): SemaphoreCommand =>
  command(
    'expire',
    async (model, { raw, name }) => {
      await raw.multi().pexpire(name, 1).pexpire(semaphoreRecord(name), 1).exec();
      await eventually(async () => (await raw.exists(name, semaphoreRecord(name))) === 0, {
        everyMs: 1,
      });
      model.isDeleted = false;
      vanish(model, true);
    },
    isQuiet,
  );

/** Redisson deletes it, and leaves our mark. */
const foreignDelete = (): SemaphoreCommand =>
  command(
    'foreignDelete',
    async (model, { raw, name }) => {
      vanish(model, false);
      await raw.del(name);
    },
    isQuiet,
  );

/** Redisson sets it, if there is none. */
const foreignSet = (permits: number): SemaphoreCommand =>
  command(
    `foreignSet(${permits})`,
    async (model, { raw, name }) => {
      foreignChange(model, permits);
      const message = String(permits);
      await raw.multi().set(name, permits).publish(`redisson_sc:{${name}}`, message).exec();
    },
    // A later use of ours forgets a deletion then, a look does not.
    (model) => model.available === undefined && !model.mayBeStated && !model.isDeleted,
  );

/** Redisson takes one, if there is one. */
const foreignAcquire = (): SemaphoreCommand =>
  command(
    'foreignAcquire',
    async (model, { raw, name }) => {
      foreignChange(model, -1);
      await raw.decr(name);
    },
    (model) => (model.available ?? 0) > 0,
  );

/** Redisson gives one back. */
const foreignRelease = (): SemaphoreCommand =>
  command(
    'foreignRelease',
    async (model, { raw, name }) => {
      foreignChange(model, 1);
      model.hasMore = true;
      const available = String(model.available);
      await raw.multi().incr(name).publish(`redisson_sc:{${name}}`, available).exec();
    },
    ({ mayBeStated, isDeleted }) => !mayBeStated && !isDeleted,
  );

const some = fc.integer({ min: 1, max: 4 });

/** Everything that can happen, what takes and gives most often. */
export const semaphoreCommands: fc.Arbitrary<SemaphoreCommand>[] = [
  ...[1, 2].map(() =>
    fc.tuple(anyClient, fc.nat(6)).map(([who, permits]) => trySetPermits(who, permits)),
  ),
  fc
    .tuple(anyClient, fc.integer({ min: -4, max: 4 }))
    .map(([who, delta]) => addPermits(who, delta)),
  ...[1, 2].map(() => fc.tuple(anyClient, fc.nat(6)).map(([who, permits]) => told(who, permits))),
  anyClient.map(drainPermits),
  anyClient.map(availablePermits),
  fc.tuple(anyClient, some).map(([who, permits]) => releaseMore(who, permits)),
  ...[1, 2, 3, 4].map(() => fc.tuple(anyClient, some).map(([who, count]) => acquire(who, count))),
  ...[1, 2].map(() =>
    fc
      .tuple(anyClient, some, fc.nat(6))
      .map(([who, count, after]) => acquireAndAbort(who, count, after)),
  ),
  fc.tuple(anyClient, some).map(([who, count]) => tryAcquire(who, count)),
  ...[1, 2, 3].map(() => pick.map(release)),
  fc.constant(releaseAll()),
  ...[1, 2].map(() => pick.map(abort)),
  ...[1, 2].map(() => anyClient.map(remove)),
  fc.constant(expire()),
  fc.constant(foreignDelete()),
  fc.nat(6).map(foreignSet),
  fc.constant(foreignAcquire()),
  fc.constant(foreignRelease()),
  ...faults(command),
];
