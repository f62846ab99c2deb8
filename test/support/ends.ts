// Each grant that a client tells has exactly one end that it tells.

import { AsyncLocalStorage } from 'node:async_hooks';
import type { Client, HoldEvent, QuorumClient, ObjectKind } from '../../src/index.js';
import { BrokenPromise } from './broken-promise.js';

/** The events of a client about the grants of one holder id. */
export interface Told {
  readonly kind: ObjectKind;
  readonly holderId: string;
  acquired: number;
  released: number;
  lost: number;
}

const outside = AsyncLocalStorage.snapshot();

/** Counts what a client tells of its grants from now on. */
export function toldBy(
  client: Pick<Client, 'on'> | Pick<QuorumClient, 'on'>,
): ReadonlyMap<string, Told> {
  const all = new Map<string, Told>();
  const count =
    (what: 'acquired' | 'released' | 'lost') =>
    ({ kind, holderId }: HoldEvent): void => {
      const id = `${kind} ${holderId}`;
      const told = all.get(id) ?? { kind, holderId, acquired: 0, released: 0, lost: 0 };
      told[what] += 1;
      all.set(id, told);
    };
  // Listeners keep the context in which they are added.
  outside(() => {
    client.on('acquired', count('acquired'));
    client.on('released', count('released'));
    client.on('lost', count('lost'));
  });
  return all;
}

/** What is wrong with the ends of a client that is closed; undefined when nothing is. `isPassedOn`: the holds of a run
 * share a holder id, and one that was released in it may be told lost later. */
export function wrongEnds(
  { kind, holderId, acquired, released, lost }: Told,
  isPassedOn = acquired > 1,
): string | undefined {
  const ends = released + lost;
  // Permits of a counting semaphore that nobody has released are out when their client closes.
  const least = kind === 'semaphore' ? 0 : acquired;
  const most = isPassedOn ? acquired * 2 : acquired;
  const isRight = released <= acquired && lost <= acquired && ends >= least && ends <= most;
  const counts = `${acquired} acquired, ${released} released, ${lost} lost`;
  return isRight ? undefined : `${kind} ${holderId}: ${counts}`;
}

/** What is wrong with the ends of all grants of closed clients. */
export function allWrongEnds(all: Iterable<ReadonlyMap<string, Told>>): string[] {
  return [...all].flatMap((told) =>
    [...told.values()].map((one) => wrongEnds(one)).filter((wrong) => wrong !== undefined),
  );
}

/**
 * Fails unless each grant of closed clients has exactly one end.
 *
 * @throws BrokenPromise
 */
export function expectRightEnds(all: Iterable<ReadonlyMap<string, Told>>): void {
  const wrong = allWrongEnds(all);
  if (wrong.length > 0) {
    throw new BrokenPromise(`grants without exactly one end: ${wrong.join('; ')}`);
  }
}
