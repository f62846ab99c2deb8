// @ts-check
// What happens at an instant: the gun, the line, the shot, the cut, the refusal; and the numbers of
// the notes.
import { later, ofType } from '../events.mjs';
import { PLOT } from './layout.mjs';
import { line, tag, text, title } from './svg.mjs';

/** @typedef {import('../stage.mjs').Stage} Stage */
/** @typedef {import('./layout.mjs').Scale} Scale */
/** @typedef {import('./notes.mjs').Note} Note */

/** A flash of lightning about the origin. */
export const BOLT = 'M1.5 -5.5L-3.5 .8H-.3L-1.5 5.5L3.5 -1H.3z';

/**
 * @param {Stage} stage
 * @param {Scale} scale
 * @param {Note[]} notes
 */
export function marks(stage, scale, notes) {
  const { events } = stage;
  const seen = (/** @type {{ at: bigint }} */ { at }) => at > scale.from && at < scale.to;
  const arrivals = ofType(events, 'arrived').map((event) => event.at);
  const finish = arrivals.reduce(later, 0n);
  const parts = [];
  if (seen({ at: scale.zero })) {
    parts.push(flag(scale, scale.zero, 'start gun', 'start'));
  }
  if (seen({ at: finish })) {
    parts.push(flag(scale, finish, 'finish line', 'end'));
  }
  for (const event of events.filter(seen)) {
    const [x, y] = [scale.x(event.at), event.worker === 0 ? 0 : scale.laneY(event.worker)];
    if (event.type === 'killed') {
      parts.push(cross(x, y, event.worker));
      if (x < PLOT.right - 220) {
        parts.push(text('remark', x + 17, y + 4, `killed while ${doing(stage, event)} (SIGKILL)`));
      }
    } else if (event.type === 'cut') {
      parts.push(bolt(x, y, `all connections of worker ${event.worker} were cut here`));
    } else if (event.type === 'write' && event.accepted === false) {
      parts.push(noEntry(x, y, `token ${event.token} of worker ${event.worker} refused`));
    }
  }
  notes.forEach((note, index) => {
    if (seen(note)) {
      parts.push(
        badge(
          scale.x(note.at),
          scale.laneY(note.worker) - scale.lane.bar * 0.75,
          index + 1,
          note.said,
        ),
      );
    }
  });
  return parts.join('');
}

/** @param {Stage} stage @param {import('../events.mjs').DemoEvent} killed */
const doing = ({ turns }, { at, worker }) =>
  turns.some((turn) => turn.worker === worker && turn.end === at && turn.held !== undefined)
    ? 'holding'
    : 'waiting';

/** @param {Scale} scale @param {bigint} at @param {string} label @param {'start' | 'end'} side */
function flag({ x, top, bottom }, at, label, side) {
  const [pole, sign] = [x(at), side === 'start' ? 1 : -1];
  const y = top - 66;
  const cloth = `M${pole} ${y}h${sign * 13}l${sign * -4} 5l${sign * 4} 5h${sign * -13}z`;
  return (
    line('pole', pole, y, pole, bottom) +
    tag('path', { class: 'cloth', d: cloth }) +
    text('flag', pole + sign * 18, y + 9, label, side)
  );
}

/** @param {number} x @param {number} y @param {number} worker */
const cross = (x, y, worker) =>
  tag(
    'g',
    { class: 'killed', transform: `translate(${x.toFixed(1)} ${y})` },
    title(`worker ${worker} was killed here`) +
      tag('circle', { r: 10 }) +
      tag('path', { d: 'M-4 -4L4 4M-4 4L4 -4' }),
  );

/** @param {number} x @param {number} y @param {string} tip */
const noEntry = (x, y, tip) =>
  tag(
    'g',
    { class: 'refused', transform: `translate(${x.toFixed(1)} ${y})` },
    title(tip) +
      tag('circle', { r: 9 }) +
      tag('rect', { x: -5.5, y: -1.8, width: 11, height: 3.6 }),
  );

/** @param {number} x @param {number} y @param {string} tip */
const bolt = (x, y, tip) =>
  tag(
    'g',
    { class: 'cut', transform: `translate(${x.toFixed(1)} ${y})` },
    title(tip) + tag('circle', { r: 8 }) + tag('path', { d: BOLT }),
  );

/** @param {number} x @param {number} y @param {number} number @param {string} tip */
const badge = (x, y, number, tip) =>
  tag(
    'g',
    { class: 'badge', transform: `translate(${x.toFixed(1)} ${y})` },
    title(tip) +
      tag('circle', { r: 7.5 }) +
      tag('text', { y: 3.4, 'text-anchor': 'middle' }, String(number)),
  );
