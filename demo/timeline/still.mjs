// @ts-check
// A picture of one accident and of how the others went on: an SVG that stands alone.
import { accidentOf } from '../checks/accidents.mjs';
import { earlier, later } from '../events.mjs';
import { axis } from './chart.mjs';
import { lanes } from './lanes.mjs';
import { PLOT, scaleOf, WIDTH } from './layout.mjs';
import { marks } from './marks.mjs';
import { rowsOf, spansOfResource } from './spans.mjs';
import { colours, drawing, patternDefs } from './style.mjs';
import { tag, text } from './svg.mjs';

/** So much is seen before the accident, and after the recovery. */
const BEFORE = 400_000_000n;
const AFTER = 500_000_000n;
const MARGIN = 20_000_000n;

const LINE_HEIGHT = 22;

/** @param {import('../stage.mjs').Stage} stage @returns {string} */
export function still(stage) {
  const { events, workers, gunAt: zero, act } = stage;
  const accident = accidentOf(events);
  const recovery = act.recovery(stage);
  if (accident === undefined || recovery === undefined) {
    throw new Error(`nothing has happened in the act ${act.id} that a picture could show`);
  }
  const rows = rowsOf(spansOfResource(stage)).length;
  const last = events.map(({ at }) => at).reduce(later, zero) + MARGIN;
  const [from, to] = [accident.at - BEFORE, earlier(recovery.held + AFTER, last)];
  const scale = scaleOf({ zero, workers: workers.length, rows, from, to, top: 74 });
  const notes = act.notes(stage);
  const height = scale.bottom + 16 + LINE_HEIGHT * notes.length;
  const said = notes.map((note, i) =>
    text('name', PLOT.left, scale.bottom + 24 + LINE_HEIGHT * i, `${i + 1}  ${note.said}`),
  );
  const title = `${act.title}: ${workers.length} workers`;
  const parts = [
    tag('style', {}, colours + drawing),
    patternDefs,
    tag('rect', { width: WIDTH, height, style: 'fill:var(--panel)', rx: 12 }),
    text('name strong', PLOT.left, 24, title),
    axis(scale),
    lanes(stage, scale, 1.4),
    marks(stage, scale, notes),
    ...said,
  ];
  const frame = {
    xmlns: 'http://www.w3.org/2000/svg',
    viewBox: `0 0 ${WIDTH} ${height}`,
    role: 'img',
    'aria-label': `${title}. ${notes.map((note) => note.said).join(' ')}`,
  };
  // Nobody hovers over a picture.
  return `${tag('svg', frame, parts.join('\n').replaceAll(/<title>[^<]*<\/title>/g, ''))}\n`;
}
