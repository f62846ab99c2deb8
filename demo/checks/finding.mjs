// @ts-check
// What the checks have in common. Each finding says in one sentence what was proven, or what was
// violated. A run in which too little happened proves nothing, so that counts as a violation too.

/** @typedef {import('../events.mjs').Turn} Turn */
/** @typedef {import('../stage.mjs').Stage} Stage */
/** @typedef {Pick<Stage, 'act' | 'events' | 'turns' | 'sightings' | 'workers' | 'leaseMs' | 'nameOf'>}
 *   Recorded what is left of an act when it is over */
/** @typedef {{ ok: boolean, said: string }} Finding */
/** @typedef {Turn & { held: bigint }} Granted a turn that was granted */
/** @typedef {Turn & { held: bigint, end: bigint }} Claim one that was granted and has ended */

/** What a busy machine may add to a lease before the next holder has it in hand. */
export const GRACE_MS = 500;

/** @param {boolean} ok @param {string} proven @param {string} [violated] @returns {Finding} */
export const finding = (ok, proven, violated = proven) => ({ ok, said: ok ? proven : violated });

/** @param {Turn} turn @returns {turn is Granted} */
export const isGranted = (turn) => turn.held !== undefined;

/** @param {Turn} turn @returns {turn is Claim} */
export const isClaim = (turn) => turn.held !== undefined && turn.end !== undefined;

/**
 * Until when nobody else may have what was claimed: what the dead held stays theirs while their
 * lease runs.
 * @param {Claim} claim
 */
export const occupiedUntil = ({ end, ended, deadline = end }) =>
  ended === 'killed' && deadline > end ? deadline : end;
