// @ts-check
// Mistakes that a programmer could make in redlatch, each of which a test must find: `npm run mutants`
// makes them one by one.

import { bursts } from './semantic/bursts.mjs';
import { clocks } from './semantic/clocks.mjs';
import { delivery } from './semantic/delivery.mjs';
import { fair } from './semantic/fair.mjs';
import { handOff } from './semantic/hand-off.mjs';
import { latches } from './semantic/latch.mjs';
import { leases } from './semantic/leases.mjs';
import { listening } from './semantic/listening.mjs';
import { locks } from './semantic/locks.mjs';
import { permits } from './semantic/permits.mjs';
import { refusals } from './semantic/refusals.mjs';
import { rwlock } from './semantic/rwlock.mjs';
import { servers } from './semantic/servers.mjs';
import { settings } from './semantic/settings.mjs';
import { told } from './semantic/told.mjs';
import { wire } from './semantic/wire.mjs';
import { write } from './semantic/write.mjs';

/**
 * @typedef {object} SemanticMutant
 * @property {string} id
 * @property {string} mistake in a sentence
 * @property {string} file
 * @property {[from: string, to: string][]} changes each `from` occurs exactly once
 * @property {'generator'} [refusedBy] what refuses the mistake before a test runs
 * @property {string[]} tests the test files that must find it: its budget
 */

/** @type {SemanticMutant[]} */
export const semanticMutants = [
  ...leases,
  ...listening,
  ...locks,
  ...rwlock,
  ...permits,
  ...delivery,
  ...bursts,
  ...refusals,
  ...latches,
  ...servers,
  ...settings,
  ...told,
  ...handOff,
  ...fair,
  ...wire,
  ...write,
  ...clocks,
];
