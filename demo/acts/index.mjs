// @ts-check
// The acts, in the order in which they are played. A new primitive joins by one more line here.
import { fencedLock } from './fenced-lock.mjs';
import { lock } from './lock.mjs';

/** @typedef {import('../check.mjs').Finding} Finding */

/**
 * One primitive on stage. The worker processes call `turn` and `accident`, the stage process calls
 * `orchestrate` and `check`.
 *
 * @typedef {object} Act
 * @property {string} id
 * @property {string} title
 * @property {string} story one sentence for the reader of the timeline
 * @property {string} resource what the workers share, as the name of its lane
 * @property {number} workers
 * @property {number} capacity how many may hold at once
 * @property {'sprint' | 'accident'} lens which moment the timeline shows enlarged
 * @property {(kit: import('../kit.mjs').Kit, workMs: number) => Promise<void>} turn
 *   acquires once, works, releases
 * @property {(kit: import('../kit.mjs').Kit) => Promise<void>} accident
 *   acquires once and meets with the accident
 * @property {(stage: import('../stage.mjs').Stage) => Promise<void>} orchestrate
 * @property {(stage: import('../stage.mjs').Stage) => Finding[] | Promise<Finding[]>} check
 *   what the act promises, besides what holds for every act
 */

/** @type {readonly Act[]} */
export const acts = [lock, fencedLock];

/** @param {string} id */
export function findAct(id) {
  const found = acts.find((act) => act.id === id);
  if (found === undefined) {
    throw new Error(`no act is called "${id}"`);
  }
  return found;
}
