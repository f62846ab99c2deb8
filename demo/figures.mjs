// @ts-check
// The key figures, from the record of the sprint: there every turn is as short as it can be, so the
// figures are the primitive's and not the work's.
import { recoveryMs } from './checks/accidents.mjs';
import { earlier, later, msBetween, now, ofType, percentile } from './events.mjs';

/** @typedef {import('./stage.mjs').Stage} Stage */
/** @typedef {import('./checks/finding.mjs').Finding} Finding */

/**
 * @typedef {object} Figures one row of the table; NaN where a figure makes no sense
 * @property {string} name
 * @property {number} acquisitions in the whole act
 * @property {number} perSecond
 * @property {number} waitP50Ms
 * @property {number} waitP99Ms
 * @property {number} commands script calls per acquisition
 * @property {number} recoveryMs from the accident until it was overcome
 * @property {number} violations
 */

/**
 * @param {Stage} stage
 * @param {Finding[]} findings
 * @returns {Figures}
 */
export function figuresOf(stage, findings) {
  const { events, turns } = stage;
  const granted = turns.filter((turn) => turn.held !== undefined);
  const from = stage.gunAt;
  const to = ofType(events, 'sprinted').reduce((first, { at }) => earlier(first, at), now());
  const sprint = granted.filter((turn) => between(turn.held, from, to));
  const waits = sprint.map((turn) => msBetween(turn.asked, turn.held ?? turn.asked));
  return {
    name: stage.act.title,
    acquisitions: granted.length,
    perSecond: sprint.length / (msBetween(from, to) / 1_000),
    waitP50Ms: percentile(waits, 0.5),
    waitP99Ms: percentile(waits, 0.99),
    commands: commandsEach(events, granted),
    recoveryMs: recoveryMs(stage),
    violations: violationsIn(findings),
  };
}

/**
 * Script calls that the workers sent in their sprints, by turns that they got in them.
 * @param {Stage['events']} events
 * @param {Stage['turns']} granted
 */
function commandsEach(events, granted) {
  const sprints = ofType(events, 'sprinted');
  const sent = sprints.reduce((sum, { scripts = Number.NaN }) => sum + scripts, 0);
  const counted = granted.filter(({ worker, held }) =>
    sprints.some((sprint) => sprint.worker === worker && between(held, 0n, sprint.at)),
  );
  return sent / counted.length;
}

/** @param {bigint | undefined} at @param {bigint} from @param {bigint} to */
const between = (at, from, to) => at !== undefined && from <= at && at <= to;

/**
 * The row of the latches: how long it took from the shot to each worker's first step, and from the
 * last arrival until each worker knew of it.
 * @param {Stage[]} stages
 * @param {Finding[]} findings
 * @returns {Figures}
 */
export function latchFigures(stages, findings) {
  const delays = stages.flatMap(({ events, gunAt }) => {
    const last = ofType(events, 'arrived')
      .map((event) => event.at)
      .reduce(later, 0n);
    return [
      ...ofType(events, 'go').map((event) => msBetween(gunAt, event.at)),
      ...ofType(events, 'finished').map((event) => msBetween(last, event.at)),
    ];
  });
  return {
    name: 'Count-down latch',
    acquisitions: delays.length,
    perSecond: Number.NaN,
    waitP50Ms: percentile(delays, 0.5),
    waitP99Ms: percentile(delays, 0.99),
    commands: Number.NaN,
    recoveryMs: Number.NaN,
    violations: violationsIn(findings),
  };
}

/** @param {Finding[]} findings */
const violationsIn = (findings) => findings.filter((finding) => !finding.ok).length;
