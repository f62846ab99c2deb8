// What can happen to a lock, one command each, on the model and on the real one.

import * as fc from 'fast-check';
import { expect } from 'vitest';
import { LeaseLostError, NotHeldError } from '../../src/index.js';
import { killConnections } from './faults.js';
import { check, doom, granted, liveHolds, type Model, type Real } from './lock-model.js';

type LockCommand = fc.AsyncCommand<Model, Real>;
type Act = (model: Model, real: Real) => Promise<void>;

/** A command that does something and then checks everything. */
function command(label: string, can: (model: Model) => boolean, act: Act): LockCommand {
  return {
    check: can,
    run: async (model, real) => {
      await act(model, real);
      await check(model, real);
    },
    toString: () => label,
  };
}

const always = (): boolean => true;
const someHold = (model: Model): boolean => model.holds.length > 0;

/** One of all holds there ever were, the newest most likely. */
const at = (model: Model, pick: number): number =>
  model.holds.length - 1 - (pick % model.holds.length);

/** What becomes of a call through a hold that has ended. */
async function expectRefused(call: Promise<unknown>, state: 'doomed' | 'released'): Promise<void> {
  await expect(call).rejects.toThrow(state === 'doomed' ? LeaseLostError : NotHeldError);
}

const acquire = (client: number): LockCommand =>
  command(`acquire(${client})`, always, async (model, real) => {
    const abort = new AbortController();
    const lock = real.clients[client]!.getFencedLock(real.name);
    const acquiring = lock.acquire({ signal: abort.signal });
    if (liveHolds(model).length === 0) {
      granted(model, real, await acquiring);
      return;
    }
    const waiter: Real['waiters'][number] = { abort, granted: undefined, error: undefined };
    acquiring.then(
      (hold) => {
        waiter.granted = hold;
      },
      (error: unknown) => {
        waiter.error = error;
      },
    );
    model.waiters.push({ client, state: 'waiting' });
    real.waiters.push(waiter);
  });

const tryAcquire = (client: number): LockCommand =>
  command(`tryAcquire(${client})`, always, async (model, real) => {
    const hold = await real.clients[client]!.getFencedLock(real.name).tryAcquire();
    expect(hold === null).toBe(liveHolds(model).length > 0);
    if (hold !== null) {
      granted(model, real, hold);
    }
  });

const reenter = (pick: number): LockCommand =>
  command(`reenter(${pick})`, someHold, async (model, real) => {
    const outer = at(model, pick);
    const { state, client } = model.holds[outer]!;
    const lock = real.clients[client]!.getFencedLock(real.name);
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
  });

const reenterForeign = (pick: number): LockCommand =>
  command(`reenterForeign(${pick})`, someHold, async (model, real) => {
    const outer = at(model, pick);
    const other = real.clients[(model.holds[outer]!.client + 1) % real.clients.length]!;
    const entering = other.getFencedLock(real.name).acquire({ within: real.holds[outer]! });
    await expect(entering).rejects.toThrow(NotHeldError);
  });

const release = (pick: number): LockCommand =>
  command(`release(${pick})`, someHold, async (model, real) => {
    const hold = model.holds[at(model, pick)]!;
    const releasing = real.holds[at(model, pick)]!.release();
    if (hold.state === 'doomed') {
      await expect(releasing).rejects.toThrow(LeaseLostError);
      return;
    }
    hold.state = 'released';
    await releasing;
  });

const releaseTwice = (pick: number): LockCommand =>
  command(
    `releaseTwice(${pick})`,
    (model) => liveHolds(model).length > 0,
    async (model, real) => {
      const live = liveHolds(model);
      const hold = live[pick % live.length]!;
      const held = real.holds[model.holds.indexOf(hold)]!;
      hold.state = 'released';
      await Promise.all([held.release(), held.release()]);
    },
  );

const extend = (pick: number): LockCommand =>
  command(`extend(${pick})`, someHold, async (model, real) => {
    const { state } = model.holds[at(model, pick)]!;
    const hold = real.holds[at(model, pick)]!;
    const extending = hold.extend(3_000);
    if (state !== 'live') {
      await expectRefused(extending, state);
      return;
    }
    await extending;
    expect(await real.raw.pttl(real.name)).toBeGreaterThan(2_000);
    expect(hold.remainingMs).toBeGreaterThan(1_500);
  });

const abort = (pick: number): LockCommand =>
  command(
    `abort(${pick})`,
    (model) => model.waiters.some(({ state }) => state === 'waiting'),
    async (model, real) => {
      const waiting = model.waiters.filter(({ state }) => state === 'waiting');
      const waiter = waiting[pick % waiting.length]!;
      const its = real.waiters[model.waiters.indexOf(waiter)]!;
      const reason = new Error('given up');
      waiter.state = 'aborted';
      its.abort.abort(reason);
      // Rejected at once: nothing is asked of the server before.
      await new Promise((resolve) => {
        setImmediate(resolve);
      });
      expect(its.error).toBe(reason);
    },
  );

const force = (client: number): LockCommand =>
  command(`force(${client})`, always, async (model, real) => {
    const wasHeld = liveHolds(model).length > 0;
    doom(model);
    const answer = await real.clients[client]!.getFencedLock(real.name).forceRelease();
    expect(answer).toBe(wasHeld);
  });

const expire = (isTold: boolean): LockCommand =>
  command(`expire(${isTold ? 'told' : 'silent'})`, someHold, async (model, real) => {
    doom(model);
    // In one step: a renewal in between would save the lease.
    await real.raw.pexpire(real.name, 0);
    if (isTold) {
      await real.raw.publish(`redisson_lock__channel:{${real.name}}`, '0');
    }
  });

const flushScripts = (): LockCommand =>
  command('flushScripts', always, async (_model, real) => {
    await real.raw.script('FLUSH');
  });

const kill = (client: number, which: 'normal' | 'pubsub' | 'all'): LockCommand =>
  command(`kill(${client}, ${which})`, always, async (_model, real) => {
    await killConnections(real.raw, `model-${client}`, which);
  });

const client = fc.nat(2);
const pick = fc.nat(20);
const which = fc.constantFrom('normal' as const, 'pubsub' as const, 'all' as const);

/** Everything that can happen, what takes and gives most often. */
export const lockCommands: fc.Arbitrary<LockCommand>[] = [
  client.map(acquire),
  client.map(acquire),
  client.map(tryAcquire),
  pick.map(reenter),
  pick.map(reenter),
  pick.map(reenterForeign),
  pick.map(release),
  pick.map(release),
  pick.map(releaseTwice),
  pick.map(extend),
  pick.map(abort),
  client.map(force),
  fc.constantFrom(true, true, true, false).map(expire),
  fc.constant(flushScripts()),
  fc.tuple(client, which).map(([who, what]) => kill(who, what)),
];
