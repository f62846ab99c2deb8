// @ts-check
// The acts, in the order in which they begin. A new primitive joins by one more line here.
import { fairLock } from './fair-lock.mjs';
import { fencedLock } from './fenced-lock.mjs';
import { localRuns } from './local-runs.mjs';
import { lock } from './lock.mjs';
import { permitExpirableSemaphore } from './permit-expirable-semaphore.mjs';
import { readWriteLock } from './read-write-lock.mjs';
import { semaphore } from './semaphore.mjs';

/** @typedef {import('../checks/finding.mjs').Finding} Finding */
/** @typedef {import('../stage.mjs').Stage} Stage */

/**
 * One primitive on stage. The worker processes call `turn` and `accident`, the stage process calls
 * everything else.
 *
 * @typedef {object} Act
 * @property {string} id
 * @property {string} title
 * @property {string} story one sentence for the reader of the timeline
 * @property {string} resource what the workers share, as the name of its lane
 * @property {number} workers
 * @property {number} [together] how many of the workers there are in one process, 1 by default
 * @property {number} capacity how many may hold at once; Infinity where that is not the question
 * @property {(worker: number) => string} [role] what a worker does, where not all do the same
 * @property {(kit: import('../kit.mjs').Kit, workMs: number) => Promise<void>} turn
 *   acquires once, works, releases
 * @property {(kit: import('../kit.mjs').Kit) => Promise<void>} accident
 *   acquires once and meets with the accident, or makes way for one
 * @property {(stage: Stage) => Promise<string[]>} [look] who stands in line in Redis, in order
 * @property {(stage: Stage) => Map<string, string>} [labels] what the timeline writes on a hold, by
 *   holder id
 * @property {(stage: Stage) => Promise<void>} [prepare] before the workers are let loose
 * @property {(stage: Stage) => Promise<void>} orchestrate what comes after the sprint
 * @property {(stage: Stage) => Finding[] | Promise<Finding[]>} check
 *   what the act promises, besides what holds for every act
 * @property {(stage: import('../checks/finding.mjs').Recorded) => import('../checks/finding.mjs').Granted | undefined} recovery
 *   the grant with which the accident was overcome
 * @property {string} recovered what then happened, as in "the others went on (3 ms later)"
 * @property {(stage: Stage) => import('../timeline/notes.mjs').Note[]} notes
 *   what the reader of the timeline should see, in the order in which it happened
 * @property {(stage: Stage) => import('../timeline/lens.mjs').Lens} lens
 *   the moment that the timeline shows enlarged
 */

/** @type {readonly Act[]} */
export const acts = [
  lock,
  localRuns,
  fairLock,
  fencedLock,
  readWriteLock,
  semaphore,
  permitExpirableSemaphore,
];

/** @param {string} id */
export function findAct(id) {
  const found = acts.find((act) => act.id === id);
  if (found === undefined) {
    throw new Error(`no act is called "${id}"; there are ${acts.map((act) => act.id).join(', ')}`);
  }
  return found;
}
