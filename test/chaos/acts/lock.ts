// An acquisition of a lock of any kind, what is done while it is held, and its release.

import { setTimeout as delay } from 'node:timers/promises';
import type { Hold, Lock } from '../../../src/index.js';
import type { Call } from '../history.js';
import type { At } from '../lane.js';
import type { LockAct } from '../plan.js';
import type { Live } from '../recorder.js';
import { callers, COMMAND_TIMEOUT_MS } from '../scene.js';
import { has } from '../seeds.js';
import { forceRelease } from './force.js';

/** What a task throws by itself. */
class TaskError extends Error {}

/** Within which a call has to settle; undefined: it waits for as long as it takes. */
export function limitOf(how: LockAct['how'], waitMs: number | undefined): number | undefined {
  return waitMs === 0 || (waitMs === undefined && how === 'try') ? COMMAND_TIMEOUT_MS : waitMs;
}

/** @param shared a signal that others wait with, too */
export async function performLock(at: At, act: LockAct, shared?: AbortSignal): Promise<void> {
  const { lane, scene, member, scope } = at;
  const { history, recorder } = scene;
  const lock = scene.lockOf(member.client, act.kind);
  const asking = ask(at, act, lock);
  const aborting = recorder.abortable(asking.call, act.abortMs);
  const outer = act.within
    ? asking.open.findLast(({ claim }) => claim.kind === act.kind)
    : undefined;
  const { waitMs, leaseMs } = act;
  const options = {
    ...(waitMs === undefined ? {} : { waitMs }),
    ...(leaseMs === undefined ? {} : { leaseMs }),
    ...(outer === undefined ? {} : { within: outer.grant as Hold }),
    ...withSignal(shared ?? aborting.signal),
  };
  const failure = act.throws ? new TaskError('of the task itself') : undefined;
  const release = (): Call =>
    recorder.begin(lane.actor, member.label, `release ${act.kind}`, lock.name, COMMAND_TIMEOUT_MS);
  let releasing: Call | undefined;
  const task = async (hold: Hold): Promise<void> => {
    const live = asking.live ?? granted(at, asking, act, hold);
    try {
      await stay({ ...at, scope: [...scope, live] }, act, live);
    } finally {
      recorder.releasing(live);
      releasing = release();
    }
    if (failure !== undefined) {
      throw failure;
    }
  };
  try {
    if (act.how === 'using') {
      await lock.using(task, options);
    } else {
      const hold = await lock[act.how === 'try' ? 'tryAcquire' : 'acquire'](options);
      if (hold === null) {
        recorder.end(asking.call, 'busy');
        return;
      }
      granted(at, asking, act, hold);
      try {
        await hold.run(() => task(hold));
      } finally {
        await hold.release();
      }
    }
    if (failure !== undefined) {
      history.violated("the task's error wins", lock.name, `${lane.actor} was told no error`);
    }
    recorder.end(releasing!, 'done');
  } catch (error) {
    if (error instanceof TaskError) {
      recorder.end(releasing!, 'done');
    } else if (failure !== undefined && releasing !== undefined && act.how === 'using') {
      const text = `${lane.actor} was told ${String(error)} instead`;
      history.violated("the task's error wins", lock.name, text);
    } else {
      recorder.failed(releasing ?? asking.call, error);
      settleUnentered(at, asking);
    }
  } finally {
    aborting.dispose();
  }
}

const withSignal = (signal: AbortSignal | undefined): { signal?: AbortSignal } =>
  signal === undefined ? {} : { signal };

interface Asking {
  readonly call: Call;
  /** The holds around it of the same lock that were not released when it was asked for. */
  readonly open: readonly Live[];
  live: Live | undefined;
}

function ask({ lane, scene, member, scope }: At, act: LockAct, lock: Lock): Asking {
  const open = scope.filter(
    ({ claim, grant }) => claim.name === lock.name && grant.state !== 'released',
  );
  for (const { claim } of open) {
    // Should it re-enter, all holds of its holder have that lease.
    scene.history.lengthen(claim.root, act.leaseMs ?? member.leaseMs);
  }
  const what = `${act.how} ${act.kind}`;
  const limitMs = limitOf(act.how, act.waitMs);
  const call = scene.recorder.begin(lane.actor, member.label, what, lock.name, limitMs);
  return { call, open, live: undefined };
}

/** A hold that was lost before its task began. */
function settleUnentered({ scene }: At, { live }: Asking): void {
  if (live !== undefined) {
    scene.recorder.releasing(live);
  }
}

/** Notes a grant, and to which acquisition it belongs. */
function granted({ lane, scene, member }: At, asking: Asking, act: LockAct, hold: Hold): Live {
  const { history, recorder } = scene;
  const { call, open } = asking;
  recorder.end(call, 'done');
  const own = open.filter(({ claim }) => claim.holderId === hold.holderId);
  const parent = own.findLast(({ claim }) => claim.kind === act.kind) ?? own.at(-1);
  if (hold.depth > 1 && parent === undefined) {
    const text = `${lane.actor} was told depth ${hold.depth} of ...${hold.holderId.slice(-8)}, and is in no scope of it`;
    history.violated('only who is inside re-enters', call.name, text);
  }
  // A writer's reads may have an id of their own.
  const writer = open.findLast(({ claim }) => claim.kind === 'write');
  const owner = parent ?? (act.kind === 'read' ? writer : undefined);
  const root = owner?.claim.root ?? history.claims.length;
  history.lengthen(root, act.leaseMs ?? member.leaseMs);
  asking.live = recorder.granted(
    {
      name: call.name,
      kind: act.kind,
      client: member.label,
      actor: lane.actor,
      root,
      parent: parent?.claim.id,
      holderId: hold.holderId,
      depth: hold.depth,
      token: hold.fencingToken,
      askedAt: call.from,
      grantedAt: call.until!,
    },
    hold,
  );
  return asking.live;
}

/** What is done while it is held. */
async function stay(at: At, act: LockAct, live: Live): Promise<void> {
  const { lane, scene, member } = at;
  const { history, recorder } = scene;
  const { claim } = live;
  listen(at, act, live);
  if (act.outlives !== undefined) {
    const { outlives } = act;
    lane.leave(delay(act.stayMs + 15).then(async () => await performLock(at, outlives)));
  }
  if (act.extendMs !== undefined) {
    const { extendMs } = act;
    history.lengthen(claim.root, extendMs);
    const call = recorder.begin(
      lane.actor,
      member.label,
      `extend ${act.kind}`,
      claim.name,
      COMMAND_TIMEOUT_MS,
    );
    await recorder.run(call, async () => await live.grant.extend(extendMs));
  }
  await delay(act.stayMs);
  if (act.usurped === true && has('forced')) {
    const other = scene.members[(lane.place + 1) % scene.members.length]!;
    await forceRelease({ ...at, member: other }, act.kind);
  }
  recorder.sample(live);
  if (act.parallel) {
    await Promise.all(act.inside.map(async (inner) => await lane.perform(inner, member, at.scope)));
  } else {
    for (const inner of act.inside) {
      await lane.perform(inner, member, at.scope);
      recorder.sample(live);
    }
  }
}

/** Tries to get something when the hold is lost, from the listener itself. */
function listen(at: At, { onLoss }: LockAct, { grant, claim }: Live): void {
  if (onLoss === undefined || !has('contexts')) {
    return;
  }
  const { lane, scene } = at;
  let times = 0;
  grant.signal.addEventListener('abort', () => {
    times += 1;
    const caller = callers.getStore();
    if (caller !== undefined && caller !== lane.actor) {
      const text = `a listener of ${lane.actor} to the loss of #${claim.id} ran as ${caller}`;
      scene.history.violated('listeners run in their own context', claim.name, text);
    }
    if (times > 1) {
      scene.history.violated(
        'a loss is told once',
        claim.name,
        `the signal of #${claim.id} fired again`,
      );
    }
    if (!scene.isEnding) {
      lane.leave(performLock(at, { ...QUICK, kind: onLoss }));
    }
  });
}

/** A visit that asks once and leaves at once. */
export const QUICK: Omit<LockAct, 'kind'> = {
  do: 'lock',
  how: 'try',
  stayMs: 2,
  inside: [],
  parallel: false,
  within: false,
  throws: false,
};
