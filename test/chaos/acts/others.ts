// Forced releases, looks from outside, and many who wait with one signal.

import type { LockKind } from '../history.js';
import type { At } from '../lane.js';
import type { Act } from '../plan.js';
import { GivenUp } from '../recorder.js';
import { COMMAND_TIMEOUT_MS } from '../scene.js';
import { has } from '../seeds.js';
import { forceRelease } from './force.js';
import { performLock, QUICK } from './lock.js';

/** Longer than a seed runs: whoever is wrongly told held stays so. */
const LONG_LEASE_MS = 20_000;

/** Frees a lock whoever holds it; `amid` acquisitions of the same client. */
export async function force(at: At, { kind, amid }: Extract<Act, { do: 'force' }>): Promise<void> {
  if (!has('forced')) {
    return;
  }
  if (!amid) {
    await forceRelease(at, kind);
    return;
  }
  const visit = { ...QUICK, kind, waitMs: 200, stayMs: 40 };
  const lease = at.member.isFleeting ? {} : { leaseMs: LONG_LEASE_MS };
  const before = performLock(at, { ...visit, ...lease });
  const forcing = forceRelease(at, kind);
  await Promise.all([before, forcing.then(async () => await performLock(at, visit))]);
}

export async function look({ lane, scene, member }: At, kind: LockKind): Promise<void> {
  const { recorder } = scene;
  const lock = scene.lockOf(member.client, kind);
  for (const what of ['isLocked', 'holders', 'holdCount', 'remainingLeaseMs'] as const) {
    const call = recorder.begin(lane.actor, member.label, what, lock.name, COMMAND_TIMEOUT_MS);
    await recorder.run(call, async () => {
      await lock[what]();
    });
  }
}

/** A dozen who wait, and are all given up at once. */
export async function crowd(
  at: At,
  { kind, abortMs }: Extract<Act, { do: 'crowd' }>,
): Promise<void> {
  if (!has('crowds')) {
    return;
  }
  const giveUp = new AbortController();
  const timer = setTimeout(() => giveUp.abort(new GivenUp('given up')), abortMs);
  const visit = { ...QUICK, kind, waitMs: 300, stayMs: 1 };
  const visits = Array.from(
    { length: 12 },
    async () => await performLock(at, visit, giveUp.signal),
  );
  await Promise.all(visits);
  clearTimeout(timer);
}
