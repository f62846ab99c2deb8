// What can happen to a lock, one command each, on the model and on the real one.

import { expect } from 'vitest';
import { fc } from '../support/fast-check.js';
import { LeaseLostError, NotHeldError } from '../../src/index.js';
import { eventually } from '../support/eventually.js';
import {
  absorb,
  check,
  doom,
  expectAlone,
  granted,
  liveHolds,
  lockOf,
  waiting,
} from './lock-model.js';
import type { Model, Real } from './lock-model.js';
import {
  anyClient,
  commandsWith,
  deliverAll,
  faults,
  isToldOfLoss,
  pick,
  quiet,
  turns,
} from './model-command.js';
import type { ModelCommand } from './model-command.js';

type LockCommand = ModelCommand<Model, Real>;

const command = commandsWith<Model, Real>(check);
const someHold = (model: Model): boolean => model.holds.length > 0;

/** One of all holds there ever were, the newest most likely. */
const at = (model: Model, which: number): number =>
  model.holds.length - 1 - (which % model.holds.length);

/** What becomes of a call through a hold that has ended. */
async function expectRefused(call: Promise<unknown>, state: 'doomed' | 'released'): Promise<void> {
  await expect(call).rejects.toThrow(state === 'doomed' ? LeaseLostError : NotHeldError);
}

/** Starts an acquisition that may wait for ever. */
function start(model: Model, real: Real, client: number): number {
  const abort = new AbortController();
  const index = model.waiters.length;
  model.waiters.push({ client, state: 'waiting' });
  real.waiters.push({ abort, error: undefined });
  lockOf(real, client)
    .acquire({ signal: abort.signal })
    .then((hold) => {
      expectAlone(real, hold);
      real.grants.push({ waiter: index, hold });
    })
    .catch((error: unknown) => {
      real.waiters[index]!.error = error;
    });
  return index;
}

const acquire = (client: number): LockCommand =>
  command(`acquire(${client})`, (model, real) => {
    start(model, real, client);
  });

/** Given up after a moment: it is granted, or nothing of it stays. */
const acquireAndAbort = (client: number, after: number): LockCommand =>
  command(`acquireAndAbort(${client}, ${after})`, async (model, real) => {
    const index = start(model, real, client);
    await turns(after);
    real.waiters[index]!.abort.abort(new Error('given up'));
    const hasEnded = (): boolean =>
      real.waiters[index]!.error !== undefined ||
      real.grants.some(({ waiter }) => waiter === index);
    await eventually(hasEnded, { everyMs: 1 });
    if (real.waiters[index]!.error !== undefined) {
      model.waiters[index]!.state = 'aborted';
    }
    await quiet(() => lockOf(real, client).isLocked());
  });

const tryAcquire = (client: number): LockCommand =>
  command(`tryAcquire(${client})`, async (model, real) => {
    const hold = await lockOf(real, client).tryAcquire();
    expect(hold === null).toBe(liveHolds(model).length > 0);
    if (hold !== null) {
      expectAlone(real, hold);
      granted(model, real, hold);
    }
  });

const reenter = (which: number): LockCommand =>
  command(
    `reenter(${which})`,
    async (model, real) => {
      const outer = at(model, which);
      const { state, client } = model.holds[outer]!;
      const lock = lockOf(real, client);
      const entering = lock.tryAcquire({ within: real.holds[outer]! });
      const isBusy = model.holds.some((one) => one.outer === outer && one.state === state);
      if (state === 'doomed' && isBusy) {
        // Busy with a hold that is doomed as well: only the server knows of the loss so far.
        expect(await entering.catch(() => null)).toBeNull();
        return;
      }
      if (state !== 'live') {
        await expectRefused(entering, state);
        return;
      }
      const hold = await entering;
      expect(hold === null).toBe(isBusy);
      if (hold !== null) {
        granted(model, real, hold, outer);
      }
    },
    someHold,
  );

const reenterForeign = (which: number): LockCommand =>
  command(
    `reenterForeign(${which})`,
    async (model, real) => {
      const outer = at(model, which);
      const other = (model.holds[outer]!.client + 1) % real.clients.length;
      const entering = lockOf(real, other).acquire({ within: real.holds[outer]! });
      await expect(entering).rejects.toThrow(NotHeldError);
    },
    someHold,
  );

const release = (which: number): LockCommand =>
  command(
    `release(${which})`,
    async (model, real) => {
      const hold = model.holds[at(model, which)]!;
      const releasing = real.holds[at(model, which)]!.release();
      if (hold.state === 'doomed') {
        const isTold = await isToldOfLoss(releasing, real, hold.client);
        hold.state = isTold ? 'doomed' : 'released';
        return;
      }
      hold.state = 'released';
      await releasing;
    },
    someHold,
  );

const releaseTwice = (which: number): LockCommand =>
  command(
    `releaseTwice(${which})`,
    async (model, real) => {
      const live = liveHolds(model);
      const hold = live[which % live.length]!;
      const held = real.holds[model.holds.indexOf(hold)]!;
      hold.state = 'released';
      await Promise.all([held.release(), held.release()]);
    },
    (model) => liveHolds(model).length > 0,
  );

const extend = (which: number): LockCommand =>
  command(
    `extend(${which})`,
    async (model, real) => {
      const { state } = model.holds[at(model, which)]!;
      const hold = real.holds[at(model, which)]!;
      const extending = hold.extend(3_000);
      if (state !== 'live') {
        await expectRefused(extending, state);
        return;
      }
      await extending;
      expect(await real.raw.pttl(real.name)).toBeGreaterThan(2_000);
      expect(hold.remainingMs).toBeGreaterThan(1_500);
    },
    someHold,
  );

const abort = (which: number): LockCommand =>
  command(
    `abort(${which})`,
    async (model, real) => {
      const waiter = waiting(model)[which % waiting(model).length]!;
      const its = real.waiters[model.waiters.indexOf(waiter)]!;
      const reason = new Error('given up');
      waiter.state = 'aborted';
      its.abort.abort(reason);
      // Rejected at once: nothing is asked of the server before.
      await turns(1);
      expect(its.error).toBe(reason);
      await quiet(() => lockOf(real, waiter.client).isLocked());
    },
    (model) => waiting(model).length > 0,
  );

const force = (client: number): LockCommand =>
  command(`force(${client})`, async (model, real) => {
    await deliverAll(real);
    const wasHeld = liveHolds(model).length > 0;
    doom(model);
    const answer = await lockOf(real, client).forceRelease();
    expect(answer).toBe(wasHeld);
    absorb(model, real, client);
  });

/** Forced out by another client, its holder asks again before it can have learnt that. */
const comeBack = (which: number): LockCommand =>
  command(
    `comeBack(${which})`,
    async (model, real) => {
      await deliverAll(real);
      const live = liveHolds(model);
      const { client } = live[which % live.length]!;
      doom(model);
      await lockOf(real, (client + 1) % real.clients.length).forceRelease();
      const hold = await lockOf(real, client).tryAcquire();
      if (hold !== null) {
        expectAlone(real, hold);
        granted(model, real, hold);
      }
    },
    (model) => liveHolds(model).length > 0 && waiting(model).length === 0,
  );

const expire = (isTold: boolean): LockCommand =>
  command(
    `expire(${isTold ? 'told' : 'silent'})`,
    async (model, real) => {
      await deliverAll(real);
      doom(model);
      // In one step: a renewal in between would save the lease.
      await real.raw.pexpire(real.name, 0);
      if (isTold) {
        const head = await real.raw.lindex(`redisson_lock_queue:{${real.name}}`, 0);
        const listener = head === null ? '' : `:${head}`;
        await real.raw.publish(`redisson_lock__channel:{${real.name}}${listener}`, '0');
      }
    },
    someHold,
  );

/** Everything that can happen, what takes and gives most often. */
export const lockCommands: fc.Arbitrary<LockCommand>[] = [
  ...[1, 2, 3].map(() => anyClient.map(acquire)),
  fc.tuple(anyClient, fc.nat(6)).map(([who, after]) => acquireAndAbort(who, after)),
  anyClient.map(tryAcquire),
  pick.map(reenter),
  pick.map(reenter),
  pick.map(reenterForeign),
  pick.map(release),
  pick.map(release),
  pick.map(releaseTwice),
  pick.map(extend),
  pick.map(abort),
  anyClient.map(force),
  pick.map(comeBack),
  fc.constantFrom(true, true, true, false).map(expire),
  ...faults(command),
];
