// Several names that are locked together, on one server and on a quorum, beside single locks of the same names.

import type { Hold, Lock } from '../../../src/index.js';
import type { Random } from '../../../src/testing/random.js';
import type { Kind, Operation } from '../history.js';
import { extend, operationOf, type KindOfObject, type User } from './kind.js';
import { doesWait, NO_STAY, optionsOf, termsOf, type Terms } from './terms.js';

type MultiKind = Extract<Kind, 'multi' | 'quorum-multi'>;

/** Each is an object of its own. In the order in which nobody gives them. */
const NAMES = ['one', 'two', 'three', 'four'];

interface Section extends Terms {
  readonly do: 'section';
  readonly names: readonly string[];
  readonly extendMs?: number;
}

interface Ask {
  readonly do: 'force' | 'look';
  readonly names: readonly string[];
}

type MultiAct = Section | Ask;

/** One name is asked for as a single lock. */
function lockOf({ client: { client } }: User, names: readonly string[]): Lock {
  const [only = ''] = names;
  return names.length === 1 ? client.getLock(only) : client.getMultiLock(names);
}

/** One operation for each name, of one call. */
function operationsOf(
  user: User,
  kind: MultiKind,
  names: readonly string[],
  ...[action, more]: [Operation['action'], Partial<Operation>]
): ReturnType<typeof operationOf>[] {
  return names.map((name) => operationOf(user, name, kind, action, more));
}

async function section(user: User, kind: MultiKind, act: Section): Promise<void> {
  const { names, how, waitMs, leaseMs = user.world.terms.leaseMs } = act;
  const owner = user.newOwner();
  const given = operationsOf(user, kind, names, 'acquire', {
    owner,
    waits: doesWait(act),
    waitMs,
    leaseMs,
  });
  const lock = lockOf(user, names);
  const { operations, value } = await user.recorder.callAll(given, async (asked) => {
    const options = optionsOf(act, user.signal(asked, act.abortMs));
    return how === 'acquire' ? await lock.acquire(options) : await lock.tryAcquire(options);
  });
  if (value !== undefined && value !== null) {
    await inside(user, kind, act, { hold: value, operations, owner, leaseMs });
  }
}

interface Inside {
  readonly hold: Hold;
  readonly operations: readonly Operation[];
  readonly owner: string;
  readonly leaseMs: number;
}

async function inside(
  user: User,
  kind: MultiKind,
  act: Section,
  { hold, operations, owner, leaseMs }: Inside,
): Promise<void> {
  const isRenewed = act.leaseMs === undefined;
  const { maxHoldMs } = act;
  const terms = { leaseMs, isRenewed, maxHoldMs, permits: 1, token: undefined };
  const claims = operations.map((operation) =>
    user.recorder.granted(user.client, operation, terms, hold),
  );
  if (act.extendMs !== undefined) {
    await extend(user, claims, hold, act.extendMs);
  }
  if (act.stayMs !== NO_STAY) {
    await user.sleep(act.stayMs);
  }
  if (user.client.isClosed) {
    return;
  }
  for (const claim of claims) {
    user.recorder.released(claim);
  }
  const releases = operationsOf(user, kind, act.names, 'release', { owner });
  await user.recorder.callAll(releases, async () => await hold.release());
}

async function ask(user: User, kind: MultiKind, act: Ask): Promise<void> {
  const lock = lockOf(user, act.names);
  await user.recorder.callAll(operationsOf(user, kind, act.names, act.do, {}), async () =>
    act.do === 'force' ? await lock.forceRelease() : await lock.isLocked(),
  );
}

function someNames(random: Random): string[] {
  const left = [...NAMES];
  const count = random.pick([1, 2, 2, 3, 4]);
  return Array.from({ length: count }, () => {
    const [name = ''] = left.splice(random.int(0, left.length - 1), 1);
    return name;
  });
}

export function multiKind(kind: MultiKind): KindOfObject<MultiAct> {
  return {
    kind,
    stays: /^$/u,
    ...(kind === 'quorum-multi' ? { servers: [3] } : {}),
    inCluster: false,
    prepare: async () => {},
    act: (random, leaseMs) => {
      const names = someNames(random);
      return random.weighted<MultiAct>([
        [
          93,
          () => ({
            do: 'section',
            names,
            ...termsOf(random, leaseMs),
            ...(random.chance(0.08) ? { extendMs: random.pick([50, leaseMs, leaseMs * 2]) } : {}),
          }),
        ],
        [2, () => ({ do: 'force', names })],
        [5, () => ({ do: 'look', names })],
      ]);
    },
    perform: async (user, _object, act) => {
      await (act.do === 'section' ? section(user, kind, act) : ask(user, kind, act));
    },
    force: { do: 'force', names: NAMES },
    probe: { do: 'section', names: NAMES, how: 'ask', stayMs: 0 },
  };
}
