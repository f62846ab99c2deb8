// @ts-check
// One act as an SVG: the lock's own lane, a lane per worker, and below a few milliseconds of it
// through a lens.
import { msBetween, ofType } from '../events.mjs';
import { lensOf } from './lens.mjs';
import { marks, notesOf } from './marks.mjs';
import { spansOf, spansOfResource } from './spans.mjs';
import { line, tag, text, thousands, title } from './svg.mjs';

/** @typedef {import('../stage.mjs').Stage} Stage */
/** @typedef {import('./spans.mjs').Span} Span */

export const WIDTH = 1180;
const PLOT = { left: 92, right: WIDTH - 14 };
const RESOURCE = { height: 26, gap: 14 };
const LANE = { pitch: 33, bar: 19, wait: 5 };

/**
 * A span of time laid out on the page.
 * @typedef {object} Scale
 * @property {bigint} from
 * @property {bigint} to
 * @property {bigint} zero the shot of the start gun
 * @property {number} top
 * @property {(at: bigint) => number} x
 * @property {(worker: number) => number} laneY middle of a worker's lane
 * @property {number} resourceY middle of the lock's lane
 * @property {number} bottom
 */

/**
 * @param {{ from: bigint, to: bigint, zero: bigint, top: number, workers: number }} frame
 * @returns {Scale}
 */
function scaleOf({ from, to, zero, top, workers }) {
  const perMs = (PLOT.right - PLOT.left) / msBetween(from, to);
  const resourceY = top + RESOURCE.height / 2;
  const lanesTop = top + RESOURCE.height + RESOURCE.gap;
  return {
    from,
    to,
    zero,
    top,
    resourceY,
    x: (at) => PLOT.left + msBetween(from, at) * perMs,
    laneY: (worker) => lanesTop + (worker - 0.5) * LANE.pitch,
    bottom: lanesTop + workers * LANE.pitch,
  };
}

/**
 * @param {Stage} stage
 * @returns {{ svg: string, notes: string[] }} the drawing, and the sentences to its numbers
 */
export function chart(stage) {
  const { events, workers, gunAt } = stage;
  const last = events.map((event) => event.at).reduce((a, b) => (a > b ? a : b), gunAt);
  const frame = { zero: gunAt, workers: workers.length };
  const whole = scaleOf({ ...frame, from: gunAt - ms(30), to: last + ms(20), top: 74 });
  const seen = lensOf(stage);
  const lens = scaleOf({ ...frame, ...seen, top: whole.bottom + 82 });
  const notes = notesOf(stage);
  const height = lens.bottom + 8;
  const parts = [
    axis(whole, 250),
    sprintBand(stage, whole),
    lanes(stage, whole, 1.4),
    marks(stage, whole, notes),
    lensFrame(whole, lens, seen.caption),
    axis(lens, tickOf(msBetween(lens.from, lens.to))),
    handOverLines(stage, lens),
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

/** @param {number} value */
const ms = (value) => BigInt(Math.round(value * 1e6));

/** A round step that gives about eight ticks. @param {number} span in milliseconds */
function tickOf(span) {
  const rough = span / 8;
  const power = 10 ** Math.floor(Math.log10(rough));
  return power * ([1, 2, 5].find((factor) => factor * power >= rough) ?? 10);
}

/** @param {Scale} scale @param {number} step in milliseconds */
function axis(scale, step) {
  const first = Math.ceil(msBetween(scale.zero, scale.from) / step) * step;
  const parts = [];
  for (let at = first; at <= msBetween(scale.zero, scale.to); at += step) {
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

/** @param {Stage} stage @param {Scale} scale */
function sprintBand({ events }, scale) {
  const ends = ofType(events, 'sprinted').map((event) => event.at);
  const end = ends.reduce((a, b) => (a > b ? a : b), scale.zero);
  const [x, to, y] = [scale.x(scale.zero), scale.x(end), scale.top - 8];
  return (
    tag('rect', { class: 'sprint', x, y, width: to - x, height: scale.bottom - y }) +
    text('phase', x + 6, y - 22, 'sprint: turns as short as they can be') +
    text('phase', to + 6, y - 22, 'work: 12 to 36 ms a turn')
  );
}

/**
 * @param {Stage} stage
 * @param {Scale} scale
 * @param {number} tiny spans narrower than this are drawn as one shape, without tooltips
 */
function lanes(stage, scale, tiny) {
  const clip = (/** @type {Span} */ span) => span.to > scale.from && span.from < scale.to;
  const rows = stage.workers.map((worker) => {
    const y = scale.laneY(worker);
    const spans = spansOf(stage, worker, scale.to).filter(clip);
    return (
      line('lane', PLOT.left, y, laneEnd(stage, worker, scale), y) +
      text('name', PLOT.left - 12, y + 4, `worker ${worker}`, 'end') +
      bars(spans, scale, y, tiny)
    );
  });
  const y = scale.resourceY;
  const resource = tag('rect', {
    class: 'resource',
    x: PLOT.left,
    y: y - RESOURCE.height / 2,
    width: PLOT.right - PLOT.left,
    height: RESOURCE.height,
    rx: 4,
  });
  return (
    resource +
    text('name strong', PLOT.left - 12, y + 4, 'the lock', 'end') +
    bars(spansOfResource(stage).filter(clip), scale, y, tiny) +
    rows.join('')
  );
}

/** A lane ends where its worker does. @param {Stage} stage @param {number} worker @param {Scale} scale */
function laneEnd({ events }, worker, scale) {
  const end = ofType(events, 'killed', worker)[0]?.at ?? scale.to;
  return Math.max(PLOT.left, Math.min(scale.x(end), PLOT.right));
}

/** @param {Span[]} spans @param {Scale} scale @param {number} y @param {number} tiny */
function bars(spans, scale, y, tiny) {
  /** @type {Map<string, string[]>} */
  const merged = new Map();
  const parts = [];
  for (const span of spans) {
    const x = Math.max(PLOT.left, scale.x(span.from));
    const width = Math.min(PLOT.right, scale.x(span.to)) - x;
    const height = span.kind === 'wait' ? LANE.wait : LANE.bar;
    if (width < tiny) {
      const path = `M${x.toFixed(2)} ${(y - height / 2).toFixed(1)}h${Math.max(0.3, width).toFixed(2)}v${height}H${x.toFixed(2)}z`;
      merged.set(span.kind, [...(merged.get(span.kind) ?? []), path]);
    } else {
      parts.push(bar(span, { x, y: y - height / 2, width, height }));
    }
  }
  const shapes = [...merged].map(([kind, paths]) =>
    tag(
      'path',
      { class: kind, d: paths.join('') },
      kind === 'hold' ? title(`${paths.length} short holds`) : '',
    ),
  );
  return shapes.join('') + parts.join('');
}

/** @param {Span} span @param {{ x: number, y: number, width: number, height: number }} box */
function bar({ kind, tip, label }, box) {
  const rx = kind === 'wait' ? 0 : Math.min(3, box.width / 3);
  const shape = tag('rect', { class: kind, ...box, rx }, title(tip));
  const wide = (label?.length ?? 0) * 6.4 + 10;
  if (label === undefined || wide > box.width) {
    return shape;
  }
  const [middle, y] = [box.x + box.width / 2, box.y + box.height / 2];
  const plate = tag('rect', {
    class: 'plate',
    x: middle - wide / 2,
    y: y - 7,
    width: wide,
    height: 14,
    rx: 7,
  });
  const onPattern = kind === 'paused' || kind === 'lost';
  return shape + (onPattern ? plate : '') + text(`on ${kind}`, middle, y + 3.7, label, 'middle');
}

/** How the lock went from one worker to the next. @param {Stage} stage @param {Scale} scale */
function handOverLines({ turns }, scale) {
  const seen = turns.filter(({ held }) => held !== undefined && held < scale.to);
  const lines = seen.slice(1).map((turn, index) => {
    const before = seen[index];
    if (before?.end === undefined || turn.held === undefined || before.end < scale.from) {
      return '';
    }
    const [from, to] = [scale.laneY(before.worker), scale.laneY(turn.worker)];
    return line('hand-over', scale.x(before.end), from, scale.x(turn.held), to);
  });
  return lines.join('');
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
