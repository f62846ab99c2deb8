// @ts-check
// What holds for every act, and for the latches around it, computed from what was recorded.
import { later, ofType } from '../events.mjs';
import { finding, isClaim, isGranted, occupiedUntil } from './finding.mjs';
import { insideAt } from './overlap.mjs';

/** @typedef {import('../events.mjs').DemoEvent} DemoEvent */
/** @typedef {import('../events.mjs').Turn} Turn */
/** @typedef {import('../stage.mjs').Stage} Stage */
/** @typedef {import('./finding.mjs').Finding} Finding */
/** @typedef {import('./finding.mjs').Recorded} Recorded */

/** Contended grants without which a run would prove nothing. */
const ENOUGH = 20;

/**
 * @param {Recorded} stage
 * @returns {Finding[]}
 */
export const checkEveryAct = ({ act, events, turns }) => [
  // Where it matters who is inside together, the act looks for itself.
  ...(act.capacity === Number.POSITIVE_INFINITY ? [] : [neverTooMany(turns, act.capacity)]),
  contended(turns),
  noTrouble(events),
];

/**
 * All start guns and all finish lines. An act that broke off says nothing of its latches.
 * @param {(Recorded & Pick<Stage, 'brokeOff'>)[]} stages
 * @returns {Finding[]}
 */
export function checkLatches(stages) {
  const played = stages.filter(({ brokeOff }) => !brokeOff);
  return [
    startGuns(played.map(({ events, workers }) => gunOf(events, workers))),
    finishLines(played.map(({ events }) => lineOf(events))),
  ];
}

/**
 * Claims of different workers never overlap, or at most `capacity` of them do.
 * @param {Turn[]} turns
 * @param {number} capacity
 */
export function neverTooMany(turns, capacity) {
  const claims = turns.filter(isClaim);
  const inside = insideAt(
    claims.map(({ held }) => held),
    claims.map((claim) => ({ from: claim.held, to: occupiedUntil(claim) })),
  );
  const tooMany = inside.filter((count) => count > capacity).length;
  const many = capacity === 1 ? 'two' : String(capacity + 1);
  return finding(
    tooMany === 0,
    `${claims.length} holds, never ${many} at once`,
    `${tooMany} of ${claims.length} holds began while ${capacity} other${capacity === 1 ? ' was' : 's were'} held`,
  );
}

/** @param {Turn[]} turns */
function contended(turns) {
  const waiting = insideAt(
    turns.filter(isGranted).map(({ held }) => held),
    turns.map(({ asked, held, end }) => ({ from: asked, to: held ?? end })),
  );
  const wanted = waiting.filter((count) => count > 0).length;
  return finding(
    wanted >= ENOUGH,
    `${wanted} of them granted while others waited`,
    `only ${wanted} contended holds, ${ENOUGH} would prove something`,
  );
}

/**
 * Who passed a latch, how many should have, and who passed too early.
 * @typedef {{ passed: number, expected: number, early: number }} Passage
 */

/** @param {DemoEvent[]} events @param {number[]} workers @returns {Passage} */
function gunOf(events, workers) {
  const [gun] = ofType(events, 'gun');
  const passes = ofType(events, 'go');
  const early = passes.filter((pass) => gun === undefined || pass.at < gun.at).length;
  return { passed: passes.length, expected: workers.length, early };
}

/** @param {DemoEvent[]} events @returns {Passage} */
function lineOf(events) {
  const arrivals = ofType(events, 'arrived');
  const passes = ofType(events, 'finished');
  const last = arrivals.map((event) => event.at).reduce(later, 0n);
  const early = passes.filter((pass) => pass.at < last).length;
  return { passed: passes.length, expected: Math.max(2, arrivals.length), early };
}

/** @param {Passage[]} guns */
function startGuns(guns) {
  const { passed, expected, early } = sumOf(guns);
  return finding(
    early === 0 && passed === expected && passed > 0,
    `${guns.length} start guns: ${passed} workers passed, none before the shot`,
    `${guns.length} start guns: ${passed} of ${expected} passed, ${early} before the shot`,
  );
}

/** @param {Passage[]} lines */
export function finishLines(lines) {
  const { passed, expected, early } = sumOf(lines);
  return finding(
    early === 0 && passed === expected && passed > 0,
    `${lines.length} finish lines: ${passed} workers passed, none before the last had arrived`,
    `${lines.length} finish lines: ${passed} of ${expected} passed, ${early} before the last arrival`,
  );
}

/** @param {Passage[]} passages @returns {Passage} */
const sumOf = (passages) => ({
  passed: passages.reduce((sum, { passed }) => sum + passed, 0),
  expected: passages.reduce((sum, { expected }) => sum + expected, 0),
  early: passages.reduce((sum, { early }) => sum + early, 0),
});

/**
 * Nobody met an error. Where connections are cut the client may tell of it, but no call fails.
 * @param {DemoEvent[]} events
 */
export function noTrouble(events) {
  const trouble = events.find(
    ({ type, worker }) =>
      type === 'trouble' || (type === 'background' && ofType(events, 'cut', worker).length === 0),
  );
  const whose = trouble?.worker === 0 ? 'on stage' : `worker ${trouble?.worker}`;
  return finding(
    trouble === undefined,
    'all workers ended by themselves, none met an error',
    `${whose}: ${trouble?.message ?? 'did not end by itself'}`,
  );
}
