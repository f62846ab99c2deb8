// Permits that live on leases.

import { setTimeout as delay } from 'node:timers/promises';
import type { Permit, PermitExpirableSemaphore } from '../../../src/index.js';
import { now, type Disturbance } from '../history.js';
import type { At } from '../lane.js';
import type { Act, PermitsAct } from '../plan.js';
import type { Live } from '../recorder.js';
import { COMMAND_TIMEOUT_MS } from '../scene.js';
import { has } from '../seeds.js';
import { limitOf } from './lock.js';

const semaphoreOf = ({ member, scene }: At): PermitExpirableSemaphore =>
  member.client.getPermitExpirableSemaphore(scene.names.permits);

export async function performPermits(at: At, act: PermitsAct): Promise<void> {
  const { lane, scene, member } = at;
  const { recorder } = scene;
  const semaphore = semaphoreOf(at);
  const call = recorder.begin(
    lane.actor,
    member.label,
    `${act.how} ${act.count} permits`,
    semaphore.name,
    limitOf(act.how, act.waitMs),
  );
  const aborting = recorder.abortable(call, act.abortMs);
  const { waitMs, leaseMs, count } = act;
  const options = {
    ...(waitMs === undefined ? {} : { waitMs }),
    ...(leaseMs === undefined ? {} : { leaseMs }),
    ...(aborting.signal === undefined ? {} : { signal: aborting.signal }),
  };
  const permits = await recorder.run(call, async () =>
    act.how === 'try'
      ? await semaphore.tryAcquireMany(count, options)
      : await semaphore.acquireMany(count, options),
  );
  aborting.dispose();
  const lives = (permits ?? []).map((permit) => granted(at, act, permit, call.from));
  if (lives.length === 0) {
    return;
  }
  await change(at, act, lives[0]!);
  await delay(act.stayMs);
  await Promise.all(lives.map(async (live) => await giveBack(at, act, live)));
}

function granted(
  { lane, scene, member }: At,
  act: PermitsAct,
  grant: Permit,
  askedAt: number,
): Live {
  const { history, recorder } = scene;
  const root = history.claims.length;
  history.lengthen(root, act.leaseMs ?? member.leaseMs);
  return recorder.granted(
    {
      name: scene.names.permits,
      kind: 'permit',
      client: member.label,
      actor: lane.actor,
      root,
      parent: undefined,
      holderId: grant.id,
      depth: 1,
      token: undefined,
      askedAt,
      grantedAt: now(),
    },
    grant,
  );
}

async function change(at: At, act: PermitsAct, { claim, grant }: Live): Promise<void> {
  const { lane, scene, member } = at;
  const { history, recorder } = scene;
  const begin = (what: string): ReturnType<typeof recorder.begin> =>
    recorder.begin(lane.actor, member.label, what, claim.name, COMMAND_TIMEOUT_MS);
  const { extendMs, updateMs } = act;
  if (extendMs !== undefined) {
    history.lengthen(claim.root, extendMs);
    await recorder.run(begin('extend permit'), async () => await grant.extend(extendMs));
  }
  if (updateMs !== undefined) {
    history.lengthen(claim.root, updateMs);
    const update = async (): Promise<boolean> =>
      await semaphoreOf(at).updateLease(claim.holderId, updateMs);
    await recorder.run(begin(`update lease to ${updateMs} ms`), update);
  }
}

async function giveBack(at: At, act: PermitsAct, live: Live): Promise<void> {
  const { lane, scene, member } = at;
  const { recorder } = scene;
  const { claim, grant } = live;
  recorder.releasing(live);
  const what = act.byId ? 'release permit by id' : 'release permit';
  const call = recorder.begin(lane.actor, member.label, what, claim.name, COMMAND_TIMEOUT_MS);
  await recorder.run(call, async () =>
    act.byId ? await semaphoreOf(at).release(claim.holderId) : await grant.release(),
  );
}

/** Gives back, or changes the lease of, a permit that somebody else has. */
export async function othersPermit(
  at: At,
  { which, updateMs }: Extract<Act, { do: 'others permit' }>,
): Promise<void> {
  const { lane, scene, member } = at;
  const { history, recorder } = scene;
  const theirs = [...recorder.live].filter(({ claim }) => claim.kind === 'permit');
  if (theirs.length === 0 || !has('forced')) {
    return;
  }
  const { claim } = theirs[which % theirs.length]!;
  const what = updateMs === undefined ? "end another's permit" : "change another's permit";
  const call = recorder.begin(lane.actor, member.label, what, claim.name, COMMAND_TIMEOUT_MS);
  const cause: Disturbance = {
    what,
    name: claim.name,
    permit: claim.holderId,
    client: member.label,
    from: call.from,
    until: Number.POSITIVE_INFINITY,
  };
  history.disturbances.push(cause);
  history.lengthen(claim.root, updateMs ?? 0);
  const semaphore = semaphoreOf(at);
  await recorder.run(call, async () =>
    updateMs === undefined
      ? await semaphore.tryRelease(claim.holderId)
      : await semaphore.updateLease(claim.holderId, updateMs),
  );
  if (call.outcome !== 'unknown') {
    cause.until = call.until!;
  }
}

/** More or fewer permits for a moment. */
export async function resize(at: At, delta: number): Promise<void> {
  const { lane, scene, member } = at;
  const { recorder } = scene;
  const semaphore = semaphoreOf(at);
  if (scene.profile.isFlushed) {
    // What was added would be gone, and what is taken away after that would not.
    return;
  }
  for (const step of [delta, -delta]) {
    const call = recorder.begin(
      lane.actor,
      member.label,
      `add ${step} permits`,
      semaphore.name,
      COMMAND_TIMEOUT_MS,
      step,
    );
    await recorder.run(call, async () => await semaphore.addPermits(step));
    await delay(20);
  }
}
