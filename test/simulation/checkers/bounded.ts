// Nobody holds anything for longer than its bound, and with a bound nobody takes part in a run.

import type { Claim, Violation } from '../history.js';
import type { Checker } from './property.js';
import { runsOf } from './runs.js';
import { at, groupBy, nameOf } from './spans.js';

const isBounded = ({ maxHoldMs }: Claim): boolean => maxHoldMs !== undefined;

export const checkBounded: Checker = ({ history, bounds, property, kinds }) => {
  const { drift, settleMs } = bounds;
  const claims = history.claims.filter(({ kind }) => kinds.has(kind));
  const groups = groupBy(claims, ({ object, owner }) => `${object} ${owner}`);
  const late = [...groups.values()].flatMap((own) => {
    const bound = own.filter(isBounded).map(({ from, until, maxHoldMs = 0 }) => ({
      // The holds of one owner end together, while the one with the bound is there.
      until,
      endsBy: from + maxHoldMs * (1 + drift) + settleMs,
    }));
    return own.flatMap((claim): Violation[] => {
      const over = bound.find(({ until, endsBy }) => Math.min(until, claim.until) > endsBy);
      const text = `${nameOf(claim)} held until ${at(claim.until)}, and its bound was ${at(over?.endsBy ?? 0)}`;
      return over === undefined ? [] : [{ property, object: claim.object, at: claim.until, text }];
    });
  });
  const passed = runsOf(claims).flatMap((run): Violation[] => {
    const claim = run.find(isBounded);
    const text = `${nameOf(claim ?? run[0]!)} has a bound, and took part in a run`;
    return claim === undefined ? [] : [{ property, object: claim.object, at: claim.from, text }];
  });
  return { checked: claims.filter(isBounded).length, violations: [...late, ...passed] };
};
