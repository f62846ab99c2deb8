// Permits without an owner, and the calls that change how many there are.

import { setTimeout as delay } from 'node:timers/promises';
import { now, type Handle } from '../history.js';
import type { At } from '../lane.js';
import type { Act, SemaphoreAct } from '../plan.js';
import { COMMAND_TIMEOUT_MS, START } from '../scene.js';
import { has } from '../seeds.js';
import { limitOf } from './lock.js';

export async function performSemaphore(at: At, act: SemaphoreAct): Promise<void> {
  const { lane, scene, member } = at;
  const { history, recorder, names } = scene;
  if (act.which === 'regrown' && !has('regrown')) {
    return;
  }
  const semaphore = member.client.getSemaphore(names[act.which]);
  const begin = (what: string, limitMs?: number): ReturnType<typeof recorder.begin> =>
    recorder.begin(lane.actor, member.label, what, semaphore.name, limitMs);
  const asking = begin(`${act.how} ${act.count} of the semaphore`, limitOf(act.how, act.waitMs));
  const aborting = recorder.abortable(asking, act.abortMs);
  const { waitMs, count } = act;
  const options = {
    ...(waitMs === undefined ? {} : { waitMs }),
    ...(aborting.signal === undefined ? {} : { signal: aborting.signal }),
  };
  let releasing: ReturnType<typeof begin> | undefined;
  const stay = async (): Promise<void> => {
    recorder.end(asking, 'done');
    const handle: Handle = {
      name: semaphore.name,
      actor: lane.actor,
      count,
      askedAt: asking.from,
      grantedAt: now(),
      releasedAt: undefined,
    };
    if (act.which !== 'regrown') {
      history.handles.push(handle);
    }
    await delay(act.stayMs);
    handle.releasedAt = now();
    releasing = begin(`release ${count} of the semaphore`, COMMAND_TIMEOUT_MS);
  };
  try {
    if (act.how === 'using') {
      await semaphore.using(stay, { ...options, permits: count });
    } else {
      const permits = await semaphore[act.how === 'try' ? 'tryAcquire' : 'acquire'](count, options);
      if (permits === null) {
        recorder.end(asking, 'busy');
        return;
      }
      await stay();
      await permits.release();
    }
    recorder.end(releasing!, 'done');
  } catch (error) {
    recorder.failed(releasing ?? asking, error);
  } finally {
    aborting.dispose();
  }
}

/** Deletes the semaphore, or only sets it again if it has gone by itself. */
export async function regrow(
  at: At,
  { remove, ttlMs }: Extract<Act, { do: 'regrow' }>,
): Promise<void> {
  const { lane, scene, member } = at;
  const { recorder, names } = scene;
  if (!has('regrown')) {
    return;
  }
  const semaphore = member.client.getSemaphore(names.regrown);
  const begin = (what: string): ReturnType<typeof recorder.begin> =>
    recorder.begin(lane.actor, member.label, what, names.regrown, COMMAND_TIMEOUT_MS);
  if (remove) {
    await recorder.run(begin('delete'), async () => await semaphore.delete());
  }
  const options = ttlMs === undefined ? {} : { ttlMs };
  const set = async (): Promise<boolean> => await semaphore.trySetPermits(START.regrown, options);
  await recorder.run(begin(`set permits ${ttlMs ?? 'for good'}`), set);
}

/** Calls of which each counts exactly once, if it was done. */
export async function ledger(
  at: At,
  { call: kind, delta }: Extract<Act, { do: 'ledger' }>,
): Promise<void> {
  const { lane, scene, member } = at;
  const { recorder, names } = scene;
  const semaphore = member.client.getSemaphore(names.ledger);
  const call = recorder.begin(
    lane.actor,
    member.label,
    `ledger ${kind} ${delta}`,
    names.ledger,
    COMMAND_TIMEOUT_MS,
    // Nobody knows how many a drain takes whose answer is lost.
    kind === 'drain' ? -1e9 : delta,
  );
  await recorder.run(call, async () => {
    switch (kind) {
      case 'add':
        return await semaphore.addPermits(delta);
      case 'release':
        return await semaphore.release(delta);
      case 'drain':
        call.delta = -(await semaphore.drainPermits());
    }
  });
}
