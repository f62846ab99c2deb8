// @ts-check
// Mistakes that a programmer could make in redlatch, each of which a test must find: `npm run mutants`
// makes them one by one.

import { bounds } from './semantic/bounds.mjs';
import { bursts } from './semantic/bursts.mjs';
import { clocks } from './semantic/clocks.mjs';
import { detaching } from './semantic/detach.mjs';
import { credentials } from './semantic/credentials.mjs';
import { delivery } from './semantic/delivery.mjs';
import { fair } from './semantic/fair.mjs';
import { handOff } from './semantic/hand-off.mjs';
import { idle } from './semantic/idle.mjs';
import { joint } from './semantic/joint.mjs';
import { latches } from './semantic/latch.mjs';
import { leaks } from './semantic/leaks.mjs';
import { leases } from './semantic/leases.mjs';
import { listening } from './semantic/listening.mjs';
import { listeners } from './semantic/listeners.mjs';
import { locks } from './semantic/locks.mjs';
import { contended } from './semantic/contended.mjs';
import { contention } from './semantic/contention.mjs';
import { opened } from './semantic/opened.mjs';
import { pauses } from './semantic/pauses.mjs';
import { permits } from './semantic/permits.mjs';
import { places } from './semantic/places.mjs';
import { quorum } from './semantic/quorum.mjs';
import { refusals } from './semantic/refusals.mjs';
import { replicas } from './semantic/replicas.mjs';
import { rwlock } from './semantic/rwlock.mjs';
import { scopes } from './semantic/scopes.mjs';
import { servers } from './semantic/servers.mjs';
import { settings } from './semantic/settings.mjs';
import { told } from './semantic/told.mjs';
import { unused } from './semantic/unused.mjs';
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
  ...leaks,
  ...listening,
  ...credentials,
  ...listeners,
  ...locks,
  ...rwlock,
  ...contended,
  ...contention,
  ...opened,
  ...unused,
  ...pauses,
  ...permits,
  ...places,
  ...delivery,
  ...bounds,
  ...detaching,
  ...bursts,
  ...refusals,
  ...replicas,
  ...joint,
  ...quorum,
  ...latches,
  ...scopes,
  ...servers,
  ...settings,
  ...told,
  ...handOff,
  ...idle,
  ...fair,
  ...wire,
  ...write,
  ...clocks,
];
