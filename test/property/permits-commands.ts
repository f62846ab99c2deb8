// What can happen to a permit-expirable semaphore, one command each, on the model and on the real
// one.

import { expect } from 'vitest';
import { fc } from '../support/fast-check.js';
import { LeaseLostError, NotHeldError } from '../../src/index.js';
import { eventually } from '../support/eventually.js';
import {
  anyClient,
  commandsWith,
  faults,
  isToldOfLoss,
  pick,
  quiet,
  turns,
} from './model-command.js';
import type { ModelCommand } from './model-command.js';
import {
  check,
  giveBack,
  granted,
  headOf,
  mayBeLetIn,
  renewed,
  resize,
  taken,
  waiting,
} from './permits-model.js';
import type { Model, Real } from './permits-model.js';

type PermitsCommand = ModelCommand<Model, Real>;
type Lease = number | undefined;

const command = commandsWith<Model, Real>(check);
const semaphoreOf = ({ clients, name }: Real, client: number) =>
  clients[client]!.getPermitExpirableSemaphore(name);
const somePermit = (model: Model): boolean => model.permits.length > 0;

/** One of all permits there ever were, the newest most likely. */
const at = (model: Model, which: number): number =>
  model.permits.length - 1 - (which % model.permits.length);

/** No lease is renewed by default. */
const terms = (leaseMs: Lease): { leaseMs?: number } => (leaseMs === undefined ? {} : { leaseMs });

const trySetPermits = (client: number, permits: number): PermitsCommand =>
  command(`trySetPermits(${client}, ${permits})`, async (model, real) => {
    const isSet = await semaphoreOf(real, client).trySetPermits(permits);
    expect(isSet).toBe(model.total === undefined);
    if (isSet) {
      resize(model, permits);
    }
  });

const setPermits = (client: number, permits: number): PermitsCommand =>
  command(`setPermits(${client}, ${permits})`, async (model, real) => {
    resize(model, permits);
    await semaphoreOf(real, client).setPermits(permits);
  });

const addPermits = (client: number, delta: number): PermitsCommand =>
  command(`addPermits(${client}, ${delta})`, async (model, real) => {
    resize(model, (model.total ?? 0) + delta);
    await semaphoreOf(real, client).addPermits(delta);
  });

const totalPermits = (client: number): PermitsCommand =>
  command(`totalPermits(${client})`, async (model, real) => {
    expect(await semaphoreOf(real, client).totalPermits()).toBe(model.total ?? 0);
  });

/** Starts an acquisition that may wait for ever. */
function start(
  model: Model,
  real: Real,
  { client, count, leaseMs }: { client: number; count: number; leaseMs: Lease },
): number {
  const abort = new AbortController();
  const index = model.waiters.length;
  model.waiters.push({ client, count, leaseMs, state: 'waiting', mayBeDeleted: false });
  real.waiters.push({ abort, error: undefined });
  semaphoreOf(real, client)
    .acquireMany(count, { ...terms(leaseMs), signal: abort.signal })
    .then(
      (permits) => real.news.push({ waiter: index, permits }),
      (error: unknown) => {
        real.waiters[index]!.error = error;
      },
    );
  return index;
}

const acquire = (client: number, count: number, leaseMs: Lease): PermitsCommand =>
  command(`acquire(${client}, ${count}, ${leaseMs})`, (model, real) => {
    start(model, real, { client, count, leaseMs });
  });

/** Given up after a moment: it is granted, or nothing of it stays. */
const acquireAndAbort = (client: number, count: number, after: number): PermitsCommand =>
  command(`acquireAndAbort(${client}, ${count}, ${after})`, async (model, real) => {
    const index = start(model, real, { client, count, leaseMs: undefined });
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

const tryAcquire = (client: number, count: number, leaseMs: Lease): PermitsCommand =>
  command(`tryAcquire(${client}, ${count}, ${leaseMs})`, async (model, real) => {
    const total = model.total ?? 0;
    const isFirst = headOf(model, client) === undefined;
    const permits = await semaphoreOf(real, client).tryAcquireMany(count, terms(leaseMs));
    const line = await real.raw.zcard(`redlatch_waiting:{${real.name}}`);
    if (permits !== null) {
      expect(count).toBeLessThanOrEqual(total - renewed(model));
      granted(model, real, { client, leaseMs, permits });
    } else if (line === 0 && isFirst && !mayBeLetIn(model)) {
      expect(count).toBeGreaterThan(total - taken(model).length);
    }
  });

const release = (which: number): PermitsCommand =>
  command(
    `release(${which})`,
    async (model, real) => {
      const permit = model.permits[at(model, which)]!;
      if (permit.state === 'doomed') {
        const releasing = real.permits[at(model, which)]!.release();
        const isTold = await isToldOfLoss(releasing, real, permit.client);
        permit.state = isTold ? 'doomed' : 'released';
      } else {
        await giveBack(model, real, at(model, which));
      }
    },
    somePermit,
  );

/** By its id alone, through any client. */
const tryRelease = (client: number, which: number): PermitsCommand =>
  command(
    `tryRelease(${client}, ${which})`,
    async (model, real) => {
      const permit = model.permits[at(model, which)]!;
      const { id } = real.permits[at(model, which)]!;
      const { state } = permit;
      const isOwn = permit.client === client;
      if (state === 'live' || (state === 'fixed' && !isOwn)) {
        permit.state = isOwn ? 'released' : 'doomed';
      }
      const isReleased = await semaphoreOf(real, client).tryRelease(id);
      if (state === 'fixed' && isOwn) {
        // Its client counts it as lost a little before the server does.
        const isLost = real.permits[at(model, which)]!.state === 'lost';
        permit.state = isReleased && !isLost ? 'released' : 'doomed';
      } else if (state === 'doomed' && isOwn && isReleased) {
        expect(real.routes[client]!.wasCut).toBe(true);
        permit.state = 'released';
      } else if (state !== 'fixed') {
        expect(isReleased).toBe(state === 'live');
      }
    },
    somePermit,
  );

/** By its owner: from then on it expires. */
const updateLease = (which: number, leaseMs: number): PermitsCommand =>
  command(
    `updateLease(${which}, ${leaseMs})`,
    async (model, real) => {
      const permit = model.permits[at(model, which)]!;
      const { id } = real.permits[at(model, which)]!;
      const { state } = permit;
      if (state === 'live') {
        permit.state = 'fixed';
      }
      const isSet = await semaphoreOf(real, permit.client).updateLease(id, leaseMs);
      // A lease that ended before an answer came, which was lost on its way first, is not there any more.
      const mayBeOver = leaseMs < 1_000 && real.routes[permit.client]!.wasCut;
      if (state !== 'fixed' && !(!isSet && state === 'live' && mayBeOver)) {
        expect(isSet).toBe(state === 'live');
      }
    },
    somePermit,
  );

const extend = (which: number): PermitsCommand =>
  command(
    `extend(${which})`,
    async (model, real) => {
      const { state } = model.permits[at(model, which)]!;
      const permit = real.permits[at(model, which)]!;
      const extending = permit.extend(3_000);
      if (state === 'live') {
        await extending;
        expect(permit.remainingMs).toBeGreaterThan(1_000);
      } else if (state === 'fixed') {
        await extending.catch((error: unknown) => expect(error).toBeInstanceOf(LeaseLostError));
      } else {
        await expect(extending).rejects.toThrow(state === 'doomed' ? LeaseLostError : NotHeldError);
      }
    },
    somePermit,
  );

/** The lease of a permit ends, as if nobody had renewed it; the others are told to look. */
const expire = (which: number): PermitsCommand =>
  command(
    `expire(${which})`,
    async (model, { raw, name, permits }) => {
      const permit = taken(model)[which % taken(model).length]!;
      const { id } = permits[model.permits.indexOf(permit)]!;
      permit.state = 'doomed';
      await raw
        .multi()
        .zadd(`{${name}}:timeout`, 'XX', 1, Buffer.from(id, 'hex'))
        .publish(`redisson_sc:{${name}}`, '1')
        .exec();
    },
    (model) => taken(model).length > 0,
  );

/** Waits until every fixed lease that ends soon has ended. */
const outlive = (): PermitsCommand =>
  command(
    'outlive',
    async (model, real) => {
      const soon = real.permits.filter(
        ({ remainingMs }, i) => model.permits[i]!.state === 'fixed' && remainingMs < 400,
      );
      await eventually(() => soon.every(({ isHeld }) => !isHeld));
    },
    (model) => model.permits.some(({ state }) => state === 'fixed'),
  );

const abort = (which: number): PermitsCommand =>
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

const remove = (client: number): PermitsCommand =>
  command(`delete(${client})`, async (model, real) => {
    const isThere = await semaphoreOf(real, client).delete();
    expect(isThere).toBe(model.total !== undefined);
    for (const permit of taken(model)) {
      permit.state = 'doomed';
    }
    model.total = undefined;
    for (const waiter of waiting(model)) {
      waiter.mayBeDeleted = true;
    }
  });

const some = fc.integer({ min: 1, max: 3 });
const lease = fc.constantFrom(undefined, undefined, 120, 300, 3_000);

/** Everything that can happen, what takes and gives most often. */
export const permitsCommands: fc.Arbitrary<PermitsCommand>[] = [
  ...[1, 2].map(() =>
    fc.tuple(anyClient, fc.nat(5)).map(([who, permits]) => trySetPermits(who, permits)),
  ),
  fc.tuple(anyClient, fc.nat(5)).map(([who, permits]) => setPermits(who, permits)),
  fc
    .tuple(anyClient, fc.integer({ min: -2, max: 3 }))
    .map(([who, delta]) => addPermits(who, delta)),
  anyClient.map(totalPermits),
  ...[1, 2, 3, 4].map(() =>
    fc.tuple(anyClient, some, lease).map(([who, count, ms]) => acquire(who, count, ms)),
  ),
  fc
    .tuple(anyClient, some, fc.nat(6))
    .map(([who, count, after]) => acquireAndAbort(who, count, after)),
  fc.tuple(anyClient, some, lease).map(([who, count, ms]) => tryAcquire(who, count, ms)),
  ...[1, 2, 3].map(() => pick.map(release)),
  ...[1, 2].map(() => fc.tuple(anyClient, pick).map(([who, which]) => tryRelease(who, which))),
  fc.tuple(pick, fc.constantFrom(150, 3_000)).map(([which, ms]) => updateLease(which, ms)),
  pick.map(extend),
  pick.map(expire),
  fc.constant(outlive()),
  ...[1, 2].map(() => pick.map(abort)),
  anyClient.map(remove),
  ...faults(command),
];
