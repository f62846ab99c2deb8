// Every object behaves as if its calls had run one after the other.

import { isOfQuorum, type Mode, type Violation } from '../history.js';
import { expirableCalls, hasEnds, semaphoreCalls } from './counted-orders.js';
import { happeningsOf, type Happenings } from './happenings.js';
import { latchCalls } from './latch-orders.js';
import { linearize, type Call, type Model, type Verdict } from './linearizability.js';
import { expirableModel } from './models/expirable.js';
import { latchModel } from './models/latch.js';
import { lockModel } from './models/lock.js';
import { holderKey, readWriteModel } from './models/read-write-lock.js';
import { semaphoreModel } from './models/semaphore.js';
import { lockCalls, readWriteCalls } from './orders.js';
import type { Checker } from './property.js';
import { at } from './spans.js';
import { mayTokensFall } from './tokens.js';

/** One order of the calls of each object; where none is found within the steps, that is told. */
export const checkOrder: Checker = ({ history, bounds, property, kinds }) => {
  // Of a crowd the search would take for ever.
  const objects = history.isCrowd ? [] : happeningsOf(history, bounds, kinds).filter(hasInstants);
  const violations = objects.flatMap((one) => {
    const verdict = verdictOf(one);
    return verdict.verdict === 'legal' ? [] : [tell(property, one.object, verdict)];
  });
  return { checked: objects.length, violations };
};

/** A forced release reaches the servers of a quorum one after the other: there is no instant at which it is done. */
const hasInstants = ({ kind, operations }: Happenings): boolean =>
  !isOfQuorum(kind) || operations.every(({ action }) => action !== 'force');

function verdictOf(happenings: Happenings): Verdict<object> {
  const { kind, history, object } = happenings;
  switch (kind) {
    case 'quorum':
    case 'quorum-fenced':
    case 'lock':
    case 'fair':
    case 'fenced': {
      const isFenced = kind === 'fenced' && !mayTokensFall(history, object);
      const lapses = happenings.lapses(byOwner);
      return order(happenings, lockModel({ isReentrant: true, isFenced, lapses }), lockCalls);
    }
    case 'rwlock':
      return order(happenings, readWriteModel(happenings.lapses(holderKey)), readWriteCalls);
    case 'semaphore':
      return order(happenings, semaphoreModel(hasEnds(happenings)), semaphoreCalls);
    case 'expirable':
      return order(happenings, expirableModel(happenings.lapses(byOwner)), expirableCalls);
    case 'multi':
    case 'quorum-multi':
      throw new Error('the calls of several names have no order for each of them');
    case 'latch':
      return order(happenings, latchModel, latchCalls);
    default:
      return kind satisfies never;
  }
}

const byOwner = (_: Mode, owner: string): string => owner;

function order<State, Act>(
  happenings: Happenings,
  model: Model<State, Act>,
  callsOf: (happenings: Happenings) => Call<Act>[],
): Verdict<Act> {
  return linearize(model, callsOf(happenings), happenings.bounds.maxSteps);
}

function tell(property: string, object: string, verdict: Verdict<object>): Violation {
  const { stuck, last, placed, steps } = verdict;
  const what =
    verdict.verdict === 'undecided'
      ? `no order was found within ${steps} steps; the longest`
      : 'there is no order; the longest';
  const text = [
    `${what} has ${placed} acts, and then no place for`,
    `  ${stuck === undefined ? 'nothing' : say(stuck)}`,
    `its last acts are`,
    ...last.map((call) => `  ${say(call)}`),
  ].join('\n');
  return { property, object, at: stuck?.from ?? 0, text };
}

function say({ act, from, until, isOptional }: Call<object>): string {
  const words = Object.entries(act).map(([name, value]) =>
    name === 'what' ? String(value) : `${name} ${String(value)}`,
  );
  return `${words.join(', ')} [${at(from)}, ${at(until)}]${isOptional ? ' (perhaps)' : ''}`;
}
