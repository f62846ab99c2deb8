// @ts-check
// What failovers have cost: a table for people, and one for docs/guarantees.md.

import Table from 'cli-table3';

/** @typedef {import('./run.mjs').Result} Result */

const HEAD = [
  'topology',
  'kill',
  'replicas',
  'runs',
  'grants',
  'held',
  'lost',
  'in runs',
  'two owners',
  'renewed',
  'fixed',
];

const MARKS = /(<!-- failovers -->\n)[\s\S]*?(<!-- \/failovers -->)/;

/** @param {number[]} numbers */
const sum = (numbers) => numbers.reduce((all, each) => all + each, 0);

/** @param {import('./count.mjs').Overlap[]} overlaps */
function longest(overlaps) {
  const ms = Math.max(0, ...overlaps.map((overlap) => overlap.ms));
  return overlaps.length === 0 ? '' : `${ms.toFixed(ms < 10 ? 1 : 0)} ms`;
}

/** @param {Result[]} results those of one kind */
function rowOf(results) {
  const [{ topology, shape, replicas }] = /** @type {[Result]} */ (results);
  const counts = results.flatMap(({ count }) => (count === undefined ? [] : [count]));
  const overlaps = counts.flatMap((count) => count.overlaps);
  const numbers = [
    counts.length,
    sum(counts.map(({ grants }) => grants)),
    sum(counts.map(({ held }) => held)),
    sum(counts.map(({ lost }) => lost)),
    counts.filter(({ lost }) => lost > 0).length,
    overlaps.length,
  ];
  const worst = [false, true].map((isFixed) =>
    longest(overlaps.filter(({ first }) => (first.isFixed === true) === isFixed)),
  );
  return [topology, shape, replicas ? '1' : 'no', ...numbers.map(String), ...worst];
}

/** @param {Result[]} results */
function rowsOf(results) {
  /** @type {Map<string, Result[]>} */
  const kinds = new Map();
  for (const result of results) {
    const kind = `${result.topology} ${result.shape} ${result.replicas}`;
    kinds.set(kind, [...(kinds.get(kind) ?? []), result]);
  }
  return [...kinds.values()].map(rowOf);
}

/** @param {Result[]} results */
export function report(results) {
  const colAligns = HEAD.map((_, column) => (column < 3 ? 'left' : 'right'));
  const table = new Table({ head: HEAD, colAligns, style: { head: ['bold'], border: ['dim'] } });
  table.push(...rowsOf(results));
  return table.toString();
}

/**
 * The text with the table between its marks.
 *
 * @param {string} text
 * @param {Result[]} results
 * @param {string} command with which it was made
 */
export function withTable(text, results, command) {
  if (!MARKS.test(text)) {
    throw new Error('the text has no marks for the table of failovers');
  }
  const rows = rowsOf(results);
  const widths = HEAD.map((head, column) =>
    Math.max(3, ...[head, ...rows.map((row) => row[column] ?? '')].map((cell) => cell.length)),
  );
  const lines = [HEAD, widths.map((width) => '-'.repeat(width)), ...rows].map(
    (row) => `| ${row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(' | ')} |`,
  );
  const table = `\n\`${command}\`:\n\n${lines.join('\n')}\n\n`;
  return text.replace(MARKS, (_, start, end) => `${start}${table}${end}`);
}
