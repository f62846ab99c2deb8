// @ts-check
// What is left when the demo is over: one self-contained HTML file without scripts, fonts or requests; one picture
// that stands alone; and a few lines on the terminal.
import { styleText } from 'node:util';
import { quantile } from 'd3-array';
import Table from 'cli-table3';
import { accidentOf, recoveryMs } from './facts.mjs';
import { accidentView, KINDS, lineView, MARKS, picture, sprintView } from './picture.mjs';

/** @typedef {import('./facts.mjs').Scene} Scene */
/** @typedef {import('./facts.mjs').Finding} Finding */
/** @typedef {{ scene: Scene, findings: Finding[] }} Played */
/** @typedef {{ acts: Played[], server: string, playedAt: Date }} Result */

/** @param {string} text */
const escape = (text) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');

/** @param {Result} result */
export const isGood = ({ acts }) => acts.every(({ findings }) => findings.every(({ ok }) => ok));

const COLUMNS = ['primitive', 'held', 'wait p50', 'wait p99', 'back after accident', 'violations'];

/** @param {Played} played @returns {string[]} a row of the table */
function figuresOf({ scene, findings }) {
  const { operations, claims } = scene.history;
  const granted = operations.filter((o) => o.action === 'acquire' && o.outcome === 'ok');
  const waits = granted.map(({ calledAt, returnedAt }) => returnedAt - calledAt);
  const times = [quantile(waits, 0.5), quantile(waits, 0.99), recoveryMs(scene)].map((ms) =>
    ms === undefined || Number.isNaN(ms) ? '–' : `${ms.toFixed(ms < 100 ? 1 : 0)} ms`,
  );
  const bad = findings.filter(({ ok }) => !ok).length;
  return [scene.act.title, String(claims.length), ...times, String(bad)];
}

/** @param {Scene} scene what befell whom, and how it went on */
function tollOf(scene) {
  const accident = accidentOf(scene);
  const told = scene.history.faults.map(({ client = 0, what }) => {
    const [, befallen] = MARKS[what] ?? [];
    return `${scene.nameOf(client)} is ${befallen}`;
  });
  const after = accident === undefined ? 'nothing' : `${recoveryMs(scene).toFixed(0)} ms later`;
  return `${told.join(', ')}; ${scene.act.recovered} ${after}.`;
}

/** The end of the demo on the terminal: what was shown, and a table. @param {Result} result */
export function report({ acts }) {
  const table = new Table({
    head: COLUMNS,
    colAligns: COLUMNS.map((_, index) => (index === 0 ? 'left' : 'right')),
    style: { head: [], border: styleText('gray', 'x') === 'x' ? [] : ['gray'], compact: true },
  });
  table.push(...acts.map(figuresOf));
  const groups = acts.map(({ scene, findings }) =>
    [styleText('bold', scene.act.title), ...findings.map(line)].join('\n'),
  );
  return [...groups, table.toString()].join('\n\n');
}

/** @param {Finding} finding */
const line = ({ ok, said }) =>
  ok ? `  ${styleText('green', '✓')} ${said}` : styleText('red', `  ✗ ${said}`);

/** @param {Result} result */
export function timelinePage(result) {
  const { acts, server, playedAt } = result;
  const workers = acts.reduce((sum, { scene }) => sum + scene.workers.length, 0);
  const [first] = acts;
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>redlatch: who waited, held, was killed or frozen</title><style>${STYLE}</style></head><body>
<h1>Who waited, who held, who was killed</h1>
<p>${workers} real processes and one ${escape(server)}. Every bar is a worker that waits for its turn or has it, drawn
from what the workers themselves recorded; the checkers of the simulation judge the same record. Times are ms after the
start gun. Hover over a bar for its story.</p>
<p class="${isGood(result) ? 'good' : 'bad'}">${isGood(result) ? 'Nothing was violated.' : 'Something was violated: see the ✗ below.'}</p>
<p class="legend">${Object.entries(KINDS)
    .map(([kind, name]) => `<span><i style="background:var(--${kind})"></i>${name}</span>`)
    .join('')}${Object.values(MARKS)
    .map((mark) => `<span>${mark.join(' ')}</span>`)
    .join('')}</p>
${acts.map(section).join('\n')}
${
  first === undefined
    ? ''
    : `<section><h2>Count-down latch</h2><p>The workers of each act start and end with a latch. This is the end of the first act: each counts down, and waits for the others.</p>
<figure>${picture(first.scene, lineView(first.scene))}</figure></section>`
}
<p>Drawn by <code>npm run demo</code> on ${playedAt.toISOString().slice(0, 16).replace('T', ' ')} UTC.</p>
</body></html>
`;
}

/** @param {Played} played */
const section = ({ scene, findings }) => `<section><h2>${escape(scene.act.title)}</h2>
<p>${escape(scene.act.story)} Here ${escape(tollOf(scene))}</p>
<figure>${picture(scene, accidentView(scene))}${picture(scene, sprintView(scene))}</figure>
<ul>${findings.map(({ ok, said }) => `<li${ok ? '>✓' : ' class="bad">✗'} ${escape(said)}</li>`).join('')}</ul></section>`;

/** A picture of one accident and of how the others went on: an SVG that stands alone. @param {Scene} scene */
export function still(scene) {
  const drawing = picture(scene, accidentView(scene)).replaceAll(/<title>[^<]*<\/title>/g, '');
  const [, width = '0', height = '0'] = /viewBox="0 0 (\d+) (\d+)"/.exec(drawing) ?? [];
  const told = escape(tollOf(scene));
  const size = Number(height) + 30;
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${size}" role="img" aria-label="${told}"><style>${COLOURS}</style>
<rect width="${width}" height="${size}" style="fill:var(--panel)" rx="12"/>${drawing}
<text x="90" y="${size - 12}" fill="currentColor">${told}</text></svg>
`;
}

const COLOURS = `
:root { color-scheme: light dark; --panel: #fff; --ink: #1d2126; --wait: #b9c3cf; --hold: #56b4e9; --read: #59b8a0;
  --frozen: #e69f00; --lost: #d4a5c1; --orphan: #f0b08c; --mark: #c84b00; --good: #00795a; --on: #1d2126; }
@media (prefers-color-scheme: dark) { :root { --panel: #191d24; --ink: #e9ecf0; --wait: #48525f; --hold: #56b4e9;
  --read: #2f9e82; --frozen: #f0b53a; --lost: #b0698f; --orphan: #a5562b; --mark: #ff8142; --good: #3fd0a4; } }
svg { font: 12px system-ui, sans-serif; color: var(--ink) }
`;

const STYLE = `${COLOURS}
body { font: 15px/1.5 system-ui, sans-serif; color: var(--ink); background: var(--panel); max-width: 1240px; margin: 2rem auto; padding: 0 1rem }
figure { margin: 0; overflow-x: auto } svg { display: block; margin-bottom: 1rem }
section { border-top: 1px solid var(--wait); margin-top: 1.5rem } ul { list-style: none; padding: 0; columns: 2 28rem }
.legend span { margin-right: 1.4rem; white-space: nowrap } .legend i { display: inline-block; width: 1.6rem; height: .8rem; margin-right: .4rem }
.good { color: var(--good); font-weight: bold } .bad { color: var(--mark); font-weight: bold }
`;
