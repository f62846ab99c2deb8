// The calls of latches as acts of their model, and the ends that latches come to by themselves.

import type { Operation } from '../history.js';
import { countedCalls, truthOf } from './counted-orders.js';
import type { Happenings } from './happenings.js';
import { hasSteps, lifeOf } from './latch-openings.js';
import type { Call } from './linearizability.js';
import type { LatchAct } from './models/latch.js';

export function latchCalls(happenings: Happenings): Call<LatchAct>[] {
  const calls = countedCalls(happenings, (_, operation) => latchAct(operation));
  return [...calls, ...happenings.operations.flatMap((operation) => lapses(happenings, operation))];
}

function latchAct(operation: Operation): LatchAct | undefined {
  const { id, action, outcome, amount, answer, ttlMs } = operation;
  if (outcome === 'failed') {
    return undefined;
  }
  switch (action) {
    case 'set':
      return outcome === 'no'
        ? { what: 'was set' }
        : { what: 'set', count: amount, number: ttlMs === undefined ? undefined : id };
    case 'count down':
      return { what: 'count down' };
    case 'wait':
      return outcome === 'unknown' ? undefined : { what: 'wait', isOpen: outcome === 'ok' };
    case 'look':
      return typeof answer === 'number' && outcome === 'ok'
        ? { what: 'look', count: answer }
        : undefined;
    case 'delete':
      return { what: 'delete', wasThere: truthOf(operation) };
    default:
      return undefined;
  }
}

/** The end of the latch that a call has set, or may have set. */
function lapses(happenings: Happenings, operation: Operation): Call<LatchAct>[] {
  const { id, action, outcome, ttlMs, calledAt } = operation;
  const mayBeSet = action === 'set' && (outcome === 'ok' || outcome === 'unknown');
  if (!mayBeSet || ttlMs === undefined) {
    return [];
  }
  const act = { what: 'lapse', number: id } as const;
  const { losses } = happenings;
  if (outcome === 'ok' && losses.length === 0 && !hasSteps(happenings)) {
    return [{ act, ...lifeOf(happenings, operation, ttlMs), isOptional: false }];
  }
  // A late copy may set it again after a loss of data, and a clock that steps ends it at another time.
  const until = Number.POSITIVE_INFINITY;
  const twin = `lapse ${id}`;
  return Array.from({ length: 1 + 2 * losses.length }, () => {
    return { act, from: calledAt, until, isOptional: true, twin };
  });
}
