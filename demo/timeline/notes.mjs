// @ts-check
// The numbered notes: what the reader of a drawing should see.
import { accidentOf } from '../checks/accidents.mjs';
import { msBetween, ofType } from '../events.mjs';
import { showMs } from './svg.mjs';

/** @typedef {import('../stage.mjs').Stage} Stage */
/** @typedef {{ at: bigint, worker: number, said: string }} Note */

/** @param {string} name */
const capital = (name) => name.charAt(0).toUpperCase() + name.slice(1);

/** @param {Stage} stage @param {string} how @returns {Note[]} */
export const killedNote = (stage, how) =>
  ofType(stage.events, 'killed').map(({ at, worker }) => ({
    at,
    worker,
    said: `${capital(stage.nameOf(worker))} is killed ${how}`,
  }));

/** @param {Stage} stage @param {string} how @returns {Note[]} */
export const pausedNote = (stage, how) =>
  ofType(stage.events, 'paused').map(({ at, worker }) => ({
    at,
    worker,
    said: `${capital(stage.nameOf(worker))} is frozen ${how}`,
  }));

/** @param {Stage} stage @returns {Note[]} */
export function cutNote({ events }) {
  const cuts = ofType(events, 'cut');
  const [first] = cuts;
  const whose = cuts.map(({ worker }) => worker).join(', ');
  return first === undefined
    ? []
    : [
        {
          at: first.at,
          worker: first.worker,
          said: `Redis cuts all connections of the workers ${whose}, whatever is under way on them.`,
        },
      ];
}

/**
 * @param {Stage} stage
 * @param {(told: { name: string, afterMs: string }) => string} say
 * @returns {Note[]}
 */
export function recoveryNote(stage, say) {
  const accident = accidentOf(stage.events);
  const recovery = stage.act.recovery(stage);
  if (accident === undefined || recovery === undefined) {
    return [];
  }
  const { held: at, worker } = recovery;
  return [
    {
      at,
      worker,
      said: say({ name: stage.nameOf(worker), afterMs: showMs(msBetween(accident.at, at)) }),
    },
  ];
}
