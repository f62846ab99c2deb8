// Each grant that was told has exactly one end that is told.

import { wrongEnds } from '../../support/ends.js';
import {
  isMulti,
  type History,
  type Operation,
  type ToldByClient,
  type Violation,
} from '../history.js';
import type { Checker } from './property.js';
import { killedAt } from './spans.js';

export const checkEnds: Checker = ({ history, property }) => {
  // Who is killed tells nothing any more.
  const living = history.told.filter(
    ({ client }) => killedAt(history, client) === Number.POSITIVE_INFINITY,
  );
  // A multi-lock tells nothing of a lock that is passed on to it in a run.
  const hasParts = history.claims.some(({ kind }) => isMulti(kind));
  const found = [...living.map((told) => wrongOf(told, hasParts)), ...missing(history, living)];
  const violations = found.flatMap((text): Violation[] =>
    text === undefined ? [] : [{ property, object: undefined, at: history.endedAt, text }],
  );
  return { checked: living.length, violations };
};

function wrongOf(told: ToldByClient, hasParts: boolean): string | undefined {
  const wrong = wrongEnds(told, told.acquired > 1 || (hasParts && told.kind === 'lock'));
  return wrong === undefined ? undefined : `client ${told.client} was told of ${wrong}`;
}

/** Where permits without a lease have fewer ends than releases were made and not refused. */
function missing({ operations }: History, living: readonly ToldByClient[]): (string | undefined)[] {
  const permits = living.filter(({ kind }) => kind === 'semaphore');
  return [...new Set(permits.map(({ client }) => client))].map((client) => {
    const made = operations.filter((one) => one.client === client && isMade(one)).length;
    const own = permits.filter((one) => one.client === client);
    const ends = own.reduce((sum, { released }) => sum + released, 0);
    return ends < made ? `client ${client} made ${made} releases, and told ${ends}` : undefined;
  });
}

function isMade({ kind, action, outcome, error }: Operation): boolean {
  const goesOn = outcome === 'unknown' || error === 'CommandTimeoutError';
  return kind === 'semaphore' && action === 'release' && (outcome === 'ok' || goesOn);
}
