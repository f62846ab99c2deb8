// The permit-expirable semaphore: permits on leases, each with an owner.

import type { Permit, PermitExpirableSemaphore } from '../../../src/index.js';
import type { Random } from '../../../src/testing/random.js';
import type { Claim } from '../history.js';
import { extend, operationOf, type KindOfObject, type User } from './kind.js';
import { doesWait, optionsOf, termsInFlow, termsOf, type Terms } from './terms.js';

interface Section extends Terms {
  readonly do: 'section';
  readonly count: number;
  /** Given back by its id. */
  readonly byId: boolean;
  readonly extendMs?: number;
}

type PermitAct = Section | { readonly do: 'look' } | { readonly do: 'add'; readonly delta: number };

const KIND = 'expirable';
const PERMITS = 2;

const semaphoreOf = ({ client }: User, object: string): PermitExpirableSemaphore =>
  client.client.getPermitExpirableSemaphore(object);

async function section(user: User, object: string, act: Section): Promise<void> {
  const semaphore = semaphoreOf(user, object);
  const owner = user.newOwner();
  const { how, waitMs, count, leaseMs = user.world.terms.leaseMs } = act;
  const given = operationOf(user, object, KIND, 'acquire', {
    owner,
    amount: count,
    waits: doesWait(act),
    waitMs,
    leaseMs,
  });
  const { operation, value } = await user.recorder.call(given, async (asked) => {
    const options = optionsOf(act, user.signal([asked], act.abortMs));
    return how === 'acquire'
      ? await semaphore.acquireMany(count, options)
      : await semaphore.tryAcquireMany(count, options);
  });
  if (value === undefined || value === null) {
    return;
  }
  const isRenewed = act.leaseMs === undefined;
  const { maxHoldMs } = act;
  const terms = { leaseMs, isRenewed, maxHoldMs, permits: 1, token: undefined };
  const held = value.map((permit) => ({
    permit,
    claim: user.recorder.granted(user.client, operation, terms, permit),
  }));
  const [first] = held;
  if (act.extendMs !== undefined && first !== undefined) {
    await extend(user, [first.claim], first.permit, act.extendMs);
  }
  if (act.isLeft === true) {
    return;
  }
  await user.sleep(act.stayMs);
  for (const { permit, claim } of held) {
    await giveBack(user, semaphore, permit, claim, act.byId);
  }
}

async function giveBack(
  user: User,
  semaphore: PermitExpirableSemaphore,
  permit: Permit,
  claim: Claim,
  byId: boolean,
): Promise<void> {
  if (user.client.isClosed) {
    // To close the client was the release.
    return;
  }
  user.recorder.released(claim);
  const given = operationOf(user, claim.object, KIND, 'release', { owner: claim.owner });
  await user.recorder.call(given, async () => {
    await (byId ? semaphore.release(permit.id) : permit.release());
  });
}

function sectionOf(random: Random, leaseMs: number): Section {
  const count = random.pick([1, 1, 1, 2]);
  return {
    do: 'section',
    ...termsOf(random, leaseMs),
    count,
    byId: random.chance(0.2),
    // The permits of one owner end together: of several none is extended.
    ...(count === 1 && random.chance(0.08)
      ? { extendMs: random.pick([50, leaseMs, leaseMs * 2]) }
      : {}),
  };
}

export const expirable: KindOfObject<PermitAct> = {
  kind: KIND,
  stays: /^(?:thing|\{thing\}:timeout|redlatch_leases:\{thing\})$/u,
  prepare: async (user, object) => {
    const given = operationOf(user, object, KIND, 'set', { amount: PERMITS });
    await user.recorder.call(given, async () =>
      user.world.terms.isMadeByJava
        ? user.world.setAsJava(object, PERMITS)
        : await semaphoreOf(user, object).trySetPermits(PERMITS),
    );
  },
  act: (random, leaseMs) =>
    random.weighted<PermitAct>([
      [92, () => sectionOf(random, leaseMs)],
      [5, () => ({ do: 'look' })],
      [3, () => ({ do: 'add', delta: random.pick([-1, 1, 1]) })],
    ]),
  flowAct: (_random, given) => ({
    do: 'section',
    ...termsInFlow(given),
    count: 1,
    byId: false,
  }),
  perform: async (user, object, act) => {
    if (act.do === 'section') {
      await section(user, object, act);
      return;
    }
    const semaphore = semaphoreOf(user, object);
    const amount = act.do === 'add' ? act.delta : 1;
    const given = operationOf(user, object, KIND, act.do, { amount });
    await user.recorder.call(given, async () =>
      act.do === 'add' ? await semaphore.addPermits(act.delta) : await semaphore.availablePermits(),
    );
  },
  probe: { do: 'look' },
};
