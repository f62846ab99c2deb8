// @ts-check
// One act as an SVG: the lane of what is shared, a lane per worker, and below a few milliseconds of it
// through a lens.
import { scaleLinear } from 'd3-scale';
import { earlier, later, ms, msBetween, ofType } from '../events.mjs';
import { handOverLines, lanes } from './lanes.mjs';
import { PLOT, scaleOf, WIDTH } from './layout.mjs';
import { marks } from './marks.mjs';
import { rowsOf, spansOfResource } from './spans.mjs';
import { line, tag, text, thousands } from './svg.mjs';

/** @typedef {import('../stage.mjs').Stage} Stage */
/** @typedef {import('./layout.mjs').Scale} Scale */

/**
 * @param {Stage} stage
 * @returns {{ svg: string, notes: string[] }} the drawing, and the sentences to its numbers
 */
export function chart(stage) {
  const { events, workers, gunAt } = stage;
  const last = events.map((event) => event.at).reduce(later, gunAt);
  const rows = rowsOf(spansOfResource(stage)).length;
  const frame = { zero: gunAt, workers: workers.length, rows };
  const whole = scaleOf({ ...frame, from: gunAt - ms(30), to: last + ms(20), top: 74 });
  const seen = stage.act.lens(stage);
  const lens = scaleOf({ ...frame, ...seen, top: whole.bottom + 82 });
  const notes = stage.act.notes(stage);
  const height = lens.bottom + 8;
  const parts = [
    axis(whole),
    sprintBand(stage, whole),
    lanes(stage, whole, 1.4),
    marks(stage, whole, notes),
    lensFrame(whole, lens, seen.caption),
    axis(lens),
    // Where several hold at a time, nobody takes over from anybody.
    stage.act.capacity === 1 ? tag('svg', plotBox(height), handOverLines(stage, lens)) : '',
    lanes(stage, lens, 0),
    marks(stage, lens, notes),
  ];
  const label = `Timeline of the ${stage.act.title}: ${notes.map((note) => note.said).join(' ')}`;
  const svg = tag(
    'svg',
    { viewBox: `0 0 ${WIDTH} ${height}`, role: 'img', 'aria-label': label },
    parts.join('\n'),
  );
  return { svg, notes: notes.map((note) => note.said) };
}

/** An inner viewport that cuts off what runs out of the plot. @param {number} height */
const plotBox = (height) => {
  const [x, width] = [PLOT.left, PLOT.right - PLOT.left];
  return { x, y: 0, width, height, viewBox: `${x} 0 ${width} ${height}` };
};

/** So many ticks, or somewhat more: each has room for its label. */
const TICKS = 8;

/** @param {Scale} scale */
export function axis(scale) {
  const ends = [scale.from, scale.to].map((at) => msBetween(scale.zero, at));
  const parts = [];
  for (const at of scaleLinear().domain(ends).ticks(TICKS)) {
    const x = scale.x(scale.zero + ms(at));
    parts.push(line('grid', x, scale.top - 8, x, scale.bottom));
    const label = `${thousands(Number(at.toFixed(2)))} ms`;
    if (at === 0) {
      parts.push(text('tick', x - 5, scale.top - 13, label, 'end'));
    } else if (x < PLOT.right - 30) {
      parts.push(text('tick', x, scale.top - 13, label, 'middle'));
    }
  }
  return parts.join('');
}

const SPRINT = 'sprint: turns as short as they can be';
/** The width that it takes to say so. */
const SPRINT_TOLD = 215;

/** @param {Stage} stage @param {Scale} scale */
function sprintBand({ events }, scale) {
  const ends = ofType(events, 'sprinted').map((event) => event.at);
  const end = ends.reduce(earlier, ends[0] ?? scale.zero);
  const [x, to, y] = [scale.x(scale.zero), scale.x(end), scale.top - 8];
  return (
    tag('rect', { class: 'sprint', x, y, width: to - x, height: scale.bottom - y }) +
    text('phase', x + 6, y - 22, to - x < SPRINT_TOLD ? 'sprint' : SPRINT) +
    text('phase', to + 6, y - 22, 'work: 12 to 36 ms a turn')
  );
}

/** The part of the whole that the lens shows. @param {Scale} whole @param {Scale} lens @param {string} caption */
function lensFrame(whole, lens, caption) {
  const [a, b] = [whole.x(lens.from), whole.x(lens.to)];
  const [top, bottom] = [whole.bottom + 4, lens.top - 32];
  const beam = `M${a.toFixed(1)} ${top}L${PLOT.left} ${bottom}H${PLOT.right}L${b.toFixed(1)} ${top}z`;
  return (
    tag('path', { class: 'beam', d: beam }) +
    tag('rect', {
      class: 'lens',
      x: a,
      y: whole.top - 8,
      width: Math.max(1, b - a),
      height: whole.bottom - whole.top + 12,
    }) +
    tag('rect', {
      class: 'lens-pane',
      x: PLOT.left,
      y: bottom,
      width: PLOT.right - PLOT.left,
      height: lens.bottom - bottom + 4,
      rx: 4,
    }) +
    text('caption', (PLOT.left + PLOT.right) / 2, bottom - 12, caption, 'middle')
  );
}
