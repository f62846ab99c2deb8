// The counting semaphore: permits without an owner.

import type { Permits, Semaphore } from '../../../src/index.js';
import type { Random } from '../../../src/testing/random.js';
import { operationOf, type KindOfObject, type User } from './kind.js';
import { doesWait, optionsOf, termsOf, type Terms } from './terms.js';

interface Section extends Omit<Terms, 'leaseMs'> {
  readonly do: 'section';
  readonly count: number;
  /** A release of which nothing could be learnt is made again. */
  readonly insists: boolean;
}

type SemaphoreAct =
  | Section
  | { readonly do: 'look' | 'drain' | 'delete' }
  | { readonly do: 'set'; readonly count: number }
  | { readonly do: 'add'; readonly delta: number };

const KIND = 'semaphore';
const PERMITS = 3;

/** A release is made so often at most, with so much time in between. */
const RELEASES = 4;
const RETRY_MS = 300_000;

const semaphoreOf = ({ client }: User, object: string): Semaphore =>
  client.client.getSemaphore(object);

async function section(user: User, object: string, act: Section): Promise<void> {
  const owner = user.newOwner();
  const { how, waitMs, count } = act;
  const given = operationOf(user, object, KIND, 'acquire', {
    owner,
    amount: count,
    waits: doesWait(act),
    waitMs,
  });
  const { operation, value } = await user.recorder.call(given, async (asked) => {
    const options = optionsOf(act, user.signal([asked], act.abortMs));
    const semaphore = semaphoreOf(user, object);
    return how === 'acquire'
      ? await semaphore.acquire(count, options)
      : await semaphore.tryAcquire(count, options);
  });
  if (value === undefined || value === null) {
    return;
  }
  const terms = {
    leaseMs: Number.POSITIVE_INFINITY,
    isRenewed: false,
    permits: count,
    token: undefined,
  };
  const claim = user.recorder.granted(user.client, operation, terms, undefined);
  await user.sleep(act.stayMs);
  user.recorder.released(claim);
  const limit = act.insists ? { waitMs: RELEASES * RETRY_MS } : {};
  const returned = operationOf(user, object, KIND, 'release', { owner, amount: count, ...limit });
  await user.recorder.call(returned, async () => {
    await release(user, value, act.insists ? RELEASES : 1);
  });
}

async function release(user: User, permits: Permits, attempts: number): Promise<void> {
  try {
    await permits.release();
  } catch (error) {
    if (attempts === 1 || user.client.isClosed) {
      throw error;
    }
    await user.sleep(RETRY_MS);
    await release(user, permits, attempts - 1);
  }
}

function sectionOf(random: Random, leaseMs: number): Section {
  const { leaseMs: _none, ...terms } = termsOf(random, leaseMs);
  // Permits of whoever is killed are gone: nobody waits for them for ever.
  const waitMs = terms.waitMs ?? (terms.how === 'acquire' ? leaseMs * 3 : undefined);
  return {
    do: 'section',
    ...terms,
    ...(waitMs === undefined ? {} : { waitMs }),
    count: random.pick([1, 1, 2, 3]),
    insists: random.chance(0.2),
  };
}

async function perform(user: User, object: string, act: SemaphoreAct): Promise<unknown> {
  const semaphore = semaphoreOf(user, object);
  switch (act.do) {
    case 'set':
      return await semaphore.trySetPermits(act.count);
    case 'add':
      return await semaphore.addPermits(act.delta);
    case 'drain':
      return await semaphore.drainPermits();
    case 'delete':
      return await semaphore.delete();
    default:
      return await semaphore.availablePermits();
  }
}

function amountOf(act: Exclude<SemaphoreAct, Section>): number {
  if (act.do === 'add') {
    return act.delta;
  }
  return act.do === 'set' ? act.count : 1;
}

export const semaphore: KindOfObject<SemaphoreAct> = {
  kind: KIND,
  stays: /^(?:thing|redlatch_(?:generation|permits):\{thing\})$/u,
  prepare: async (user, object) => {
    const given = operationOf(user, object, KIND, 'set', { amount: PERMITS });
    await user.recorder.call(given, async () =>
      user.world.terms.isMadeByJava
        ? user.world.setAsJava(object, PERMITS)
        : await semaphoreOf(user, object).trySetPermits(PERMITS),
    );
  },
  act: (random, leaseMs) =>
    random.weighted<SemaphoreAct>([
      [86, () => sectionOf(random, leaseMs)],
      [5, () => ({ do: 'look' })],
      [3, () => ({ do: 'add', delta: random.pick([-1, 1, 2]) })],
      [2, () => ({ do: 'set', count: PERMITS })],
      [2, () => ({ do: 'drain' })],
      [2, () => ({ do: 'delete' })],
    ]),
  perform: async (user, object, act) => {
    if (act.do === 'section') {
      await section(user, object, act);
      return;
    }
    const given = operationOf(user, object, KIND, act.do, { amount: amountOf(act) });
    await user.recorder.call(given, async () => await perform(user, object, act));
  },
  probe: { do: 'look' },
};
