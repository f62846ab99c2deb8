// @ts-check
// One HTML page of charts: redlatch beside other libraries.
import * as Plot from '@observablehq/plot';
import { parseHTML } from 'linkedom';

/**
 * Locks that nobody else wants: figures by those of the pair of commands that one would write by hand.
 * @typedef {{ side: string, loops: number, p50: number, cpu: number, rate: number }} Uncontended
 *
 * One lock that everybody wants.
 * @typedef {object} Contended
 * @property {string} contender
 * @property {number} processes
 * @property {number} tasks
 * @property {number} holdMs
 * @property {number} perSecond
 * @property {number} longestMs
 * @property {string} what
 *
 * One bar of a chart that says itself what it shows.
 * @typedef {object} Bar
 * @property {{ title: string, hint: string, label: string, isLessBetter: boolean }} chart
 * @property {string} name
 * @property {number} amount
 */

const OURS = new Set(['ours', 'direct', 'fair', 'permits']);
const NAMES = new Map([
  ['ours', 'redlatch'],
  ['direct', 'redlatch'],
  ['fair', 'redlatch, fair'],
  ['permits', 'redlatch, permits'],
  ['queue', 'Lua queue'],
]);

/** @param {string} id */
const nameOf = (id) => NAMES.get(id) ?? id;

/** @param {string} id */
const colorOf = (id) => (OURS.has(id) ? 'var(--ours)' : 'var(--other)');

/**
 * An SVG drawing. Plot needs a document to make its elements.
 * @param {Plot.PlotOptions} options
 * @returns {string}
 */
export function drawn(options) {
  const window = /** @type {{ document: object }} */ (
    /** @type {unknown} */ (parseHTML('<!doctype html><html><body></body></html>'))
  );
  return String(Plot.plot({ ...options, document: window.document }));
}

/**
 * Horizontal bars, the best one first.
 * @template T
 * @param {readonly T[]} rows
 * @param {object} options
 * @param {(row: T) => string} options.id
 * @param {(row: T) => number} options.value
 * @param {string} options.label of the axis
 * @param {boolean} options.isLog
 * @param {boolean} [options.isLessBetter]
 * @param {number} [options.rule] a line to compare with
 * @returns {string}
 */
function bars(rows, { id, value, label, isLog, isLessBetter = false, rule }) {
  const data = rows.map((row) => ({
    name: nameOf(id(row)),
    value: value(row),
    text: numberOf(value(row)),
    color: colorOf(id(row)),
  }));
  const least = Math.min(...data.map((each) => each.value));
  // Below the least, so that each has a bar.
  const start = isLog ? 10 ** (Math.ceil(Math.log10(least)) - 1) : 0;
  return drawn({
    width: 640,
    height: 76 + 26 * data.length,
    marginBottom: 46,
    marginLeft: 130,
    marginRight: 60,
    style: { background: 'none', fontSize: '12px', overflow: 'visible' },
    x: {
      label,
      labelOffset: 38,
      type: isLog ? 'log' : 'linear',
      grid: true,
      ticks: 5,
      ...(isLog ? { tickFormat: (/** @type {number} */ tick) => compact.format(tick) } : {}),
    },
    y: { label: null },
    marks: [
      Plot.barX(data, {
        x1: start,
        x2: 'value',
        y: 'name',
        fill: 'color',
        sort: { y: 'x2', reverse: !isLessBetter },
      }),
      Plot.text(data, {
        x: 'value',
        y: 'name',
        text: 'text',
        textAnchor: 'start',
        dx: 4,
        fill: 'currentColor',
      }),
      ...(rule === undefined
        ? []
        : [Plot.ruleX([rule], { stroke: 'currentColor', strokeDasharray: '3,3' })]),
    ],
  });
}

const compact = new Intl.NumberFormat('en', { notation: 'compact' });

/** @param {number} value */
function numberOf(value) {
  return value < 10 ? value.toFixed(2) : Math.round(value).toLocaleString('en');
}

/** @param {Uncontended} row */
const sideOf = ({ side }) => side;

/** @param {Contended} row */
const contenderOf = ({ contender }) => contender;

/** @param {readonly Uncontended[]} rows */
function uncontendedCharts(rows) {
  return [...new Set(rows.map(({ loops }) => loops))].flatMap((loops) => {
    const these = rows.filter((row) => row.loops === loops);
    const title =
      loops === 1 ? 'One lock at a time' : `${loops.toLocaleString('en')} locks in flight`;
    return [
      section(
        `${title}: CPU of the client`,
        'Less is better; 1 is the pair of commands written by hand.',
        bars(these, {
          id: sideOf,
          value: ({ cpu }) => cpu,
          label: 'by the pair',
          isLog: false,
          isLessBetter: true,
          rule: 1,
        }),
      ),
      section(
        `${title}: acquisitions a second`,
        'More is better; 1 is the pair of commands written by hand.',
        bars(these, {
          id: sideOf,
          value: ({ rate }) => rate,
          label: 'by the pair',
          isLog: false,
          rule: 1,
        }),
      ),
    ];
  });
}

/** @param {Contended} row */
const shapeOf = ({ what, processes, tasks, holdMs }) =>
  `${what.charAt(0).toUpperCase()}${what.slice(1)}, ${tasks} ${tasks === 1 ? 'waiter' : 'waiters'} in ${processes === 1 ? '1 process' : `each of ${processes} processes`}` +
  (holdMs === 0 ? '' : `, sections of ${holdMs} ms`);

/** @param {readonly Contended[]} rows */
function contendedCharts(rows) {
  return [...new Set(rows.map(shapeOf))].flatMap((shape) => {
    const these = rows.filter((row) => shapeOf(row) === shape);
    const isLog =
      Math.max(...these.map((row) => row.perSecond)) >
      20 * Math.min(...these.map((row) => row.perSecond));
    return [
      section(
        `${shape}: acquisitions a second`,
        `More is better${isLog ? '; the axis is logarithmic' : ''}.`,
        bars(these, {
          id: contenderOf,
          value: ({ perSecond }) => perSecond,
          label: 'a second',
          isLog,
        }),
      ),
      section(
        `${shape}: longest wait`,
        'Less is better; the axis is logarithmic.',
        bars(these, {
          id: contenderOf,
          value: ({ longestMs }) => longestMs,
          label: 'ms',
          isLog: true,
          isLessBetter: true,
        }),
      ),
    ];
  });
}

/** @param {readonly Bar[]} all */
function barCharts(all) {
  return [...new Set(all.map(({ chart }) => chart.title))].flatMap((title) => {
    const these = all.filter(({ chart }) => chart.title === title);
    const [first] = these;
    if (first === undefined) {
      return [];
    }
    const { hint, label, isLessBetter } = first.chart;
    const amounts = these.map(({ amount }) => amount);
    const isLog = Math.max(...amounts) > 20 * Math.min(...amounts);
    const said = isLog ? `${hint} The axis is logarithmic.` : hint;
    return [
      section(
        title,
        said,
        bars(these, {
          id: ({ name }) => name,
          value: ({ amount }) => amount,
          label,
          isLog,
          isLessBetter,
        }),
      ),
    ];
  });
}

/**
 * @param {string} title
 * @param {string} hint
 * @param {string} chart
 */
function section(title, hint, chart) {
  return `<figure><figcaption><b>${title}</b><br>${hint}</figcaption>${chart}</figure>`;
}

const STYLE = `
:root { color-scheme: light dark; --ours: light-dark(#0b6e4f, #3ecf8e); --other: light-dark(#b8bec6, #565d66); }
body { font: 15px/1.5 system-ui, sans-serif; max-width: 1400px; margin: 2rem auto; padding: 0 1rem; }
main { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(100%, 640px), 1fr)); gap: 1.5rem; }
figure { margin: 0; overflow-x: auto; }
figcaption { margin-bottom: .5rem; }
svg { max-width: 100%; height: auto; }
`;

/**
 * @param {import('./report.mjs').Outcome} outcome of other libraries beside redlatch
 * @param {string} setting
 */
export function reportCharts({ rows }, setting) {
  const details = rows.map((row) => row.details ?? {});
  const uncontended = /** @type {Uncontended[]} */ (details.filter((each) => 'side' in each));
  const contended = /** @type {Contended[]} */ (details.filter((each) => 'contender' in each));
  const other = /** @type {Bar[]} */ (details.filter((each) => 'chart' in each));
  const charts = [
    ...uncontendedCharts(uncontended),
    ...contendedCharts(contended),
    ...barCharts(other),
  ];
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>redlatch beside other libraries</title><style>${STYLE}</style></head><body>
<h1>redlatch beside other libraries</h1>
<p>Medians of one run in which all took turns: ${setting}. The pair of commands is <code>SET NX PX</code> and a
script that deletes the key. docs/performance.md says how it is measured.</p>
<main>${charts.join('\n')}</main>
</body></html>
`;
}
