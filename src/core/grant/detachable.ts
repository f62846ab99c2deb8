import type { Command } from '../wire/call.js';
import type { RenewalAnswer, RenewalItem } from '../lease/renewal.js';

/** The answer to an adoption. */
export interface Adopted {
  /** What its lease has left. */
  readonly leftMs: number;
  /** Others wait for it. */
  readonly othersWait: boolean;
  /** What the object itself has left to live; < 0: no limit. */
  readonly lifeMs: number;
}

/** The commands by which a grant goes to another client. All state outcomes: running one twice equals running it
 * once. */
export interface Detachable {
  /** Lengthens the lease of a grant, and burns its id. */
  detach(item: RenewalItem): Command<readonly RenewalAnswer[]>;
  /** Gives a grant a new id, and burns the old one; undefined: there is no such grant. */
  adopt(from: string, to: string, leaseMs: number): Command<Adopted | undefined>;
  /** Gives it its old id again, and burns the new one: it is never adopted under that. */
  putBack(from: string, to: string): Command<unknown>;
}

/** Decodes what an adoption was answered. */
export function adoptedOf(text: string): Adopted | undefined {
  const [leftMs, others, lifeMs = -1] = text.split(' ').map(Number);
  return text === '-' ? undefined : { leftMs: Number(leftMs), othersWait: others === 1, lifeMs };
}

/** The error of a grant that cannot be detached. */
export function notDetachable(resource: string, why: string): TypeError {
  return new TypeError(
    `"${resource}" cannot be detached: ${why}. What can are outermost holds of locks, fair, fenced and write ` +
      `locks, and permits with a lease`,
  );
}
