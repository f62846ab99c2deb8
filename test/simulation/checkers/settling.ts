// Every call settles in its time: an aborted one at once, one with a limit at its limit, any other
// one when a command has had its time.

import type { History, Operation, Violation } from '../history.js';
import type { Bounds } from './bounds.js';
import { operationsOf, type Checker } from './property.js';
import { at, killedAt, nameOf, stalledMs } from './spans.js';

/** What timers may be early by, and a rounded duration. */
const EARLY_MS = 2;

export const checkSettling: Checker = (scope) => {
  const { history, bounds, property } = scope;
  const operations = operationsOf(scope);
  const violations = operations.flatMap((operation): Violation[] => {
    const wrong = wrongEnd(history, bounds, operation);
    const text = `${nameOf(operation)}: ${operation.action}, called at ${at(operation.calledAt)}, ${wrong}`;
    return wrong === undefined
      ? []
      : [{ property, object: operation.object, at: operation.calledAt, text }];
  });
  return { checked: operations.length, violations };
};

function wrongEnd(history: History, bounds: Bounds, operation: Operation): string | undefined {
  const { calledAt, returnedAt, abortedAt, client, waits, waitMs, outcome } = operation;
  const end = Math.min(returnedAt, history.endedAt);
  const isPending = returnedAt > history.endedAt;
  if (isPending && killedAt(history, client) <= history.endedAt) {
    return undefined;
  }
  const tookMs = (from: number): number =>
    end - from - stalledMs(history, client, { from, until: end });
  const ended = isPending ? 'had not settled' : 'settled';
  if (abortedAt !== undefined && end > abortedAt && tookMs(abortedAt) > bounds.settleMs) {
    return `${ended} ${at(end - abortedAt)} after its abort`;
  }
  const limitMs = limitOf(operation, bounds);
  if (tookMs(calledAt) > limitMs * (1 + bounds.drift) + bounds.settleMs) {
    return `${ended} after ${at(end - calledAt)}, and had ${at(limitMs)}`;
  }
  const isEarly = waits && outcome === 'no' && waitMs !== undefined;
  return isEarly && end - calledAt < waitMs * (1 - bounds.drift) - EARLY_MS
    ? `was refused after ${at(end - calledAt)}, and was to wait for ${at(waitMs)}`
    : undefined;
}

/** A wait of 0 ms asks once, for as long as a command may take. */
function limitOf({ action, waits, waitMs }: Operation, { commandTimeoutMs }: Bounds): number {
  const commandMs = commandTimeoutMs * 1.1;
  if (waitMs !== undefined) {
    return waitMs === 0 ? commandMs : waitMs;
  }
  const mayWait = action === 'acquire' || action === 'wait';
  return waits && mayWait ? Number.POSITIVE_INFINITY : commandMs;
}
