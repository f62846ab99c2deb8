// @ts-check
// A gate of N lets N in, never more; and no permit is lost or made.
import { ofType } from '../events.mjs';
import { finding, isClaim, isGranted } from './finding.mjs';
import { insideAt } from './overlap.mjs';

/** @typedef {import('../events.mjs').DemoEvent} DemoEvent */
/** @typedef {import('../events.mjs').Turn} Turn */
/** @typedef {import('./finding.mjs').Finding} Finding */
/** @typedef {import('./finding.mjs').Recorded} Recorded */

/**
 * How many were inside at every grant, the one that came in included.
 * @param {Turn[]} turns
 */
function insideAtGrants(turns) {
  const claims = turns.filter(isClaim);
  const inside = insideAt(
    claims.map(({ held }) => held),
    claims.map(({ held, end }) => ({ from: held, to: end })),
  );
  return claims.map((claim, index) => ({ claim, inside: inside[index] ?? 0 }));
}

/**
 * The gate is not only kept but used.
 * @param {Turn[]} turns
 * @param {number} capacity
 */
export function gateFilled(turns, capacity) {
  const full = insideAtGrants(turns).filter(({ inside }) => inside >= capacity).length;
  return finding(
    full > 0,
    `${full} times somebody came in and ${capacity} were inside at once`,
    `${capacity} were never inside at once`,
  );
}

/**
 * The same, as a counter in Redis saw it.
 * @param {DemoEvent[]} events
 * @param {number} capacity
 */
export function countedInside(events, capacity) {
  const counts = ofType(events, 'inside').map(({ count }) => count ?? Number.NaN);
  const most = Math.max(0, ...counts);
  return finding(
    most === capacity,
    `a counter in Redis saw ${most} inside at most, in ${counts.length} looks`,
    `a counter in Redis saw ${most} inside at most, not ${capacity}`,
  );
}

/**
 * What Redis says when everybody has left.
 * @param {number} available
 * @param {number} capacity
 */
export const allPermitsBack = (available, capacity) =>
  finding(
    available === capacity,
    `in the end all ${capacity} permits are back in Redis: none lost, none made`,
    `in the end ${available} permits are in Redis, not ${capacity}`,
  );

/**
 * Whose connections were cut went on as if nothing had happened.
 * @param {Recorded} stage
 */
export function cutOff({ events, turns }) {
  const cuts = ofType(events, 'cut');
  const waiting = turns.filter(({ worker, asked, held }) =>
    cuts.some((cut) => cut.worker === worker && asked < cut.at && (held ?? cut.at) >= cut.at),
  );
  const holding = turns
    .filter(isClaim)
    .filter(({ worker, held, end }) =>
      cuts.some((cut) => cut.worker === worker && held < cut.at && end > cut.at),
    );
  const back = cuts.filter((cut) =>
    turns.some((turn) => isGranted(turn) && turn.worker === cut.worker && turn.held > cut.at),
  );
  return finding(
    cuts.length > 0 && waiting.length > 0 && back.length === cuts.length,
    `all connections of ${cuts.length} workers were cut, ${holding.length} inside and ${waiting.length} waiting; all of them got in again`,
    `of ${cuts.length} workers whose connections were cut, ${waiting.length} waiting, ${back.length} got in again`,
  );
}

/**
 * The grant with which all permits were in use again after the accident.
 * @param {Recorded} stage
 * @param {number} capacity
 */
export function fullAgain({ events, turns }, capacity) {
  const at = ofType(events, 'killed')[0]?.at;
  return insideAtGrants(turns).find(
    ({ claim, inside }) => at !== undefined && claim.held > at && inside >= capacity,
  )?.claim;
}

/**
 * Nobody had to give the permit of the dead back.
 * @param {boolean} revoked whether it was still there to be released at the end
 */
export const goneByItself = (revoked) =>
  finding(
    !revoked,
    'the permit of the dead had gone by itself: there was nothing to release',
    'the permit of the dead was still there at the end',
  );
