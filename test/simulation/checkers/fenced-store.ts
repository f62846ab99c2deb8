// What tells whether a store outside of Redis has lost a write.

import type { StoreRecord, Violation, Write } from '../history.js';
import type { Checker } from './property.js';
import { mayTokensFall } from './tokens.js';

/** How many writes were taken, and are not in the final value of the counter. */
export function lostUpdates({ writes, value }: StoreRecord): number {
  return writes.filter(({ isAccepted }) => isAccepted).length - value;
}

/** A fenced store takes no write that is older than one before it, and loses none. It cannot tell holds apart
 * that have the same token: in a crowd, where scripts take no time, the tokens of a run may be issued again to
 * the next holder when the data is lost right after. */
export const checkFencedStore: Checker = ({ history, property }) => {
  const { writes } = history.fencedStore;
  const mayBeSame = history.isCrowd && writes.some(({ object }) => mayTokensFall(history, object));
  return {
    checked: writes.length,
    violations: mayBeSame ? [] : checkFencedWrites(property, history.fencedStore),
  };
};

/** What a fenced store must never do. Of one object, in the order in which the store saw them. */
function checkFencedWrites(property: string, store: StoreRecord): Violation[] {
  const { writes } = store;
  const violations: Violation[] = [];
  let highest: Write | undefined;
  let value = 0;
  for (const write of writes.filter(({ isAccepted }) => isAccepted)) {
    const tell = (text: string): number =>
      violations.push({ property, object: write.object, at: write.wroteAt, text });
    if (highest !== undefined && write.token < highest.token) {
      tell(`${say(write)} was taken after ${say(highest)}`);
    }
    if (write.read !== value) {
      tell(`${say(write)} had read ${write.read}, and wrote over ${value}`);
    }
    highest = highest === undefined || write.token > highest.token ? write : highest;
    value = write.read + 1;
  }
  const lost = lostUpdates(store);
  if (lost !== 0) {
    const last = writes.at(-1);
    const text = `${lost} writes that were taken are missing`;
    violations.push({ property, object: last?.object, at: last?.wroteAt ?? 0, text });
  }
  return violations;
}

const say = ({ owner, token }: Write): string => `the write of ${owner} with token ${token}`;
