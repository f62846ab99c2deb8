// @ts-check
// The table, the page and the JSON file.
import { availableParallelism } from 'node:os';
import { styleText } from 'node:util';
import Table from 'cli-table3';

/**
 * @typedef {object} Target
 * @property {'<=' | '>=' | '<' | '='} is
 * @property {number} limit
 *
 * @typedef {object} Row
 * @property {string} figure
 * @property {Target} [target] none: the figure only informs
 * @property {number} value what the target is about
 * @property {string} measured the value in words
 * @property {object} [details] for the JSON file
 *
 * @typedef {object} Outcome
 * @property {Row[]} rows
 * @property {boolean} quick
 * @property {boolean} isOfPeers other libraries beside redlatch
 * @property {string} server
 * @property {number} ms
 */

/**
 * @param {Row} row
 * @returns {'pass' | 'miss' | '-'}
 */
export function verdictOf({ target, value }) {
  if (target === undefined) {
    return '-';
  }
  const { is, limit } = target;
  const met = {
    '<=': value <= limit,
    '>=': value >= limit,
    '<': value < limit,
    '=': value === limit,
  };
  return met[is] ? 'pass' : 'miss';
}

/**
 * @param {string} figure
 * @param {import('./stats.mjs').Ratio} ratio
 * @param {(value: number) => string} show the figure itself, ours and bare
 * @param {Target} [target]
 * @returns {Row}
 */
export function ratioRow(figure, ratio, show, target) {
  const [middle, low, high] = [ratio.median, ratio.low, ratio.high].map((each) => each.toFixed(2));
  const sides = `${show(ratio.ours)} / ${show(ratio.bare)}`;
  const row = { figure, value: ratio.median, details: ratio };
  const measured = `${middle} (${low} to ${high}): ${sides}`;
  return target === undefined ? { ...row, measured } : { ...row, measured, target };
}

/** @param {number} value */
export function us(value) {
  return `${value.toFixed(0)} us`;
}

/** @param {Row} row */
function cells(row) {
  const verdict = verdictOf(row);
  const style = /** @type {const} */ ({ pass: 'green', miss: 'red', '-': 'dim' })[verdict];
  const target = row.target === undefined ? '' : `${row.target.is} ${row.target.limit}`;
  return [row.figure, target, row.measured, styleText(style, verdict)];
}

/** Where and how long it ran.
 * @param {Outcome} outcome */
export function setting({ quick, server, ms }) {
  const length = `${quick ? 'quick run, ' : ''}${(ms / 1_000).toFixed(0)} s`;
  return `node ${process.version}, ${server}, ${availableParallelism()} cores, ${length}`;
}

/** @param {Outcome} outcome */
export function report(outcome) {
  const table = new Table({
    head: ['figure', 'target', 'measured', ''],
    style: { head: ['bold'], border: ['dim'] },
  });
  table.push(...outcome.rows.map(cells));
  const legend = 'Ratios are redlatch by bare ioredis: median (quartiles): redlatch / bare\n';
  const below = `${outcome.isOfPeers ? '' : legend}${setting(outcome)}`;
  return `${table.toString()}\n${styleText('dim', below)}`;
}

/** @param {Row} row */
function lines(row) {
  const { is, limit } = row.target ?? {};
  const words = {
    pass: `target ${is} ${limit}, met`,
    miss: `target ${is} ${limit}, missed`,
    '-': '',
  };
  const judged = words[verdictOf(row)];
  return `- ${row.figure}\n  - ${row.measured}${judged && `; ${judged}`}`;
}

const HEAD = `# Figures

Written by \`npm run bench -- --page docs/figures.md\`. A ratio is redlatch by a bare driver that sends the same
scripts, interleaved in one run: the median (and the quartiles), then the two figures themselves.`;

const HEAD_OF_PEERS = `# Beside other libraries

Written by \`npm run bench -- --peers --page docs/peers.md\`. Each library has processes of its own, with its default
settings, except that it waits for as long as it takes, and that the connections of a quorum of redlock have no
offline queue (with one, each of its locks waits for a dead server until the driver gives up); all take turns in one run, and the figures are medians of
those turns. "SET NX and script" is the pair of commands that one would write by hand: \`SET NX PX\`, and a script
that deletes the key if it is still one's own. It neither waits nor renews. "ours", "direct", "fair" and "permits" are
redlatch: a lock, a lock, a fair lock and a permit-expirable semaphore. "queue" is a strict queue in Lua without
leases, and "polling" sends SET NX until it succeeds. Redisson has a thread for each waiter. "overlaps" counts how
often one had the lock before another one had let it go.`;

/** A page of Markdown.
 * @param {Outcome} outcome */
export function reportPage(outcome) {
  return `${outcome.isOfPeers ? HEAD_OF_PEERS : HEAD}

${setting(outcome)}.

${outcome.rows.map(lines).join('\n')}
`;
}

/** @param {Outcome} outcome */
export function reportJson(outcome) {
  const rows = outcome.rows.map((row) => ({ ...row, verdict: verdictOf(row) }));
  return `${JSON.stringify({ setting: setting(outcome), quick: outcome.quick, rows }, null, 2)}\n`;
}
