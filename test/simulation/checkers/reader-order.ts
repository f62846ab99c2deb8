// Readers that asked before a writer get in before it.

import type { Operation, Violation } from '../history.js';
import type { Bounds } from './bounds.js';
import { firstAsks } from './fairness.js';
import type { Checker } from './property.js';
import { operationsOf } from './property.js';
import { at, groupBy, isDisturbed, nameOf } from './spans.js';

/** A history has no arrival times, and a client knows when its readers asked as exactly as one of its asks
 * took: a reader counts as first only where the writer was called later than that. */
export const checkReaderOrder: Checker = (scope) => {
  const { history, bounds, property } = scope;
  const asks = operationsOf(scope).filter(({ action }) => action === 'acquire');
  const forces = operationsOf(scope).filter(({ action }) => action === 'force');
  let checked = 0;
  const violations = [...groupBy(asks, ({ object }) => object)].flatMap(([object, own]) => {
    const firsts = firstAsks(own);
    const readers = firsts.filter(
      ({ mode, waits, abortedAt }) => mode === 'shared' && waits && abortedAt === undefined,
    );
    const writers = firsts.filter(({ mode, outcome }) => mode === 'exclusive' && outcome === 'ok');
    checked += readers.length;
    return writers.flatMap((writer): Violation[] => {
      const passed = readers.find(
        (reader) =>
          isPassed(bounds, reader, writer) &&
          !firsts.some((other) => hasLeft(bounds, other, reader, writer)) &&
          !forces.some((force) => isBetween(force, reader, writer)) &&
          !isDisturbed(
            history,
            reader.client,
            { from: reader.calledAt - bounds.passOverMs, until: writer.returnedAt },
            bounds.recoveryMs,
          ),
      );
      if (passed === undefined) {
        return [];
      }
      const text = `${say(writer)} got in before ${say(passed)}`;
      return [{ property, object, at: writer.returnedAt, text }];
    });
  });
  return { checked, violations };
};

function isPassed({ networkMs, toldMs }: Bounds, reader: Operation, writer: Operation): boolean {
  const isFirst = reader.calledAt + 2 * networkMs + toldMs < writer.calledAt;
  // A reader that gave up was there until then.
  const isThere = leftAt(reader) - networkMs > writer.returnedAt;
  return reader.owner !== writer.owner && isFirst && isThere;
}

/** A writer of the same client that came before the reader was granted the lock just as it gave up: the grant is
 * that of the next one. */
function hasLeft(
  { networkMs }: Bounds,
  { mode, outcome, client, calledAt, returnedAt }: Operation,
  reader: Operation,
  writer: Operation,
): boolean {
  const isBefore = calledAt < reader.calledAt + 2 * networkMs;
  const isJustThen = Math.abs(writer.returnedAt - returnedAt) <= 2 * networkMs;
  return (
    mode === 'exclusive' && outcome !== 'ok' && client === writer.client && isBefore && isJustThen
  );
}

function leftAt({ outcome, calledAt, waitMs, returnedAt }: Operation): number {
  return outcome === 'no' ? Math.min(returnedAt, calledAt + (waitMs ?? 0)) : returnedAt;
}

function isBetween(force: Operation, reader: Operation, writer: Operation): boolean {
  return force.returnedAt >= reader.calledAt && force.calledAt <= writer.returnedAt;
}

const say = (operation: Operation): string =>
  `${nameOf(operation)}, called at ${at(operation.calledAt)}`;
