// Whoever is forced out by another client knows it at once, not with the next renewal.

import type { Claim, Operation, Violation } from '../history.js';
import { operationsOf, type Checker } from './property.js';
import { at, groupBy, isDisturbed, nameOf } from './spans.js';

/** Two trips, and the pauses of a busy process. Leases of 30 s are renewed after ten. */
const TOLD_MS = 1_000;

export const checkForced: Checker = (scope) => {
  const { history, bounds, property } = scope;
  const forces = operationsOf(scope).filter(
    ({ action, outcome, answer }) => action === 'force' && outcome === 'ok' && answer === true,
  );
  const claims = groupBy(history.claims, ({ object }) => object);
  const ended = forces.flatMap((force) =>
    (claims.get(force.object) ?? [])
      .filter((claim) => isEndedBy(force, claim))
      .map((claim) => ({ force, claim })),
  );
  const violations = ended
    .filter(({ force: { calledAt, returnedAt }, claim }) => {
      const knownBy = returnedAt + TOLD_MS;
      const span = { from: calledAt, until: knownBy };
      const afterMs = bounds.lateMs + bounds.recoveryMs;
      return claim.until > knownBy && !isDisturbed(history, claim.client, span, afterMs);
    })
    .map(({ force, claim }): Violation => {
      const text = `${nameOf(claim)} held until ${at(claim.until)} what was freed by force at ${at(force.returnedAt)}`;
      return { property, object: claim.object, at: claim.until, text };
    });
  return { checked: ended.length, violations };
};

/** It was told before the call was made, and not released before that had an answer. In its own
 * client the answer ends it. */
function isEndedBy({ calledAt, returnedAt, client, mode }: Operation, claim: Claim): boolean {
  return (
    claim.client !== client &&
    claim.mode === mode &&
    claim.from < calledAt &&
    claim.until > returnedAt
  );
}
