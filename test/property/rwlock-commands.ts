// What can happen to a read-write lock, one command each, on the model and on the real one.

import { expect } from 'vitest';
import { fc } from '../support/fast-check.js';
import { DeadlockError, LeaseLostError, NotHeldError } from '../../src/index.js';
import { eventually } from '../support/eventually.js';
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
import { absorb, check, doom, granted, liveHolds, lockOf, waiting } from './rwlock-model.js';
import type { Model, Real, Side } from './rwlock-model.js';

type RwCommand = ModelCommand<Model, Real>;

const command = commandsWith<Model, Real>(check);
const someHold = (model: Model): boolean => model.holds.length > 0;
const other = (side: Side): Side => (side === 'read' ? 'write' : 'read');

/** One of all holds there ever were, the newest most likely. */
const at = (model: Model, which: number): number =>
  model.holds.length - 1 - (which % model.holds.length);

/** Starts an acquisition that may wait for ever. */
function start(model: Model, real: Real, client: number, side: Side): number {
  const abort = new AbortController();
  const index = model.waiters.length;
  const mayBeBehind = waiting(model, other(side));
  const behind = mayBeBehind.filter(({ isInLine }) => isInLine);
  const waiter = { client, side, behind, mayBeBehind, isInLine: false } as const;
  model.waiters.push({ ...waiter, state: 'waiting' });
  real.waiters.push({ abort, error: undefined });
  lockOf(real.clients[client]!, real.name, side)
    .acquire({ signal: abort.signal })
    .then(
      (hold) => real.grants.push({ waiter: index, hold }),
      (error: unknown) => {
        real.waiters[index]!.error = error;
      },
    );
  return index;
}

const acquire = (client: number, side: Side): RwCommand =>
  command(`acquire(${client}, ${side})`, async (model, real) => {
    const isFirst = !waiting(model, side).some((waiter) => waiter.client === client);
    const index = start(model, real, client, side);
    // A client asks for no writer while it writes, as far as it knows.
    const writes = model.holds.some(
      (hold) => hold.client === client && hold.side === 'write' && hold.state !== 'released',
    );
    if (!isFirst || (side === 'write' && writes)) {
      return;
    }
    const line = `redlatch_${side === 'read' ? 'waiting' : 'writers'}:{${real.name}}`;
    const { id } = real.clients[client]!;
    await eventually(
      async () =>
        real.grants.length > 0 ||
        (await real.raw.zrange(line, '0', '-1')).some((member) => member.startsWith(id)),
      { withinMs: 8_000, everyMs: 2 },
    );
    await quiet(() => lockOf(real.clients[client]!, real.name, side).isLocked());
    model.waiters[index]!.isInLine = true;
  });

const tryAcquire = (client: number, side: Side): RwCommand =>
  command(`tryAcquire(${client}, ${side})`, async (model, real) => {
    const hold = await lockOf(real.clients[client]!, real.name, side).tryAcquire();
    const writers = liveHolds(model, 'write').length;
    const isBusy = side === 'write' ? liveHolds(model).length > 0 : writers > 0;
    // Whoever waits for readers to leave keeps new readers out, once it stands in line.
    const mayBeBusy = isBusy || waiting(model, 'write').length > 0;
    expect(hold === null).toBe(hold === null ? mayBeBusy : isBusy);
    if (hold !== null) {
      granted(model, real, { hold, side });
    }
  });

/** Given up after a moment: it is granted, or nothing of it stays. */
const acquireAndAbort = (client: number, side: Side, after: number): RwCommand =>
  command(`acquireAndAbort(${client}, ${side}, ${after})`, async (model, real) => {
    const index = start(model, real, client, side);
    await turns(after);
    real.waiters[index]!.abort.abort(new Error('given up'));
    await eventually(
      () =>
        real.waiters[index]!.error !== undefined ||
        real.grants.some(({ waiter }) => waiter === index),
      { everyMs: 1 },
    );
    if (real.waiters[index]!.error !== undefined) {
      model.waiters[index]!.state = 'aborted';
    }
    await quiet(() => lockOf(real.clients[client]!, real.name, side).isLocked());
  });

const reenter = (which: number, side: Side): RwCommand =>
  command(
    `reenter(${which}, ${side})`,
    async (model, real) => {
      const outer = at(model, which);
      const { state, client, side: outerSide } = model.holds[outer]!;
      if (state === 'doomed' && outerSide !== side) {
        // A writer that was forgotten reads afresh until it learns of that.
        return;
      }
      const lock = lockOf(real.clients[client]!, real.name, side);
      const entering = lock.tryAcquire({ within: real.holds[outer]! });
      const isBusy =
        side === 'write' &&
        model.holds.some((one) => one.outer === outer && one.side === side && one.state === state);
      if (state === 'live' && outerSide === 'read' && side === 'write') {
        await expect(entering).rejects.toThrow(DeadlockError);
      } else if (state === 'live') {
        const hold = await entering;
        expect(hold === null).toBe(isBusy);
        if (hold !== null) {
          granted(model, real, { hold, side, outer });
        }
      } else if (state === 'doomed' && isBusy) {
        // Busy with a hold that is doomed as well: only the server knows of the loss so far.
        expect(await entering.catch(() => null)).toBeNull();
      } else {
        await expect(entering).rejects.toThrow(state === 'doomed' ? LeaseLostError : NotHeldError);
      }
    },
    someHold,
  );

/** A writer takes the read lock as well, and keeps it when it stops writing. */
const downgrade = (client: number): RwCommand =>
  command(
    `downgrade(${client})`,
    async (model, real) => {
      const { readLock, writeLock } = real.clients[client]!.getReadWriteLock(real.name);
      const hold = await writeLock.acquire();
      granted(model, real, { hold, side: 'write' });
      const outer = model.holds.length - 1;
      const reading = await readLock.acquire({ within: hold });
      granted(model, real, { hold: reading, side: 'read', outer });
      model.holds[outer]!.state = 'released';
      await hold.release();
    },
    (model) => liveHolds(model).length + waiting(model).length === 0,
  );

const release = (which: number): RwCommand =>
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

/** All at once, in one breath of all clients. */
const releaseAll = (): RwCommand =>
  command(
    'releaseAll',
    async (model, real) => {
      const leaving = real.holds.filter((_, i) => model.holds[i]!.state === 'live');
      for (const hold of liveHolds(model)) {
        hold.state = 'released';
      }
      await Promise.all(leaving.map(async (hold) => await hold.release()));
    },
    (model) => liveHolds(model).length > 0,
  );

const extend = (which: number): RwCommand =>
  command(
    `extend(${which})`,
    async (model, real) => {
      const { state } = model.holds[at(model, which)]!;
      const hold = real.holds[at(model, which)]!;
      const extending = hold.extend(3_000);
      if (state !== 'live') {
        await expect(extending).rejects.toThrow(state === 'doomed' ? LeaseLostError : NotHeldError);
        return;
      }
      await extending;
      expect(await real.raw.pttl(real.name)).toBeGreaterThan(1_500);
      expect(hold.remainingMs).toBeGreaterThan(1_000);
    },
    someHold,
  );

const abort = (which: number): RwCommand =>
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
      await quiet(() => lockOf(real.clients[waiter.client]!, real.name, waiter.side).isLocked());
    },
    (model) => waiting(model).length > 0,
  );

const force = (client: number, side: Side): RwCommand =>
  command(`force(${client}, ${side})`, async (model, real) => {
    await deliverAll(real);
    const isWritten = liveHolds(model, 'write').length > 0;
    const wasHeld = side === 'write' ? isWritten : !isWritten && liveHolds(model).length > 0;
    if (wasHeld) {
      doom(model);
    }
    const answer = await lockOf(real.clients[client]!, real.name, side).forceRelease();
    expect(answer).toBe(wasHeld);
    absorb(model, real, { client, side });
  });

const expire = (isTold: boolean): RwCommand =>
  command(
    `expire(${isTold ? 'told' : 'silent'})`,
    async (model, real) => {
      await deliverAll(real);
      doom(model);
      // In one step: a renewal in between would save the lease.
      await real.raw.pexpire(real.name, 0);
      if (isTold) {
        await real.raw.publish(`redisson_rwlock:{${real.name}}`, '0');
      }
    },
    someHold,
  );

/** The lease of one reader ends, as if nobody had renewed it. */
const expireReader = (which: number): RwCommand =>
  command(
    `expireReader(${which})`,
    async (model, real) => {
      const hold = liveHolds(model, 'read')[which % liveHolds(model, 'read').length]!;
      const { group } = hold;
      if (liveHolds(model, 'write').length > 0) {
        // One lease keeps what a writer reads and writes.
        return;
      }
      await deliverAll(real);
      const { holderId } = real.holds[model.holds.indexOf(hold)]!;
      const keys = await real.raw.keys(`{${real.name}}:${holderId}:*`);
      doom(model, (one) => one.group === group);
      await real.raw
        .multi()
        .del(...keys)
        .zadd(`redlatch_readers:{${real.name}}`, 1, holderId)
        .exec();
    },
    (model) => liveHolds(model, 'read').length > 0,
  );

const side = fc.constantFrom('read' as const, 'write' as const);

/** Everything that can happen, what takes and gives most often. */
export const rwlockCommands: fc.Arbitrary<RwCommand>[] = [
  ...[1, 2, 3].map(() => fc.tuple(anyClient, side).map(([who, what]) => acquire(who, what))),
  anyClient.map((who) => acquire(who, 'read')),
  fc.tuple(anyClient, side).map(([who, what]) => tryAcquire(who, what)),
  fc
    .tuple(anyClient, side, fc.nat(6))
    .map(([who, what, after]) => acquireAndAbort(who, what, after)),
  ...[1, 2, 3].map(() => fc.tuple(pick, side).map(([which, what]) => reenter(which, what))),
  ...[1, 2].map(() => anyClient.map(downgrade)),
  ...[1, 2, 3].map(() => pick.map(release)),
  fc.constant(releaseAll()),
  pick.map(extend),
  ...[1, 2].map(() => pick.map(abort)),
  fc.tuple(anyClient, side).map(([who, what]) => force(who, what)),
  fc.boolean().map(expire),
  pick.map(expireReader),
  ...faults(command),
];
