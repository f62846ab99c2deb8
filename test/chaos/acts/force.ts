// A lock is freed whoever holds it: for a while its holder may be told what is not so any more.

import type { Disturbance, LockKind } from '../history.js';
import type { At } from '../lane.js';
import { COMMAND_TIMEOUT_MS } from '../scene.js';

export async function forceRelease({ lane, scene, member }: At, kind: LockKind): Promise<void> {
  const { history, recorder } = scene;
  const lock = scene.lockOf(member.client, kind);
  const what = `force ${kind}`;
  const call = recorder.begin(lane.actor, member.label, what, lock.name, COMMAND_TIMEOUT_MS);
  const cause: Disturbance = {
    what,
    name: lock.name,
    client: member.label,
    from: call.from,
    until: Number.POSITIVE_INFINITY,
  };
  history.disturbances.push(cause);
  await recorder.run(call, async () => await lock.forceRelease());
  if (call.outcome === 'unknown') {
    return;
  }
  // After a flush nobody knows that it ran: it is sent once more, and finds nothing to free.
  if (call.outcome === 'done' || history.wasFlushedIn(call.from, call.until!)) {
    cause.until = call.until!;
  } else {
    history.disturbances.splice(history.disturbances.indexOf(cause), 1);
  }
}
