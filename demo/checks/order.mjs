// @ts-check
// First come first served: the order of the queue as it stood in Redis, against the order in which
// the workers themselves say that they held.
import { msBetween, ofType } from '../events.mjs';
import { finding, isGranted } from './finding.mjs';

/** @typedef {import('../events.mjs').Turn} Turn */
/** @typedef {import('../sightings.mjs').Sighting} Sighting */
/** @typedef {import('./finding.mjs').Finding} Finding */
/** @typedef {import('./finding.mjs').Recorded} Recorded */
/** @typedef {import('./finding.mjs').Granted} Granted */

/** Tickets without which a run would prove nothing. */
const ENOUGH = 20;

/** What the dead and the frozen may cost all others together. */
const COST_MS = 5_000;

/**
 * Whoever stood before another was served before it. The frozen are not asked: they lose their
 * place until they are back.
 * @param {Recorded} stage
 * @returns {Finding}
 */
export function servedInOrder({ turns, sightings }) {
  const served = new Map(
    turns
      .filter((turn) => isGranted(turn) && turn.pausedAt === undefined)
      .map((turn) => [turn.holderId ?? '', /** @type {Granted} */ (turn)]),
  );
  const seen = new Set();
  const inversions = new Set();
  for (const { members } of sightings) {
    const line = members.flatMap((member) => served.get(member) ?? []);
    line.forEach((turn, index) => {
      seen.add(turn.holderId);
      for (const behind of line.slice(index + 1).filter(({ held }) => held < turn.held)) {
        inversions.add(`${turn.holderId} ${behind.holderId}`);
      }
    });
  }
  return finding(
    inversions.size === 0 && seen.size >= ENOUGH,
    `${seen.size} tickets seen in the queue in Redis, all served in that order: 0 inversions`,
    `${inversions.size} pairs of the ${seen.size} tickets seen in the queue were served the wrong way round`,
  );
}

/**
 * Tickets numbered in the order in which they were seen in the queue.
 * @param {Recorded} stage
 */
export function ticketNumbers({ sightings }) {
  const tickets = new Set(sightings.flatMap(({ members }) => members));
  return new Map([...tickets].map((ticket, index) => [ticket, `#${index + 1}`]));
}

/**
 * The queue as it stood at a moment: workers in their order.
 * @param {Recorded} stage
 * @param {bigint} at
 */
export function queueAt(stage, at) {
  const line = stage.sightings.findLast((sighting) => sighting.at <= at)?.members ?? [];
  return line.map((member) => workerOf(stage, member));
}

/**
 * Whose client wrote this member; 0 when nobody's did.
 * @param {Recorded} stage
 * @param {string} member
 */
const workerOf = ({ events }, member) =>
  ofType(events, 'ready').find(
    ({ clientId }) => clientId !== undefined && member.startsWith(clientId),
  )?.worker ?? 0;

/**
 * A waiter was killed and another was frozen, and those behind them were served all the same.
 * @param {Recorded} stage
 * @returns {Finding[]}
 */
export function lostWaiters(stage) {
  const { events, turns } = stage;
  const [shot] = ofType(events, 'killed');
  const [stop] = ofType(events, 'paused');
  if (shot === undefined || stop === undefined) {
    return [finding(false, 'nobody was killed or nobody was frozen in the queue')];
  }
  const line = queueAt(stage, shot.at);
  const [dead, frozen] = [line.indexOf(shot.worker) + 1, line.indexOf(stop.worker) + 1];
  const live = line.filter((worker) => worker !== shot.worker && worker !== stop.worker);
  const served = live.map((worker) =>
    turns
      .filter(isGranted)
      .find((turn) => turn.worker === worker && turn.asked < shot.at && turn.held > shot.at),
  );
  const last = served.findLast((turn) => turn !== undefined)?.held ?? shot.at;
  const cost = Math.round(idleMs(turns, shot.at, last));
  const back = turns.find((turn) => turn.pausedAt !== undefined);
  return [
    finding(
      dead > 0 && frozen > 0 && Math.max(dead, frozen) < line.length,
      `worker ${shot.worker} was killed at place ${dead} of ${line.length} and worker ${stop.worker} frozen at place ${frozen}`,
      'nobody was killed, or nobody frozen, in front of others',
    ),
    finding(
      served.length > 0 && served.every((turn) => turn !== undefined) && cost <= COST_MS,
      `the dead and the frozen together cost the ${served.length} others in line ${cost} ms, at most ${COST_MS}`,
      `${served.filter((turn) => turn !== undefined).length} of the ${served.length} others in line were served; it cost ${cost} ms`,
    ),
    finding(
      isGranted(back ?? { worker: 0, asked: 0n }) && back?.ended === 'released',
      `worker ${stop.worker} was served with the same ticket when it ran again`,
      `worker ${stop.worker} was never served when it ran again`,
    ),
  ];
}

/**
 * For how long nobody held although they wanted to.
 * @param {Turn[]} turns
 * @param {bigint} from
 * @param {bigint} to
 */
function idleMs(turns, from, to) {
  const granted = turns.filter(isGranted);
  return granted.reduce((sum, { held }, index) => {
    const before = granted[index - 1]?.end;
    const idle = before !== undefined && held > from && held <= to ? msBetween(before, held) : 0;
    return sum + Math.max(0, idle);
  }, 0);
}
