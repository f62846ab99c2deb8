// @ts-check
// What a search has found, for people: a page of Markdown, and a table of the checks.

import { stripVTControlCharacters } from 'node:util';
import Table from 'cli-table3';

/**
 * @typedef {import('./run.mjs').Slice} Slice
 * @typedef {import('./run.mjs').Finding} Finding
 */

/** Of a finding. */
const LINES = 40;

/** @param {Finding} finding */
function howOften({ failed, repeated }) {
  return repeated === 0 ? 'not repeated' : `failed again ${failed} of ${repeated} times`;
}

/**
 * @param {Finding[]} findings
 * @param {string} commit
 * @returns {string}
 */
export function findingsPage(findings, commit) {
  const parts = findings.map((finding) => {
    const { check, seed, failure } = finding;
    const lines = stripVTControlCharacters(failure.details).trimEnd().split('\n').slice(0, LINES);
    return [
      `## ${failure.name}`,
      '',
      `- check: ${check}`,
      `- seed: ${seed}`,
      `- commit: ${commit}`,
      `- alone: ${howOften(finding)}`,
      `- repeat: \`${failure.repeat}\``,
      '',
      '```text',
      ...lines,
      '```',
      '',
    ].join('\n');
  });
  const count = findings.length === 1 ? '1 finding' : `${findings.length} findings`;
  return [`# ${count} on ${commit}`, '', ...parts].join('\n');
}

/** @param {Slice[]} slices */
export function slicesTable(slices) {
  const rows = new Table({
    head: ['check', 's', 'rounds', 'passed', 'findings'],
    colAligns: ['left', 'right', 'right', 'right', 'right'],
    style: { head: [], border: [], compact: true },
  });
  for (const { name, ms, rounds, passed, findings, missing } of slices) {
    const state = rounds === 0 ? 'not reached' : String(rounds);
    const cells = [Math.round(ms / 1_000), state, passed, findings].map(String);
    rows.push([missing.length === 0 ? name : `${name} (skipped: ${missing.join('; ')})`, ...cells]);
  }
  return rows.toString();
}

/** @param {Slice[]} slices */
export const notReached = (slices) =>
  slices.filter(({ rounds }) => rounds === 0).map(({ name }) => name);
