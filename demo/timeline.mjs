// @ts-check
// The page: one self-contained HTML file, drawn from what was recorded. No scripts, no fonts, no
// requests.
import { ofType } from './events.mjs';
import { columns, findingsOf, footnotes, rowsOf } from './report.mjs';
import { chart } from './timeline/chart.mjs';
import { latchChart } from './timeline/latch.mjs';
import { BOLT } from './timeline/marks.mjs';
import { patterns, style } from './timeline/style.mjs';
import { escape, tag, thousands } from './timeline/svg.mjs';

/** @typedef {import('./report.mjs').Result} Result */
/** @typedef {import('./checks/finding.mjs').Finding} Finding */

const LOGO =
  '<svg viewBox="0 0 24 24" fill="none" stroke="currentColor" stroke-width="2" aria-hidden="true">' +
  '<rect x="4" y="10.5" width="16" height="10.5" rx="2.5"/><path d="M8 10.5V7a4 4 0 0 1 8 0v3.5"/>' +
  '<circle cx="12" cy="15" r="1.3"/><path d="M12 16v2"/></svg>';

const LEGEND = [
  ['waiting', '<rect class="wait" y="7.5" width="28" height="5"/>'],
  ['holding', '<rect class="hold" width="28" height="19" rx="3"/>'],
  ['on one lease, no command', '<rect class="run" y="8" width="28" height="3"/>'],
  ['reading', '<rect class="read" width="28" height="19" rx="3"/>'],
  ['frozen', '<rect class="paused" x=".5" y=".5" width="27" height="18" rx="3"/>'],
  ['lost: the lease is over', '<rect class="lost" x=".5" y=".5" width="27" height="18" rx="3"/>'],
  [
    'killed',
    '<g class="killed" transform="translate(14 10)"><circle r="9"/><path d="M-4 -4L4 4M-4 4L4 -4"/></g>',
  ],
  ['lease left by the dead', '<rect class="orphan" x=".5" y=".5" width="27" height="18" rx="3"/>'],
  [
    'connections cut',
    `<g class="cut" transform="translate(14 10)"><circle r="9"/><path d="${BOLT}"/></g>`,
  ],
  [
    'token refused',
    '<g class="refused" transform="translate(14 10)"><circle r="9"/><rect x="-5.5" y="-1.8" width="11" height="3.6"/></g>',
  ],
];

/** @param {Result} result */
export function timelinePage(result) {
  const body = [
    patterns,
    '<main>',
    header(result),
    legend(),
    ...result.acts.map(section),
    latches(result),
    table(result),
    footer(result),
    '</main>',
  ];
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>redlatch: who waited, held, was killed or frozen</title>
<style>${style}</style></head>
<body>
${body.join('\n')}
</body></html>
`;
}

/** @param {Result} result */
function header(result) {
  const processes = result.acts.reduce(
    (sum, { stage }) => sum + stage.workers.length / (stage.act.together ?? 1),
    0,
  );
  const holds = result.acts.reduce((sum, { figures }) => sum + figures.acquisitions, 0);
  const violations = findingsOf(result).filter((finding) => !finding.ok).length;
  const mood = violations === 0 ? 'good' : 'bad';
  return `<header><div>
<div class="brand">${LOGO} redlatch</div>
<h1>Who waited, who held, who was killed</h1>
<p>${processes} real processes and one ${escape(result.server)}. Every bar below is a worker that waits for its turn
or has it, drawn from what the workers themselves recorded. ${escape(toll(result))} The rest went on.</p>
</div><div class="hero">
<div><b>${thousands(holds)}</b><span>times held</span></div>
<div class="${mood}"><b>${violations}</b><span>violations</span></div>
</div></header>`;
}

/** How many were killed, frozen and cut off. @param {Result} result */
function toll({ acts }) {
  const events = acts.flatMap(({ stage }) => stage.events);
  const [killed, frozen, cut] = ['killed', 'paused', 'cut'].map((t) => ofType(events, t).length);
  return `${killed} were killed, ${frozen} were frozen, and ${cut} lost all their connections.`;
}

/** @param {Result} result */
function table(result) {
  const head = columns.map((column) => tag('th', {}, escape(column.head))).join('');
  const rows = rowsOf(result).map((row) =>
    tag('tr', {}, columns.map((column) => `<td>${escape(column.cell(row))}</td>`).join('')),
  );
  const notes = footnotes(result).map(escape).join('<br>');
  return `<div class="panel"><h2>In figures</h2><div class="scroll table"><table><tr>${head}</tr>${rows.join('')}</table></div><small>${notes}</small></div>`;
}

function legend() {
  const items = LEGEND.map(
    ([name, shape]) => `<li><svg viewBox="0 0 28 20">${shape}</svg>${name}</li>`,
  );
  return `<ul class="legend">${items.join('')}</ul>`;
}

/** @param {Result['acts'][number]} act */
function section({ stage, findings }) {
  const { svg, notes } = chart(stage);
  const told = notes.map((note) => tag('li', {}, escape(note))).join('');
  return `<section><h2>${escape(stage.act.title)}</h2><p>${escape(stage.act.story)}</p>
<div class="chart scroll">${svg}</div>
<div class="facts"><ol>${told}</ol>${proofs(findings)}</div></section>`;
}

/** @param {Result} result */
const latches = ({ acts: [first], latches: { findings } }) =>
  `<section><h2>Count-down latch</h2>
<p>The start gun and the finish line of each act are latches: a gun of one for which all workers wait, a line that everyone left counts down. These are those of the first act.</p>
<div class="chart scroll">${first === undefined ? '' : latchChart(first.stage)}</div>
<div class="facts">${proofs(findings)}</div></section>`;

/** @param {Finding[]} findings */
const proofs = (findings) =>
  `<ul class="proofs">${findings
    .map(({ ok, said }) => tag('li', ok ? {} : { class: 'violated' }, escape(said)))
    .join('')}</ul>`;

/** @param {Result} result */
const footer = ({ playedAt }) =>
  `<footer>Drawn by <code>npm run demo</code> on ${playedAt.toISOString().slice(0, 16).replace('T', ' ')} UTC.
Times are ms after the start gun, from the one monotonic clock that all processes of a machine share. Hover a bar for its story.</footer>`;
