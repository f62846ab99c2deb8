// @ts-check
// Who waited, who held and what befell them, as a drawing: the lane of what is shared, and a lane for each worker.
import * as Plot from '@observablehq/plot';
import { drawn } from '../bench/lib/charts.mjs';
import { accidentOf, recoveryOf } from './facts.mjs';

/** @typedef {import('./facts.mjs').Scene} Scene */
/** @typedef {import('./history.mjs').Claim} Claim */
/** @typedef {{ from: number, to: number, title: string }} View what part of an act is drawn */
/** @typedef {'wait' | 'hold' | 'read' | 'frozen' | 'lost' | 'orphan'} SpanKind */
/** @typedef {{ kind: SpanKind, from: number, until: number, worker: number, told: string }} Span */
/** @typedef {Span & { y1: number, y2: number }} Bar */

const WIDTH = 1180;
const LANE = 26;
const LEFT = 90;

/** @type {Record<SpanKind, string>} */
export const KINDS = {
  wait: 'waiting',
  hold: 'holding',
  read: 'reading',
  frozen: 'frozen',
  lost: 'lost: the lease is over',
  orphan: 'lease left by the dead',
};

/** What befalls somebody, as a sign and in words. @type {Record<string, [sign: string, said: string]>} */
export const MARKS = {
  kill: ['✕', 'killed'],
  stall: ['❄', 'frozen'],
  cut: ['↯', 'cut off'],
  refused: ['⊘', 'refused by the store'],
};

/** From a while before the accident until all is well again. @param {Scene} scene @returns {View} */
export function accidentView(scene) {
  const { history, act, gunAt } = scene;
  const at = accidentOf(scene)?.from ?? gunAt;
  const ends = history.faults.flatMap(({ until }) => (Number.isFinite(until) ? until : []));
  const back = Math.max(at, recoveryOf(scene)?.from ?? at, ...ends);
  const to = Math.min(back + 400, history.endedAt);
  return { from: at - 400, to, title: `${act.title}: the accident` };
}

/** Some milliseconds of the sprint. @param {Scene} scene @returns {View} */
export function sprintView({ gunAt, events, act }) {
  const end = events.find(({ type }) => type === 'sprinted')?.at ?? gunAt;
  const from = (gunAt + end) / 2;
  return { from, to: from + 25, title: `${act.title}: 25 ms of the sprint` };
}

/** The finish line: all wait for a latch that each of them counts down. @param {Scene} scene @returns {View} */
export const lineView = ({ history: { operations, endedAt } }) => {
  const line = operations.filter(({ object }) => object === 'finish line');
  const from = line.find(({ action }) => action === 'count down')?.calledAt ?? endedAt;
  const to = line.findLast(({ action }) => action === 'wait')?.returnedAt ?? endedAt;
  const count = line.find(({ action }) => action === 'set')?.amount;
  return { from: from - 10, to: to + 10, title: `The finish line: a latch of ${count}` };
};

/** @param {Scene} scene @param {View} view @returns {string} an SVG */
export function picture(scene, view) {
  const { workers, act, gunAt, nameOf } = scene;
  const domain = [view.from - gunAt, view.to - gunAt];
  const bars = [...sharedBars(scene), ...workerBars(scene)]
    .filter(({ from, until }) => until > view.from && from < view.to)
    .map((bar) => drawnBar(scene, view, bar));
  const marks = marksOf(scene)
    .filter(({ at }) => at > view.from && at < view.to)
    .map(({ at, ...mark }) => ({ ...mark, x: at - gunAt }));
  const names = [act.resource, ...workers.map(nameOf)].map((name, y) => ({ name, y }));
  const head = { fontWeight: 'bold', fontSize: 14, textAnchor: /** @type {const} */ ('start') };
  const sign = { x: 'x', y: 'worker', fill: 'var(--mark)', stroke: 'var(--panel)', strokeWidth: 4 };
  const remark = { ...sign, dx: 14, textAnchor: head.textAnchor, fontWeight: 'bold' };
  return drawn({
    width: WIDTH,
    height: LANE * (workers.length + 1) + 78,
    marginLeft: LEFT,
    marginTop: 58,
    marginRight: 30,
    marginBottom: 12,
    ariaLabel: view.title,
    style: { background: 'none', fontSize: '12px', overflow: 'visible' },
    x: { domain, axis: null },
    y: { domain: [-0.5, workers.length + 0.5], reverse: true, axis: null },
    marks: [
      Plot.axisX({ anchor: 'top', label: null, ticks: 8, tickFormat: inMs }),
      Plot.gridX({ ticks: 8 }),
      Plot.text([view.title], { ...head, frameAnchor: 'top-left', dx: 2 - LEFT, dy: -46 }),
      Plot.text(names, { frameAnchor: 'left', y: 'y', text: 'name', dx: -10, textAnchor: 'end' }),
      Plot.rect(bars, {
        x1: 'x1',
        x2: 'x2',
        y1: 'y1',
        y2: 'y2',
        rx: 2,
        fill: 'fill',
        title: 'told',
      }),
      Plot.text(
        bars.filter(({ says }) => says !== ''),
        { x: 'x', y: 'y', text: 'says', fill: 'var(--on)', fontSize: 11 },
      ),
      Plot.text(marks, { ...sign, text: 'sign', fontSize: 20, fontWeight: 'bold', title: 'told' }),
      Plot.text(
        marks.filter(({ says }) => says !== ''),
        { ...remark, text: 'says' },
      ),
    ],
  });
}

/** @param {number} ms */
const inMs = (ms) => `${ms} ms`;

/** What of a bar is seen, and what is written on it where there is room. @param {Scene} scene @param {View} view @param {Bar} bar */
function drawnBar(scene, view, bar) {
  const { kind, told, y1, y2 } = bar;
  const [from, until] = [Math.max(bar.from, view.from), Math.min(bar.until, view.to)];
  const [x1, x2] = [from - scene.gunAt, until - scene.gunAt];
  const width = ((until - from) / (view.to - view.from)) * (WIDTH - LEFT);
  const label = y2 - y1 > 0.5 ? labelOf(scene, bar) : '';
  const says = width > 7 * label.length + 4 ? label : '';
  const fill = `var(--${kind})`;
  return { x1, x2, y1, y2, x: (x1 + x2) / 2, y: (y1 + y2) / 2, fill, told, says };
}

/** What is written on a bar that is wide enough. @param {Scene} scene @param {Bar} bar */
function labelOf({ nameOf }, { kind, worker, y1 }) {
  const isShared = y1 < 0.5;
  const said = kind === 'orphan' ? `the rest of the lease of ${nameOf(worker)}` : String(worker);
  return isShared ? said : kind === 'frozen' ? 'frozen' : kind === 'lost' ? 'lost' : '';
}

/** A hold, and what an accident made of it. @param {Scene} scene @param {Claim} claim @returns {Span[]} */
function spansOf(
  { history: { faults }, nameOf },
  { client: worker, mode, from, until, end, token },
) {
  const hold = mode === 'shared' ? 'read' : 'hold';
  const told = `${nameOf(worker)} held for ${(until - from).toFixed(2)} ms${token === undefined ? '' : `, fencing token ${token}`}`;
  const fault = faults.find(
    (f) => f.what !== 'cut' && f.client === worker && f.from > from && f.from < until,
  );
  if (fault === undefined) {
    return [{ kind: hold, worker, from, until, told }];
  }
  const rest = fault.what === 'kill' ? 'orphan' : 'frozen';
  const lost =
    end === 'lost'
      ? [{ kind: /** @type {const} */ ('lost'), worker, from: until, until: fault.until, told }]
      : [];
  return [
    { kind: hold, worker, from, until: fault.from, told },
    { kind: rest, worker, from: fault.from, until, told },
    ...lost,
  ];
}

/** Whose it was: beside each other where there are several at a time. @param {Scene} scene @returns {Bar[]} */
function sharedBars(scene) {
  /** @type {number[]} the end of the last one in each row */
  const rows = [];
  const placed = scene.history.claims.map((claim) => {
    const free = rows.findIndex((end) => end <= claim.from);
    const row = free === -1 ? rows.length : free;
    rows[row] = claim.until;
    return { claim, row };
  });
  const height = 0.8 / Math.max(1, rows.length);
  return placed.flatMap(({ claim, row }) => {
    const y1 = -0.4 + row * height;
    return spansOf(scene, claim)
      .filter(({ kind }) => kind !== 'lost')
      .map((span) => ({ ...span, y1, y2: y1 + height }));
  });
}

/** @param {Scene} scene @returns {Bar[]} */
function workerBars(scene) {
  const holds = scene.history.claims
    .flatMap((claim) => spansOf(scene, claim))
    .filter(({ kind }) => kind !== 'orphan');
  return [...waitsOf(scene), ...holds].map((span) => {
    const half = span.kind === 'wait' ? 0.1 : 0.36;
    return { ...span, y1: span.worker - half, y2: span.worker + half };
  });
}

/** @param {Scene} scene @returns {Span[]} */
function waitsOf({ history: { operations, faults, endedAt }, nameOf }) {
  const waits = operations.filter(({ waits: isWait }) => isWait);
  return waits.flatMap(({ client: worker, calledAt: from, returnedAt }) => {
    const own = faults.filter((f) => f.client === worker && f.from > from && f.from < returnedAt);
    const dead = own.find(({ what }) => what === 'kill')?.from ?? endedAt;
    const until = Math.min(returnedAt, dead);
    const told = `${nameOf(worker)} waited for ${(until - from).toFixed(2)} ms`;
    const stall = own.find(({ what }) => what === 'stall');
    /** @type {Span[]} */
    const spans = [{ kind: 'wait', worker, from, until, told }];
    return stall === undefined
      ? spans
      : [...spans, { kind: 'frozen', worker, from: stall.from, until: stall.until, told }];
  });
}

/** @param {Scene} scene */
function marksOf({ history: { faults, claims, fencedStore }, nameOf }) {
  const refused = fencedStore.writes.filter(({ isAccepted }) => !isAccepted);
  const all = [
    ...faults.map(({ what, from: at, client: worker = 0 }) => ({ what, at, worker })),
    ...refused.map(({ wroteAt: at, client: worker }) => ({ what: 'refused', at, worker })),
  ];
  return all.map(({ what, at, worker }) => {
    const [sign = '', said] = MARKS[what] ?? [];
    const isHolding = claims.some((c) => c.client === worker && c.from < at && c.until > at);
    const how = `killed while ${isHolding ? 'holding' : 'waiting'} (SIGKILL)`;
    return {
      at,
      worker,
      sign,
      told: `${nameOf(worker)}: ${said}`,
      says: what === 'kill' ? how : '',
    };
  });
}
