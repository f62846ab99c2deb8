// @ts-check
// The figures, in the order in which they are measured. A new one joins by one more line here.
import { burst } from './burst.mjs';
import { contended } from './contended.mjs';
import { distance } from './distance.mjs';
import { fair } from './fair.mjs';
import { gate } from './gate.mjs';
import { latch } from './latch.mjs';
import { memory } from './memory.mjs';
import { multi } from './multi.mjs';
import { permits } from './permits.mjs';
import { quiet } from './quiet.mjs';
import { readers } from './readers.mjs';
import { renewals } from './renewals.mjs';
import { throughput } from './throughput.mjs';
import { uncontended } from './uncontended.mjs';
import { waiters } from './waiters.mjs';

/**
 * @typedef {object} Bench
 * @property {string} url
 * @property {string} keyPrefix
 * @property {boolean} quick
 *
 * @typedef {object} Figure
 * @property {string} id
 * @property {string} title
 * @property {(bench: Bench) => Promise<import('../lib/report.mjs').Row[]>} measure
 */

/** @type {readonly Figure[]} */
export const figures = [
  uncontended,
  throughput,
  burst,
  distance,
  waiters,
  renewals,
  memory,
  contended,
  permits,
  quiet,
  gate,
  fair,
  readers,
  latch,
  multi,
];
