// The locks: plain, fair and fenced, and the two sides of a read-write lock.

import type { Hold, Lock } from '../../../src/index.js';
import type { Random } from '../../../src/testing/random.js';
import type { Claim, Kind, Mode } from '../history.js';
import type { SimulatedClient } from '../world.js';
import { extend, operationOf, type KindOfObject, type User } from './kind.js';
import {
  doesWait,
  NO_STAY,
  optionsOf,
  termsInFlow,
  termsOf,
  type FlowTerms,
  type Terms,
} from './terms.js';

type LockKind = Exclude<Kind, 'multi' | 'quorum-multi' | 'semaphore' | 'expirable' | 'latch'>;

/** Those of a quorum, by how many servers there are. */
const SERVERS = [3, 3, 5];

interface Reentry {
  readonly mode: Mode;
  /** After so long inside. */
  readonly afterMs: number;
  /** Asked for while a forced release of the same client is under way. */
  readonly isBehindForce: boolean;
}

interface Section extends Terms {
  readonly do: 'section';
  readonly mode: Mode;
  /** One after the other, each within the outermost hold. */
  readonly again: readonly Reentry[];
  /** The outer hold is released before the inner ones. */
  readonly releasesOuterFirst: boolean;
  readonly extendMs?: number;
}

interface Ask {
  readonly do: 'force' | 'look';
  readonly mode: Mode;
}

type LockAct = Section | Ask;

function lockOf({ client }: SimulatedClient, kind: LockKind, name: string, mode: Mode): Lock {
  switch (kind) {
    case 'lock':
    case 'quorum':
      return client.getLock(name);
    case 'fair':
      return client.getFairLock(name);
    case 'fenced':
    case 'quorum-fenced':
      return client.getFencedLock(name);
    default: {
      const { readLock, writeLock } = client.getReadWriteLock(name);
      return mode === 'shared' ? readLock : writeLock;
    }
  }
}

interface Holding {
  readonly hold: Hold;
  readonly claim: Claim;
  readonly owner: string;
}

/** Asks for a lock, or re-enters through `within`. Undefined when it got nothing. */
async function enter(
  user: User,
  object: string,
  kind: LockKind,
  mode: Mode,
  terms: Terms,
  within?: Holding,
): Promise<Holding | undefined> {
  const lock = lockOf(user.client, kind, object, mode);
  const owner = within?.owner ?? user.newOwner();
  const { waitMs, how, leaseMs = user.world.terms.leaseMs } = terms;
  const given = operationOf(user, object, kind, 'acquire', {
    mode,
    owner,
    waits: doesWait(terms),
    waitMs,
    leaseMs,
  });
  const { operation, value } = await user.recorder.call(given, async (asked) => {
    const options = {
      ...optionsOf(terms, user.signal([asked], terms.abortMs)),
      ...(within === undefined ? {} : { within: within.hold }),
    };
    return how === 'acquire' ? await lock.acquire(options) : await lock.tryAcquire(options);
  });
  if (value === undefined || value === null) {
    return undefined;
  }
  const claim = user.recorder.granted(
    user.client,
    operation,
    {
      leaseMs,
      isRenewed: terms.leaseMs === undefined,
      maxHoldMs: terms.maxHoldMs,
      permits: 1,
      token: value.fencingToken,
    },
    value,
  );
  return { hold: value, claim, owner };
}

async function leave(user: User, { hold, claim, owner }: Holding): Promise<void> {
  const { object, kind, mode } = claim;
  if (user.client.isClosed) {
    // To close the client was the release.
    return;
  }
  user.recorder.released(claim);
  const given = operationOf(user, object, kind, 'release', { mode, owner });
  await user.recorder.call(given, async () => await hold.release());
}

async function section(user: User, object: string, kind: LockKind, act: Section): Promise<void> {
  const outer = await enter(user, object, kind, act.mode, act);
  if (outer === undefined || act.isLeft === true) {
    return;
  }
  const holdings = [outer];
  const forced: Promise<void>[] = [];
  for (const { mode, afterMs, isBehindForce } of act.again) {
    if (afterMs > 0) {
      await user.sleep(afterMs);
    }
    if (isBehindForce) {
      forced.push(ask(user, object, kind, { do: 'force', mode: act.mode }));
    }
    const inner = await enter(user, object, kind, mode, { ...act, how: 'try', waitMs: 50 }, outer);
    if (inner !== undefined) {
      holdings.push(inner);
    }
  }
  if (act.extendMs !== undefined) {
    await extend(user, [outer.claim], outer.hold, act.extendMs);
  }
  const write = beginRound(user, outer);
  if (act.stayMs !== NO_STAY) {
    await user.sleep(act.stayMs);
  }
  write();
  const order = act.releasesOuterFirst ? holdings : holdings.toReversed();
  for (const holding of order) {
    await leave(user, holding);
  }
  await Promise.all(forced);
}

/** A call that takes nothing. */
async function ask(user: User, object: string, kind: LockKind, act: Ask): Promise<void> {
  const lock = lockOf(user.client, kind, object, act.mode);
  const given = operationOf(user, object, kind, act.do, { mode: act.mode });
  await user.recorder.call(given, async () =>
    act.do === 'force' ? await lock.forceRelease() : await lock.isLocked(),
  );
}

/** Reads the counters that the lock protects, and returns how to write them. Whoever stood still in
 * between does not look whether it still holds: that is what fencing tokens are for. */
function beginRound(user: User, { claim }: Holding): () => void {
  const { object, client, owner, token } = claim;
  if (token === undefined) {
    return () => {};
  }
  const { fencedStore, openStore, timeline } = user.world;
  const round = { object, client, owner, token, readAt: timeline.now };
  const writes = [fencedStore, openStore].map((store) => store.begin(round));
  return () => {
    for (const write of writes) {
      write(timeline.now);
    }
  };
}

function sectionOf(random: Random, leaseMs: number, kind: LockKind): Section {
  const mode = kind === 'rwlock' && random.chance(0.6) ? 'shared' : 'exclusive';
  const again: Reentry[] = [];
  while (again.length < 2 && random.chance(0.25)) {
    again.push({
      mode: mode === 'exclusive' && kind === 'rwlock' ? random.pick(['exclusive', 'shared']) : mode,
      afterMs: random.chance(0.5) ? 0 : random.int(1, random.pick([4, leaseMs >> 1, leaseMs * 2])),
      isBehindForce: random.chance(0.2),
    });
  }
  return {
    do: 'section',
    mode,
    ...termsOf(random, leaseMs),
    again,
    releasesOuterFirst: random.chance(0.4),
    ...(random.chance(0.08) ? { extendMs: random.pick([50, leaseMs, leaseMs * 2]) } : {}),
  };
}

function crowdSectionOf(random: Random, kind: LockKind, isTight: boolean): Section {
  if (isTight && random.chance(0.98)) {
    const stays = {
      how: 'acquire',
      stayMs: NO_STAY,
      again: [],
      releasesOuterFirst: false,
    } as const;
    return { do: 'section', mode: 'exclusive', ...stays };
  }
  const mode = kind === 'rwlock' && random.chance(0.1) ? 'shared' : 'exclusive';
  const again: Reentry[] = random.chance(0.05) ? [{ mode, afterMs: 0, isBehindForce: false }] : [];
  return {
    do: 'section',
    mode,
    how: 'acquire',
    ...(random.chance(0.05) ? { leaseMs: 600 } : {}),
    ...(random.chance(0.05) ? { abortMs: random.int(0, 5) } : {}),
    stayMs: random.weighted<number>([
      [70, () => 0],
      [25, () => random.next()],
      [5, () => random.int(1, 6)],
    ]),
    again,
    releasesOuterFirst: random.chance(0.5),
    ...(random.chance(0.03) ? { extendMs: 600 } : {}),
  };
}

function flowSectionOf(random: Random, kind: LockKind, given: FlowTerms): Section {
  const mode = kind === 'rwlock' && random.chance(given.readShare) ? 'shared' : 'exclusive';
  return { do: 'section', mode, ...termsInFlow(given), again: [], releasesOuterFirst: false };
}

/** A short read, however long it has to wait. */
function readOf(random: Random): Section {
  const stay = { how: 'acquire', stayMs: random.int(0, 4), again: [] } as const;
  return { do: 'section', mode: 'shared', ...stay, releasesOuterFirst: false };
}

export function lockKind(kind: LockKind, stays: RegExp): KindOfObject<LockAct> {
  return {
    kind,
    stays,
    prepare: async () => {},
    act: (random, leaseMs) => {
      const mode = kind === 'rwlock' && random.chance(0.5) ? 'shared' : 'exclusive';
      return random.weighted<LockAct>([
        [93, () => sectionOf(random, leaseMs, kind)],
        [2, () => ({ do: 'force', mode })],
        [5, () => ({ do: 'look', mode })],
      ]);
    },
    ...(kind === 'quorum' || kind === 'quorum-fenced'
      ? { servers: SERVERS }
      : {
          crowdAct: (random, isTight) => crowdSectionOf(random, kind, isTight),
          flowAct: (random, given) => flowSectionOf(random, kind, given),
        }),
    ...(kind === 'rwlock' ? { sharedAct: readOf } : {}),
    perform: async (user, object, act) => {
      if (act.do === 'section') {
        await section(user, object, kind, act);
        return;
      }
      await ask(user, object, kind, act);
    },
    force: { do: 'force', mode: 'exclusive' },
    probe: {
      do: 'section',
      mode: 'exclusive',
      how: 'ask',
      stayMs: 0,
      again: [],
      releasesOuterFirst: false,
    },
  };
}
