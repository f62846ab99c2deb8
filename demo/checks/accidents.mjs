// @ts-check
// What an accident may cost the others: the rest of a lease, and no longer.
import { msBetween, ofType } from '../events.mjs';
import { finding, GRACE_MS, isGranted } from './finding.mjs';

/** @typedef {import('../events.mjs').DemoEvent} DemoEvent */
/** @typedef {import('../events.mjs').Turn} Turn */
/** @typedef {import('./finding.mjs').Finding} Finding */
/** @typedef {import('./finding.mjs').Recorded} Recorded */

/** What befalls a worker first. @param {DemoEvent[]} events */
export const accidentOf = (events) =>
  events.find(({ type }) => type === 'killed' || type === 'paused' || type === 'cut');

/**
 * The first grant to another worker after the accident.
 * @param {Recorded} stage
 */
export function nextGrant({ events, turns }) {
  const accident = accidentOf(events);
  return turns
    .filter(isGranted)
    .find(
      ({ worker, held }) =>
        accident !== undefined && worker !== accident.worker && held > accident.at,
    );
}

/**
 * From the accident until all was well again, NaN if it never was.
 * @param {Recorded} stage
 */
export function recoveryMs(stage) {
  const accident = accidentOf(stage.events);
  const recovery = stage.act.recovery(stage);
  return accident === undefined || recovery === undefined
    ? Number.NaN
    : msBetween(accident.at, recovery.held);
}

/**
 * Somebody was killed while holding.
 * @param {Recorded} stage
 * @returns {Finding[]}
 */
export function killed(stage) {
  const { events, turns } = stage;
  const [shot] = ofType(events, 'killed');
  const atMercy = ofType(events, 'at-mercy', shot?.worker)[0];
  const last = turns.findLast((turn) => turn.worker === shot?.worker);
  const holding = atMercy?.isHeld === true && last?.ended === 'killed' && last.held !== undefined;
  return [
    finding(
      holding,
      `${stage.nameOf(shot?.worker ?? 0)} was killed while it held`,
      'nobody was killed while holding',
    ),
    goneOn(stage, atMercy?.deadline),
  ];
}

/**
 * Somebody was frozen while holding, and wrote when it was back.
 * @param {Recorded} stage
 * @returns {Finding[]}
 */
export function paused(stage) {
  const { events, turns } = stage;
  const [stop] = ofType(events, 'paused');
  const [awake] = ofType(events, 'resumed', stop?.worker);
  const frozen = turns.find((turn) => turn.pausedAt !== undefined);
  const stale = ofType(events, 'write', stop?.worker).find((event) => event.stale === true);
  const holding = frozen?.held !== undefined && frozen.held < (frozen.pausedAt ?? 0n);
  const outlived = (frozen?.continuedAt ?? 0n) > (frozen?.deadline ?? 0n);
  return [
    finding(
      holding && outlived,
      `worker ${stop?.worker} was frozen while it held, until its lease was over`,
      'nobody was frozen while holding until the lease was over',
    ),
    finding(
      awake?.isHeld === false && awake.aborted === true,
      'its first line after the pause read isHeld false and signal.aborted true',
      `its first line after the pause read isHeld ${awake?.isHeld}, aborted ${awake?.aborted}`,
    ),
    finding(
      stale?.accepted === false,
      `its late write was refused: token ${stale?.token} is too old`,
      `its late write was ${stale === undefined ? 'never sent' : 'taken by the store'}`,
    ),
    goneOn(stage, frozen?.deadline),
  ];
}

/**
 * The others wait for the rest of the lease, and no longer.
 * @param {Recorded} stage
 * @param {bigint | undefined} deadline before that the lease cannot have been over
 */
function goneOn(stage, deadline) {
  const accident = accidentOf(stage.events);
  if (accident === undefined || deadline === undefined) {
    return finding(false, 'there was no accident');
  }
  const { leaseMs } = stage;
  const ms = Math.round(recoveryMs(stage));
  const earliest = Math.floor(msBetween(accident.at, deadline));
  return finding(
    ms >= earliest && ms <= leaseMs + GRACE_MS,
    `${stage.act.recovered} ${ms} ms later, as soon as its lease of ${leaseMs} ms was over`,
    `${stage.act.recovered} ${ms} ms later; the lease was over after ${earliest} to ${leaseMs} ms`,
  );
}
