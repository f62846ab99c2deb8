// @ts-check
// What became of each cell of the matrix: a table for people, and a page.

import { availableParallelism } from 'node:os';
import { styleText } from 'node:util';
import Table from 'cli-table3';

/**
 * @typedef {object} Result
 * @property {string} server as it calls itself
 * @property {string} node
 * @property {string} driver
 * @property {string[]} suites
 * @property {number} passed
 * @property {number} [alone] of them, those that had failed among all others
 * @property {number} failed
 * @property {number} skipped
 * @property {number} ms
 *
 * @typedef {{ name: string, reason: string }} Missing what could not be had
 *
 * @typedef {object} Outcome
 * @property {Result[]} results
 * @property {Missing[]} missing
 */

const HEAD = ['server', 'Node.js', 'driver', 'suites', 'passed', 'alone', 'failed', 'skipped', 's'];

/** @param {Result} result */
function cells({ server, node, driver, suites, passed, alone = 0, failed, skipped, ms }) {
  const counts = [passed, alone, failed, skipped, Math.round(ms / 1_000)];
  return [server, node, driver, suites.join(', '), ...counts.map(String)];
}

/** What has passed and failed in all of them. @param {Outcome} outcome */
export function tallyOf({ results }) {
  return {
    passed: results.reduce((sum, { passed }) => sum + passed, 0),
    failed: results.reduce((sum, { failed }) => sum + failed, 0),
  };
}

/** @param {Missing[]} missing */
const notRun = (missing) => missing.map(({ name, reason }) => `- not run: ${name}: ${reason}`);

/** @param {Outcome} outcome */
export function report({ results, missing }) {
  const table = new Table({ head: HEAD, style: { head: ['bold'], border: ['dim'] } });
  for (const result of results) {
    const row = cells(result);
    table.push(result.failed === 0 ? row : row.map((cell) => styleText('red', cell)));
  }
  return [table.toString(), ...notRun(missing)].join('\n');
}

/**
 * A page of Markdown.
 *
 * @param {Outcome} outcome
 */
export function reportPage({ results, missing }) {
  const failed = results.filter((result) => result.failed > 0).length;
  const combinations = results.length === 1 ? '1 combination' : `${results.length} combinations`;
  const what = `${combinations}, ${failed} of which failed`;
  const rows = [HEAD, ...results.map(cells)];
  const widths = HEAD.map((_, column) =>
    Math.max(...rows.map((row) => row[column]?.length ?? 0), 3),
  );
  const lines = [HEAD, widths.map((width) => '-'.repeat(width)), ...results.map(cells)];
  const padded = lines.map((row) => row.map((cell, column) => cell.padEnd(widths[column] ?? 0)));
  const table = padded.map((row) => `| ${row.join(' | ')} |`).join('\n');
  const left = missing.length === 0 ? '' : `\n${notRun(missing).join('\n')}\n`;
  return `# Servers, Node.js and drivers

Written by \`npm run test:matrix -- --page docs/matrix.md\`. Each row is a run of the suites that talk to a server, on a
server, a release of Node.js and a driver: pairs of neighbours, so that each of them is in two rows at least, and each
pair of a release and a driver in one. \`--all\` runs every combination. A driver beside ioredis 6 stands in its place
in the library, too: iovalkey is not only read, but connects. "alone": of those that have passed, so many have failed
among all others, where the machine was too busy for their times or two files of a process were in the way of each
other, and passed when their files were run once more.

${what}; ${availableParallelism()} cores.

${table}
${left}`;
}
