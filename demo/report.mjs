// @ts-check
// The end of the demo on the terminal: one table, and what was proven.
import Table from 'cli-table3';
import pc from 'picocolors';

/** @typedef {import('./figures.mjs').Figures} Figures */
/** @typedef {import('./checks/finding.mjs').Finding} Finding */

/**
 * The result of a run.
 * @typedef {object} Result
 * @property {{ stage: import('./stage.mjs').Stage, findings: Finding[], figures: Figures }[]} acts
 * @property {{ findings: Finding[], figures: Figures }} latches
 * @property {string} server such as "Redis 7.0.15"
 * @property {number} leaseMs
 * @property {Date} playedAt
 */

/** @typedef {{ head: string, cell: (row: Figures) => string }} Column */

const DASH = '–';

/** @param {number} value @param {(value: number) => string} show */
const or = (value, show) => (Number.isNaN(value) ? DASH : show(value));

/** @param {number} ms */
const milliseconds = (ms) => `${ms < 100 ? ms.toFixed(1) : ms.toFixed(0)} ms`;

/** The columns of the table, here and on the timeline page. @type {Column[]} */
export const columns = [
  { head: 'primitive', cell: (row) => row.name },
  { head: 'acquisitions', cell: (row) => String(row.acquisitions) },
  { head: 'per second', cell: (row) => or(row.perSecond, (value) => value.toFixed(0)) },
  { head: 'wait p50', cell: (row) => or(row.waitP50Ms, milliseconds) },
  { head: 'wait p99', cell: (row) => or(row.waitP99Ms, milliseconds) },
  { head: 'commands each', cell: (row) => or(row.commands, (value) => value.toFixed(2)) },
  { head: 'back after accident', cell: (row) => or(row.recoveryMs, milliseconds) },
  { head: 'violations', cell: (row) => String(row.violations) },
];

/** What the columns mean. @param {Result} result */
export const footnotes = ({ leaseMs }) => [
  'Rates, waits and commands are those of the sprint, where a turn is as short as it can be; ' +
    'commands are the EVAL and EVALSHA calls that the workers sent.',
  `Back after accident: from the accident until it was overcome; the lease is ${leaseMs} ms, and a ` +
    'waiter loses its place 4 s after it was last heard of.',
  'Latch: passes of the start gun and the finish line, timed from the shot and the last arrival.',
];

/** @param {Result} result */
export const rowsOf = ({ acts, latches }) => [...acts.map((act) => act.figures), latches.figures];

/** @param {Result} result */
export const findingsOf = ({ acts, latches }) => [
  ...acts.flatMap((act) => act.findings),
  ...latches.findings,
];

/** @param {Result} result */
export function report(result) {
  const table = new Table({
    head: columns.map((column) => column.head),
    colAligns: columns.map((_, index) => (index === 0 ? 'left' : 'right')),
    style: { head: [], border: pc.isColorSupported ? ['gray'] : [], compact: true },
  });
  for (const row of rowsOf(result)) {
    table.push(columns.map((column) => column.cell(row)));
  }
  const groups = [
    ...result.acts.map(({ stage, findings }) => [stage.act.title, findings]),
    ['Count-down latch', result.latches.findings],
  ];
  const proofs = /** @type {[string, Finding[]][]} */ (groups).map(([title, findings]) =>
    [pc.bold(title), ...findings.map(line)].join('\n'),
  );
  return [
    ...proofs,
    table.toString(),
    footnotes(result)
      .map((note) => pc.dim(note))
      .join('\n'),
  ].join('\n\n');
}

/** @param {Finding} finding */
const line = ({ ok, said }) => (ok ? `  ${pc.green('✓')} ${said}` : pc.red(`  ✗ ${said}`));
