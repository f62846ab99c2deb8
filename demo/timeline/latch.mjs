// @ts-check
// The two latches of an act as an SVG: all start when the gun is fired, and all know at once when the
// last one has crossed the line.
import { earlier, later, ms, msBetween, ofType } from '../events.mjs';
import { axis } from './chart.mjs';
import { sharedLane } from './lanes.mjs';
import { PLOT, scaleOf, WIDTH } from './layout.mjs';
import { line, showMs, tag, text, title } from './svg.mjs';

/** @typedef {import('../stage.mjs').Stage} Stage */
/** @typedef {import('./layout.mjs').Scale} Scale */

/** @param {Stage} stage @returns {string} */
export function latchChart(stage) {
  const { events, workers, gunAt } = stage;
  const instantsOf = (/** @type {string} */ type) => ofType(events, type).map(({ at }) => at);
  const arrivals = instantsOf('arrived');
  const lastGo = instantsOf('go').reduce(later, gunAt);
  const lastArrival = arrivals.reduce(later, gunAt);
  const firstArrival = arrivals.reduce(earlier, lastArrival);
  const end = instantsOf('finished').reduce(later, lastArrival);
  const frame = { zero: gunAt, workers: workers.length, rows: 1 };
  const margin = ms(2);
  const gun = scaleOf({ ...frame, from: gunAt - margin, to: lastGo + margin, top: 60 });
  const finish = { from: firstArrival - ms(10), to: end + ms(10), top: gun.bottom + 70 };
  const over = scaleOf({ ...frame, ...finish });
  const height = over.bottom + 8;
  const label = 'Two count-down latches: the start gun, and the finish line';
  const parts = [
    panel(
      gun,
      `start gun: a latch of 1; all are at work (blue) ${told(gunAt, lastGo)} after the shot`,
    ),
    counts(gun, 1, [gunAt]),
    ...workers.map((worker) => lane(stage, worker, gun, 'ready', 'go')),
    panel(
      over,
      `finish line: a latch of ${arrivals.length}; all know ${told(lastArrival, end)} after the last arrival`,
    ),
    counts(over, arrivals.length, arrivals),
    ...workers.map((worker) => lane(stage, worker, over, 'arrived', 'finished')),
  ];
  const frameOf = { viewBox: `0 0 ${WIDTH} ${height}`, role: 'img', 'aria-label': label };
  return tag('svg', frameOf, parts.join('\n'));
}

/** @param {bigint} from @param {bigint} to */
const told = (from, to) => `${showMs(msBetween(from, to))} ms`;

/** @param {Scale} scale @param {string} caption */
function panel(scale, caption) {
  return (
    axis(scale) +
    text('caption', (PLOT.left + PLOT.right) / 2, scale.top - 34, caption, 'middle') +
    sharedLane(scale, 'the count')
  );
}

/** The count of a latch, written where it changes. @param {Scale} scale @param {number} count @param {readonly bigint[]} downs */
function counts(scale, count, downs) {
  let left = count;
  let free = PLOT.left + 14;
  const y = scale.resourceY + 4;
  const parts = [text('name', PLOT.left + 6, y, String(left), 'middle')];
  for (const at of downs.toSorted((a, b) => Number(a - b))) {
    left -= 1;
    const x = scale.x(at);
    parts.push(line('pole', x, scale.top, x, y + 8));
    // The last one is always told.
    if (x > free || left === 0) {
      parts.push(text('name strong', x + 9, y, String(left), 'middle'));
      free = x + 16;
    }
  }
  return parts.join('');
}

/**
 * A worker that waits between two of its events.
 * @param {Stage} stage
 * @param {number} worker
 * @param {Scale} scale
 * @param {string} since
 * @param {string} until
 */
function lane(stage, worker, scale, since, until) {
  const y = scale.laneY(worker);
  const name = text('name', PLOT.left - 12, y + 4, stage.nameOf(worker), 'end');
  const from = ofType(stage.events, since, worker)[0]?.at;
  const to = ofType(stage.events, until, worker)[0]?.at;
  const rule = line('lane', PLOT.left, y, PLOT.right, y);
  if (from === undefined || to === undefined) {
    return rule + name;
  }
  const x = Math.max(PLOT.left, scale.x(from));
  const [bar, wait] = [scale.lane.bar, scale.lane.wait];
  const working = until === 'go' ? [scale.x(to), PLOT.right] : [PLOT.left, x];
  const [left = 0, right = 0] = working;
  const tip = title(`${stage.nameOf(worker)} waited ${told(from, to)}`);
  const waiting = { class: 'wait', x, y: y - wait / 2, width: scale.x(to) - x, height: wait };
  const busy = { class: 'hold', x: left, y: y - bar / 2, width: right - left, height: bar, rx: 3 };
  return rule + name + tag('rect', busy) + tag('rect', waiting, tip);
}
