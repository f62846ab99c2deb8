// Who runs in which async context: an outsider that could be let into a stranger's scope.

import { AsyncLocalStorage } from 'node:async_hooks';
import type { Redis } from 'ioredis';
import type { Client, Lock } from '../../../src/index.js';
import { eventually } from '../../support/eventually.js';
import { toldOf } from '../../support/told.js';
import type { LeasedKind } from '../../support/kinds/kind.js';

/** What a program keeps about the request that it is serving. */
export const request = new AsyncLocalStorage<string>();

/** Over soon; a grant that comes later than this is asked for again. */
export const SHORT_MS = 100;

/** An object that somebody has, and somebody else waits for. */
export interface Contended {
  readonly release: () => Promise<void>;
  /** What the abort handler of who waited is told when it tries `lock`, once it has lost what it got:
   * null, or at which depth it was let into the scope of whoever holds that. */
  readonly tried: Promise<number | null>;
}

/** At which depth the caller gets `lock`; null when somebody else has it. */
export async function attempt(lock: Lock): Promise<number | null> {
  const hold = await lock.tryAcquire();
  await hold?.release();
  return hold?.depth ?? null;
}

/** The same, tried by the abort handler of a grant. */
export async function triedWhenLost(
  grant: Promise<{ readonly signal: AbortSignal }>,
  lock: Lock,
): Promise<number | null> {
  const { signal } = await grant;
  return await new Promise((resolve, reject) => {
    signal.addEventListener('abort', () => {
      attempt(lock).then(resolve, reject);
    });
  });
}

/** Has `blocking` take the object, and `waiting` wait for it, in the context of the caller. */
export async function contend(
  kind: LeasedKind,
  name: string,
  { waiting, blocking, lock, raw }: { waiting: Client; blocking: Client; lock: Lock; raw: Redis },
): Promise<Contended> {
  await kind.create(blocking, name);
  const blocked = await kind.rival(blocking, name).acquire();
  const wanted = await kind.create(waiting, name);
  const tried = triedWhenLost(wanted.acquire({ leaseMs: SHORT_MS }), lock);
  if (kind.isHandedOn === true && waiting === blocking) {
    // It waits for its own client, and the server knows nothing of it.
    await raw.ping();
  } else {
    await eventually(async () => (await toldOf(name, raw)) > 0);
  }
  return { release: async () => await blocked.release(), tried };
}
