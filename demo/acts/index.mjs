// @ts-check
// The acts, in the order in which they begin. A new primitive joins by one more line here.
import { fairLock } from './fair-lock.mjs';
import { fencedLock } from './fenced-lock.mjs';
import { lock } from './lock.mjs';
import { permitExpirableSemaphore } from './permit-expirable-semaphore.mjs';
import { readWriteLock } from './read-write-lock.mjs';
import { semaphore } from './semaphore.mjs';

/** @typedef {import('../facts.mjs').Scene} Scene */
/** @typedef {import('../kit.mjs').Kit} Kit */

/**
 * One primitive on stage. The worker processes call `turn` and `accident`, the stage process calls
 * everything else.
 *
 * @typedef {object} Act
 * @property {string} id
 * @property {string} title
 * @property {string} story what happens, for the reader of the page
 * @property {import('../../test/simulation/history.js').Kind} kind as the checkers call it
 * @property {import('../judge.mjs').Bounds} [bounds] of the checkers, where they differ
 * @property {import('../judge.mjs').Least} least what must have happened
 * @property {string} resource what the workers share, as the name of its lane
 * @property {number} workers
 * @property {(worker: number) => string} [role] what a worker does, where not all do the same
 * @property {(kit: Kit, workMs: number) => Promise<void>} turn acquires once, works, releases
 * @property {(kit: Kit) => Promise<void>} accident
 *   acquires once and meets with the accident, or makes way for one
 * @property {(stage: import('../stage.mjs').Stage) => Promise<void>} [prepare] before the workers are let loose
 * @property {(stage: import('../stage.mjs').Stage) => Promise<void>} orchestrate what comes after the sprint
 * @property {(stage: import('../stage.mjs').Stage) => Promise<void>} [end] when all have crossed the finish line
 * @property {(scene: Scene) => import('../facts.mjs').Finding[]} shown what else must have happened
 * @property {(scene: Scene) => import('../history.mjs').Claim | undefined} [recovery]
 *   the grant with which the accident was overcome, by default the next one
 * @property {string} recovered what then happened, as in "the others went on (3 ms later)"
 * @property {boolean} isLeaseOver whether that happens when a lease is over
 */

/** @type {readonly Act[]} */
export const acts = [
  lock,
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
