// The calls of semaphores as acts of their models, and what calls of all counts have in common.

import type { Fault, Operation } from '../history.js';
import type { Happenings } from './happenings.js';
import type { Call } from './linearizability.js';
import type { ExpirableAct } from './models/expirable.js';
import type { SemaphoreAct } from './models/semaphore.js';
import { callOf } from './orders.js';
import { isGivenTwice, isHeldUp, isThere, killedAt, longOutages } from './spans.js';

type ActOf<Act> = (happenings: Happenings, operation: Operation) => Act | undefined;

/** True when the semaphore may go while permits of it are in use. */
export function hasEnds({ operations, losses }: Happenings): boolean {
  return losses.length > 0 || operations.some(({ action }) => action === 'delete');
}

export function semaphoreCalls(happenings: Happenings): Call<SemaphoreAct>[] {
  const owners = new Set(
    happenings.operations.flatMap(({ action, owner }) => (action === 'acquire' ? [owner] : [])),
  );
  const calls = countedCalls(happenings, (_, operation) =>
    semaphoreAct(happenings, operation, owners),
  );
  const twice = happenings.operations
    .filter((call) => owners.has(call.owner) && isGivenTwice(happenings.history, call))
    .map(firstRelease);
  return [...calls.flatMap((one) => [one, ...spared(one)]), ...twice];
}

export function expirableCalls(happenings: Happenings): Call<ExpirableAct>[] {
  return countedCalls(happenings, expirableAct);
}

/** Equal for acts with the same effect: whose permits they are matters only where they can end. */
function effectOf(happenings: Happenings, act: object): string {
  const isAlike = happenings.kind === 'semaphore' && !hasEnds(happenings);
  return JSON.stringify(isAlike ? { ...act, owner: undefined } : act);
}

interface Wipe {
  readonly what: 'delete';
  readonly wasThere: undefined;
}

export function countedCalls<Act extends { readonly what: string }>(
  happenings: Happenings,
  actOf: ActOf<Act>,
): Call<Act | Wipe>[] {
  const { losses } = happenings;
  // A failover may undo any of the last calls: what comes after it, is not looked at.
  const failovers = losses.filter(({ what }) => what === 'failover');
  const end = Math.min(Number.POSITIVE_INFINITY, ...failovers.map(({ from }) => from));
  const flushes = losses.filter(({ what, from }) => what === 'flush' && from < end);
  const calls = happenings.operations
    .filter(({ calledAt }) => calledAt < end)
    .map((one) => (one.returnedAt < end ? one : unknown(one)))
    .flatMap((operation): Call<Act>[] => {
      const act = actOf(happenings, operation);
      if (act === undefined) {
        return [];
      }
      const call = finished(happenings, callOf(happenings, operation, act), operation);
      const known =
        call.until < end ? call : { ...call, until: Number.POSITIVE_INFINITY, isOptional: true };
      const twin = known.until === Number.POSITIVE_INFINITY ? effectOf(happenings, act) : undefined;
      const again = actOf(happenings, unknown(operation)) ?? act;
      return [{ ...known, twin }, ...copies(happenings, operation, again, flushes)];
    });
  return [...calls, ...flushes.map(wipe)];
}

/** What a call did before a failover may be undone by it, and its answer come from a second copy. */
function unknown(operation: Operation): Operation {
  return { ...operation, outcome: 'unknown', answer: undefined };
}

/** Permits that were to be given back are given back in the background: when all is well again they
 * are there. What was sent is given up ten minutes later, when the server may forget that it ran. */
function finished<Act extends { readonly what: string }>(
  { history, losses }: Happenings,
  call: Call<Act>,
  { client, outcome }: Operation,
): Call<Act> {
  const span = { from: call.from, until: history.quietAt };
  const isFinished =
    call.isOptional &&
    !(outcome === 'unknown' && longOutages(history, client, span).length > 0) &&
    call.act.what === 'give back' &&
    losses.length === 0 &&
    history.quietAt < Number.POSITIVE_INFINITY &&
    isThere(history, client, history.quietAt);
  return isFinished ? { ...call, until: history.quietAt, isOptional: false } : call;
}

/** A drain of which nobody knows what it took left the permits that others had then, who failed and
 * gave them back. In the model it takes all, and what it may have left comes back. */
function spared({ act, from }: Call<SemaphoreAct>): Call<SemaphoreAct>[] {
  const count = act.what === 'drain' && act.taken === undefined ? act.hidden : 0;
  const [until, twin] = [Number.POSITIVE_INFINITY, 'left by a drain'];
  return Array.from({ length: count }, () => ({
    act: { what: 'add', amount: 1 },
    from,
    until,
    isOptional: true,
    twin,
  }));
}

/** The release that was given up, of permits that were released anew: it may have run. */
function firstRelease({ owner, amount, calledAt, returnedAt }: Operation): Call<SemaphoreAct> {
  const act = { what: 'give back', owner, amount, isRepeated: true } as const;
  return { act, from: calledAt, until: returnedAt, isOptional: true };
}

function wipe({ from, until }: Fault): Call<Wipe> {
  return { act: { what: 'delete', wasThere: undefined }, from, until, isOptional: true };
}

/**
 * A flush forgets which calls have run: a copy that is still under way runs again. There is one
 * where something held up a call, so that it was sent anew. What a call that spans the flush is told
 * may be the answer of its second copy: the first ran before the flush, and did something else.
 */
function copies<Act extends { readonly what: string }>(
  happenings: Happenings,
  { client, calledAt, returnedAt, outcome }: Operation,
  act: Act,
  flushes: readonly Fault[],
): Call<Act>[] {
  const { history, bounds } = happenings;
  // Permits of before the flush are given back to nobody.
  if (flushes.length === 0 || act.what === 'give back') {
    return [];
  }
  const end = Math.min(returnedAt, killedAt(history, client));
  const isCopied = isHeldUp(history, client, { from: calledAt, until: end });
  return flushes
    .filter(({ from, until }) => isCopied && calledAt <= until && end + bounds.lateMs >= from)
    .flatMap(({ from, until }) => {
      const isSpanned = outcome !== 'unknown' && calledAt <= until && returnedAt >= from;
      const late = { from, until: until + bounds.lateMs };
      return isSpanned ? [{ from: calledAt, until }, late] : [late];
    })
    .map(({ from, until }) => {
      const twin = `${effectOf(happenings, act)} ${until}`;
      return { act, from, until, isOptional: true, twin };
    });
}

/** How many permits may have been taken, while a call ran, by others that failed. */
function hidden(happenings: Happenings, operation: Operation): number {
  // Acquisitions of a counting semaphore whose outcome is not known are in its model.
  const isHidden = ({ outcome }: Operation): boolean =>
    happenings.kind === 'expirable' || outcome !== 'unknown';
  const ghosts = happenings.ghostsMetBy(operation).filter((ghost) => isHidden(ghost.operation));
  return ghosts.reduce((sum, ghost) => sum + ghost.operation.amount, 0);
}

function semaphoreAct(
  happenings: Happenings,
  operation: Operation,
  owners: ReadonlySet<string>,
): SemaphoreAct | undefined {
  const { action, outcome, owner, amount, answer, client } = operation;
  if (action === 'acquire' && outcome === 'failed') {
    // Nobody gives back what it may have taken when its process is gone.
    const isKept = killedAt(happenings.history, client) < Number.POSITIVE_INFINITY;
    return isKept ? { what: 'acquire', owner, amount } : undefined;
  }
  if (action === 'release' && owners.has(owner)) {
    // One that its owner gave up is finished in the background.
    return outcome === 'no' ? undefined : { what: 'give back', owner, amount };
  }
  if (outcome === 'failed') {
    return undefined;
  }
  switch (action) {
    case 'acquire':
      if (outcome === 'no') {
        return isExcused(happenings, operation) ? undefined : { what: 'busy', amount };
      }
      return { what: 'acquire', owner, amount };
    case 'release':
    case 'add':
      return { what: action, amount };
    case 'set':
      return outcome === 'no' ? { what: 'was set' } : { what: 'set', amount };
    case 'drain': {
      const taken = typeof answer === 'number' && outcome === 'ok' ? answer : undefined;
      return { what: 'drain', taken, hidden: hidden(happenings, operation) };
    }
    case 'look':
      return typeof answer === 'number' && outcome === 'ok'
        ? { what: 'look', left: answer, hidden: hidden(happenings, operation) }
        : undefined;
    case 'delete':
      return { what: 'delete', wasThere: truthOf(operation) };
    default:
      return undefined;
  }
}

/** Unknown acquisitions are in the model, those that failed are not. */
function isExcused(happenings: Happenings, operation: Operation): boolean {
  return hidden(happenings, operation) > 0 || happenings.isExcusedByOthers(operation);
}

function expirableAct(happenings: Happenings, operation: Operation): ExpirableAct | undefined {
  const { action, outcome, owner, amount, answer } = operation;
  if (action === 'release') {
    return outcome === 'no'
      ? { what: 'not held', owner, amount }
      : { what: 'release', owner, amount, mayBeGone: happenings.isShaky(operation) };
  }
  if (outcome === 'failed' || (action === 'acquire' && outcome === 'unknown')) {
    return undefined;
  }
  switch (action) {
    case 'acquire':
      if (outcome === 'no') {
        return happenings.isExcusedRefusal(operation) ? undefined : { what: 'busy', amount };
      }
      return { what: 'acquire', owner, amount };
    case 'add':
      return { what: 'add', amount };
    case 'set':
      return outcome === 'no' ? { what: 'was set' } : { what: 'set', amount };
    case 'look':
      return typeof answer === 'number' && outcome === 'ok'
        ? { what: 'look', left: answer, hidden: hidden(happenings, operation) }
        : undefined;
    case 'delete':
      return { what: 'delete', wasThere: truthOf(operation) };
    default:
      return undefined;
  }
}

/** Of a deletion: whether there was something. */
export function truthOf({ outcome, answer }: Operation): boolean | undefined {
  return outcome === 'unknown' ? undefined : outcome === 'ok' && answer !== false;
}
