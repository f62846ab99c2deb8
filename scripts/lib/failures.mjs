// @ts-check
// What has failed, kept for the end: the output of a long run is often cut to its last lines.

import { appendFileSync } from 'node:fs';

/** Of one failure; where it happened in the output shows the rest. */
const SHOWN_LINES = 12;

/**
 * Adds a failure to the file that REDLATCH_FAILURES names, if it does.
 * @param {string} name
 * @param {string} details
 */
export function keepFailure(name, details) {
  const file = process.env['REDLATCH_FAILURES'];
  if (file === undefined) {
    return;
  }
  const lines = details.trimEnd().split('\n').slice(0, SHOWN_LINES);
  appendFileSync(file, [`FAILED ${name}`, ...lines.map((line) => `    ${line}`), ''].join('\n'));
}
