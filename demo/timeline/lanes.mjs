// @ts-check
// The lanes of a drawing: that of what is shared, and one for each worker.
import { ofType } from '../events.mjs';
import { runsOf } from '../checks/runs.mjs';
import { PLOT } from './layout.mjs';
import { rowsOf, spansOf, spansOfResource } from './spans.mjs';
import { line, tag, text, title } from './svg.mjs';

/** @typedef {import('../stage.mjs').Stage} Stage */
/** @typedef {import('./layout.mjs').Scale} Scale */
/** @typedef {import('./spans.mjs').Span} Span */

/**
 * @param {Stage} stage
 * @param {Scale} scale
 * @param {number} tiny spans narrower than this are drawn as one shape, without tooltips
 */
export function lanes(stage, scale, tiny) {
  const rows = stage.workers.map((worker) => {
    const y = scale.laneY(worker);
    const spans = spansOf(stage, worker, scale.to);
    return (
      line('lane', PLOT.left, y, laneEnd(stage, worker, scale), y) +
      text('name', PLOT.left - 12, y + 4, stage.nameOf(worker), 'end') +
      bars(spans, scale, { y, height: scale.lane.bar, tiny })
    );
  });
  return (
    sharedLane(scale, stage.act.resource) +
    stacked(spansOfResource(stage), scale, tiny) +
    (stage.act.together === undefined ? '' : runs(stage, scale) + processes(stage, scale)) +
    rows.join('')
  );
}

/** The empty lane of what is shared. @param {Scale} scale @param {string} name */
export function sharedLane(scale, name) {
  const y = scale.resourceY;
  const lane = tag('rect', {
    class: 'resource',
    x: PLOT.left,
    y: y - scale.resourceHeight / 2,
    width: PLOT.right - PLOT.left,
    height: scale.resourceHeight,
    rx: 4,
  });
  return lane + text('name strong', PLOT.left - 12, y + 4, name, 'end');
}

/** A line over the turns that were held on one lease. @param {Stage} stage @param {Scale} scale */
function runs(stage, scale) {
  const y = scale.resourceY - scale.resourceHeight / 2 - 1;
  const drawn = runsOf(stage).map((run) => {
    const [first, last] = [run[0], run.at(-1)];
    if (first === undefined || last === undefined || run.length < 2) {
      return '';
    }
    const from = Math.max(PLOT.left, scale.x(first.held));
    const to = Math.min(PLOT.right, scale.x(last.end));
    const tip = title(`${run.length} turns on one lease, no command between them`);
    const shape = { class: 'run', x: from, y: y - 2, width: to - from, height: 3 };
    return to > from ? tag('rect', shape, tip) : '';
  });
  return drawn.join('');
}

/** Which workers are in one process. @param {Stage} stage @param {Scale} scale */
function processes({ act, workers }, scale) {
  const { together = 1 } = act;
  const firsts = workers.filter((worker) => (worker - 1) % together === 0);
  return firsts
    .map((first, index) => {
      const margin = scale.lane.pitch * 0.42;
      const [top, bottom] = [
        scale.laneY(first) - margin,
        scale.laneY(first + together - 1) + margin,
      ];
      const middle = (top + bottom) / 2;
      const name = {
        class: 'name',
        'text-anchor': 'middle',
        transform: `translate(10 ${middle}) rotate(-90)`,
      };
      return line('process', 16, top, 16, bottom) + tag('text', name, `process ${index + 1}`);
    })
    .join('');
}

/** A lane ends where its worker does. @param {Stage} stage @param {number} worker @param {Scale} scale */
function laneEnd({ events }, worker, scale) {
  const end = ofType(events, 'killed', worker)[0]?.at ?? scale.to;
  return Math.max(PLOT.left, Math.min(scale.x(end), PLOT.right));
}

/**
 * The lane of what is shared: a row for each that holds at the same time.
 * @param {Span[]} spans in the order of their beginning
 * @param {Scale} scale
 * @param {number} tiny
 */
function stacked(spans, scale, tiny) {
  const { resourceY: middle, resourceBar } = scale;
  const rows = rowsOf(spans);
  const height = resourceBar / Math.max(1, rows.length);
  const top = middle - resourceBar / 2;
  const alone = spans.filter((span) => span.alone === true);
  const drawn = rows.map((row, index) =>
    bars(row.spans, scale, { y: top + (index + 0.5) * height, height, tiny }),
  );
  return drawn.join('') + bars(alone, scale, { y: middle, height: resourceBar, tiny });
}

/**
 * @param {Span[]} spans
 * @param {Scale} scale
 * @param {{ y: number, height: number, tiny: number }} row
 */
function bars(spans, scale, { y, height: full, tiny }) {
  /** @type {Map<string, string[]>} */
  const merged = new Map();
  const parts = [];
  for (const span of spans.filter(({ from, to }) => to > scale.from && from < scale.to)) {
    const x = Math.max(PLOT.left, scale.x(span.from));
    const width = Math.min(PLOT.right, scale.x(span.to)) - x;
    const height = span.kind === 'wait' ? scale.lane.wait : full;
    if (width < tiny) {
      const paths = merged.get(span.kind) ?? [];
      merged.set(span.kind, paths);
      const [across, top] = [Math.max(0.3, width).toFixed(2), (y - height / 2).toFixed(1)];
      paths.push(`M${x.toFixed(2)} ${top}h${across}v${height}h-${across}z`);
    } else {
      parts.push(bar(span, { x, y: y - height / 2, width, height }));
    }
  }
  const shapes = [...merged].map(([kind, paths]) =>
    tag(
      'path',
      { class: kind, d: paths.join('') },
      kind === 'wait' ? '' : title(`${paths.length} short turns`),
    ),
  );
  return shapes.join('') + parts.join('');
}

/** @param {Span} span @param {{ x: number, y: number, width: number, height: number }} box */
function bar({ kind, tip, label }, box) {
  const rx = kind === 'wait' ? 0 : Math.min(3, box.width / 3);
  const shape = tag('rect', { class: kind, ...box, rx }, title(tip));
  const wide = (label?.length ?? 0) * 6.4 + 10;
  if (label === undefined || wide > box.width || box.height < 14) {
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
export function handOverLines({ turns }, scale) {
  const seen = turns.filter(({ held }) => held !== undefined && held < scale.to);
  const lines = seen.slice(1).map((turn, index) => {
    const before = seen[index];
    if (before?.end === undefined || turn.held === undefined || before.end < scale.from) {
      return '';
    }
    const [from, to] = [scale.laneY(before.worker), scale.laneY(turn.worker)];
    const isPass = before.holderId !== undefined && before.holderId === turn.holderId;
    return line(
      isPass ? 'hand-over pass' : 'hand-over',
      scale.x(before.end),
      from,
      scale.x(turn.held),
      to,
    );
  });
  return lines.join('');
}
