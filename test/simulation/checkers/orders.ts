// The calls of locks as acts of their models.

import { isOfQuorum, type Action, type Mode, type Operation } from '../history.js';
import type { Happenings } from './happenings.js';
import type { Call } from './linearizability.js';
import type { LockAct } from './models/lock.js';
import type { ReadWriteAct } from './models/read-write-lock.js';
import { UNTOLD } from './models/untold.js';
import { placeSince, runOf } from './spans.js';

/** An act in the time of its call; it may never have been when its outcome is not known. */
export function callOf<Act>(happenings: Happenings, operation: Operation, act: Act): Call<Act> {
  const { calledAt, returnedAt, outcome } = operation;
  const isDone = outcome === 'ok' || outcome === 'no';
  const until = isDone ? returnedAt : lastInstant(happenings, operation);
  return { act, from: calledAt, until, isOptional: !isDone };
}

/** These are not carried out any more when their callers have stopped waiting. */
const ENDING = new Set<Action>(['set', 'add', 'drain', 'count down', 'delete', 'force']);

/** When a call of unknown outcome is carried out at the latest. One that makes an object first takes the time of
 * several. */
function lastInstant(
  { history, bounds }: Happenings,
  { action, calledAt, returnedAt }: Operation,
): number {
  const wasSetBack = history.faults.some(
    ({ what, detail }) => what === 'clock step' && detail.startsWith('-'),
  );
  if (!ENDING.has(action) || wasSetBack) {
    return Number.POSITIVE_INFINITY;
  }
  const { commandTimeoutMs, settleMs } = bounds;
  return returnedAt < Number.POSITIVE_INFINITY
    ? Math.max(returnedAt, calledAt + commandTimeoutMs) + settleMs
    : calledAt + 3 * commandTimeoutMs;
}

export function lockCalls(happenings: Happenings): Call<LockAct>[] {
  return holderCalls(happenings);
}

export function readWriteCalls(happenings: Happenings): Call<ReadWriteAct>[] {
  return holderCalls(happenings);
}

type HolderAct = ReadWriteAct & LockAct;

/** The acts of every lock: those that only know one mode, or no token, do not read it. */
function holderCalls(happenings: Happenings): Call<HolderAct>[] {
  // Contenders that split the servers of a quorum are all refused, though nobody has the lock.
  const isSplit = ({ action, outcome }: Operation): boolean =>
    isOfQuorum(happenings.kind) && action === 'acquire' && outcome === 'no';
  const calls = happenings.operations.flatMap((operation) => {
    const act = isSplit(operation) ? undefined : actOf(happenings, operation);
    if (act === undefined) {
      return [];
    }
    const call = callOf(happenings, operation, act);
    const isUndone =
      (act.what === 'acquire' && isLostInRun(happenings, operation)) ||
      ((act.what === 'acquire' || act.what === 'force') && spansFailover(happenings, operation));
    if (isUndone) {
      return [{ ...call, isOptional: true }];
    }
    // A flush forgets that a forced release has run: a copy of it may run again.
    const mayRunAgain = act.what === 'force' && happenings.isInLoss(operation);
    return mayRunAgain ? [call, { ...call, isOptional: true }] : [call];
  });
  return [...calls, ...untoldGrants(happenings.operations)];
}

/** A failover under way may undo what it did: a lock that was freed by force is held again, by the one who
 * had it. */
function spansFailover({ losses }: Happenings, { calledAt, returnedAt }: Operation): boolean {
  return losses.some(
    ({ what, from, until }) => what === 'failover' && from <= returnedAt && until >= calledAt,
  );
}

/** A hold that was passed on inside its client, or came by the place of a waiter that gave up, and was lost after
 * somebody had freed the lock by force: the server was not asked for it, and may have given the lock to others
 * before. */
function isLostInRun(happenings: Happenings, grant: Operation): boolean {
  const isForced = (until: number): boolean =>
    happenings.operations.some(
      ({ action, outcome, calledAt }) =>
        action === 'force' && outcome !== 'failed' && calledAt <= until,
    );
  return happenings.claimsOf(grant).some((claim) => {
    const isOver = claim.end === 'lost' || claim.end === 'released';
    return (
      isOver &&
      happenings.endOf(grant, claim) !== undefined &&
      (runOf(happenings.claims, claim).some(({ from }) => from < claim.from) ||
        placeSince(happenings.operations, grant) < grant.calledAt) &&
      isForced(claim.from)
    );
  });
}

/** Whoever waits may have been granted the lock, and lost it by a forced release before it was told of
 * that. It goes on waiting then. */
function untoldGrants(operations: readonly Operation[]): Call<HolderAct>[] {
  const forces = operations.filter(
    ({ action, outcome }) => action === 'force' && outcome !== 'failed',
  );
  const waits = operations.filter(
    ({ action, waits: doesWait }) => action === 'acquire' && doesWait,
  );
  return waits.flatMap(({ owner, mode, calledAt, returnedAt }) =>
    forces
      .filter((force) => force.calledAt <= returnedAt && force.returnedAt >= calledAt)
      .map(() => ({
        act: { what: 'acquire', owner: UNTOLD, mode, token: undefined },
        from: calledAt,
        until: returnedAt,
        isOptional: true,
        // One for each force, and all the same.
        twin: `${owner} ${mode} ${calledAt} ${returnedAt}`,
      })),
  );
}

function actOf(happenings: Happenings, operation: Operation): HolderAct | undefined {
  const { action, outcome, owner, mode, token, answer } = operation;
  switch (action) {
    case 'acquire':
      if (outcome === 'ok') {
        return { what: 'acquire', owner, mode, token };
      }
      // Whoever was not granted anything keeps nobody out for good: no ghost is in the model, only
      // the refusals that it may have caused are not looked at.
      return outcome === 'no' &&
        !happenings.isExcusedRefusal(operation) &&
        !isRefusedAtHome(happenings, operation)
        ? { what: 'busy', owner, mode }
        : undefined;
    case 'release':
      // One that its owner gave up is finished in the background.
      return outcome === 'no'
        ? undefined
        : { what: 'release', owner, mode, mayBeGone: happenings.isShaky(operation) };
    case 'force':
      return forceOf(happenings, operation);
    case 'look':
      return outcome === 'ok' && typeof answer === 'boolean'
        ? lookOf(happenings, operation, mode, answer)
        : undefined;
    default:
      return undefined;
  }
}

/** A branch of a hold waits for the other one in its client, also when the server has freed the lock
 * by force and nobody there knows. */
function isRefusedAtHome(
  { claims }: Happenings,
  { owner, calledAt, returnedAt }: Operation,
): boolean {
  const own = claims.filter(
    (claim) => claim.owner === owner && claim.from <= calledAt && claim.until >= returnedAt,
  );
  return own.length > 1;
}

function forceOf(happenings: Happenings, operation: Operation): HolderAct | undefined {
  const { outcome, mode, answer } = operation;
  if (outcome === 'failed') {
    return undefined;
  }
  const wasHeld = outcome === 'ok' ? answer !== false : false;
  // A flush forgets that it has run: it runs again, and finds nothing.
  const isForgotten = happenings.isInLoss(operation);
  const isUnseen = wasHeld && mayBeHeldUnseen(happenings, operation);
  const isOpen = outcome === 'unknown' || isForgotten || isUnseen;
  return { what: 'force', mode, wasHeld: isOpen ? undefined : wasHeld };
}

function lookOf(
  happenings: Happenings,
  operation: Operation,
  mode: Mode,
  isHeld: boolean,
): HolderAct | undefined {
  return isHeld && mayBeHeldUnseen(happenings, operation)
    ? undefined
    : { what: 'look', mode, isHeld };
}

function mayBeHeldUnseen(happenings: Happenings, operation: Operation): boolean {
  return happenings.ghostsMetBy(operation).length > 0 || happenings.isInLoss(operation);
}
