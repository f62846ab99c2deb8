// A release that may pass the lock on inside its client.

import type { LeaseLostError } from '../../errors.js';
import { outside } from '../base/async-context.js';
import type { EndpointServices } from '../endpoint-services.js';
import type { NamedObject } from '../names.js';
import type { PassingQueue } from './passing-queue.js';
import type { LockHold } from './hold.js';
import type { Run } from './run.js';
import type { WaitQueue } from './wait-queue.js';

/** The owner of holds that may be passed on. */
export interface PassingOwner {
  readonly services: Pick<EndpointServices, 'names'>;
  readonly protocol: NamedObject;
  /** Sends the release of a hold before it returns. `lost` is called when the hold was lost, also
   * after the call has ended. */
  releaseOnServer(hold: LockHold, lost?: (error: LeaseLostError) => void): Promise<void>;
  lost(hold: LockHold, error: LeaseLostError): void;
  /** The release of a hold is settled. */
  released(hold: LockHold): void;
  announceRelease(hold: LockHold): void;
}

type Queue = PassingQueue & Pick<WaitQueue, 'wakeUp'>;

/** Gives the lease of a hold to the next waiter of this client, or else releases it on the server. The
 * waiters belong to other async contexts. */
export function releaseOrPass(queue: Queue, hold: LockHold, owner: PassingOwner): Promise<void> {
  const run = queue.runOf(hold);
  return run === undefined || queue.nextIn(run, hold) === undefined
    ? releaseOnServer(queue, hold, run, owner)
    : passOn(queue, hold, run, owner);
}

async function passOn(queue: Queue, hold: LockHold, run: Run, owner: PassingOwner): Promise<void> {
  // The hold is over when this call has returned: the next one begins after that.
  await run.nextTurn();
  const { error } = hold.lease;
  if (error !== undefined) {
    // It was lost, and told, meanwhile.
    owner.released(hold);
    throw error;
  }
  const next = queue.nextIn(run, hold);
  if (next === undefined) {
    await releaseOnServer(queue, hold, run, owner);
    return;
  }
  // The next waiter uses the name on its own.
  owner.services.names.leave(owner.protocol);
  owner.released(hold);
  owner.announceRelease(hold);
  outside(() => queue.pass(run, hold, next));
}

function releaseOnServer(
  queue: Queue,
  hold: LockHold,
  run: Run | undefined,
  owner: PassingOwner,
): Promise<void> {
  // The holds before the last one of a run are lost with it.
  const lost =
    run === undefined || run.unproven.length === 0
      ? undefined
      : (error: LeaseLostError) => tellLost(run.takeUnproven(), error, owner);
  const releasing = owner.releaseOnServer(hold, lost);
  // Behind the release, in the order in which the server gets them: this client's next ticket stands
  // behind those of others.
  if (queue.isEmpty) {
    queue.wakeUp();
  } else {
    outside(() => queue.wakeUp());
  }
  return releasing;
}

/** Tells the loss of holds that were passed on inside this client, and that no answer has proven. */
export function tellLost(
  holds: readonly LockHold[],
  error: LeaseLostError,
  owner: Pick<PassingOwner, 'lost'>,
): void {
  for (const hold of holds) {
    owner.lost(hold, error);
  }
}
