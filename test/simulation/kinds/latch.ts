// The count-down latch.

import type { CountDownLatch } from '../../../src/index.js';
import type { Random } from '../../../src/testing/random.js';
import type { Operation } from '../history.js';
import { operationOf, type Act, type KindOfObject, type User } from './kind.js';

type Call = LatchAct & { readonly do: Exclude<LatchAct['do'], 'renew' | 'replace'> };

interface LatchAct extends Act {
  /** `renew`: sets it for a while, and again as soon as it is over. `replace`: deletes and sets it. */
  readonly do: 'set' | 'renew' | 'replace' | 'count down' | 'wait' | 'look' | 'delete';
  readonly count?: number;
  readonly ttlMs?: number;
  readonly waitMs?: number;
  readonly abortMs?: number;
}

const KIND = 'latch';
const COUNT = 3;

/** How often a latch that should be over is set again, if it is still there. */
const ATTEMPTS = 4;

const latchOf = ({ client }: User, object: string): CountDownLatch =>
  client.client.getCountDownLatch(object);

async function perform(
  latch: CountDownLatch,
  act: LatchAct,
  signal: AbortSignal | undefined,
): Promise<unknown> {
  switch (act.do) {
    case 'set':
      return await latch.trySetCount(act.count ?? 1, { ttlMs: act.ttlMs });
    case 'count down':
      return await latch.countDown();
    case 'wait':
      return await latch.wait({
        ...(act.waitMs === undefined ? {} : { waitMs: act.waitMs }),
        ...(signal === undefined ? {} : { signal }),
      });
    case 'delete':
      return await latch.delete();
    default:
      return await latch.count();
  }
}

async function recorded(user: User, object: string, act: Call): Promise<Operation> {
  const { waitMs, count, ttlMs } = act;
  const waits = act.do === 'wait';
  const given = operationOf(user, object, KIND, act.do, {
    amount: count ?? 1,
    waits,
    waitMs,
    ttlMs,
  });
  const { operation } = await user.recorder.call(
    given,
    async (asked) => await perform(latchOf(user, object), act, user.signal([asked], act.abortMs)),
  );
  return operation;
}

async function renew(user: User, object: string, act: LatchAct): Promise<void> {
  const { ttlMs = 0, ...rest } = act;
  const { outcome } = await recorded(user, object, { ...act, do: 'set' });
  if (outcome === 'ok') {
    await user.sleep(ttlMs);
    await setAgain(user, object, { ...rest, do: 'set' }, ATTEMPTS);
  }
}

async function setAgain(user: User, object: string, act: Call, attempts: number): Promise<void> {
  const { outcome } = await recorded(user, object, act);
  if (outcome === 'no' && attempts > 1) {
    await user.sleep(1);
    await setAgain(user, object, act, attempts - 1);
  }
}

function setOf(random: Random, leaseMs: number): LatchAct {
  const life = random.chance(0.3) ? { ttlMs: random.pick([20, leaseMs, leaseMs * 3]) } : {};
  return { do: 'set', count: random.int(1, 4), ...life };
}

export const latch: KindOfObject<LatchAct> = {
  kind: KIND,
  stays: /^(?:thing|redlatch_opened:\{thing\})$/u,
  prepare: async (user, object) => {
    const given = operationOf(user, object, KIND, 'set', { amount: COUNT });
    await user.recorder.call(given, async () => await latchOf(user, object).trySetCount(COUNT));
  },
  act: (random, leaseMs) =>
    random.weighted<LatchAct>([
      [40, () => ({ do: 'count down' })],
      [
        30,
        () => ({
          do: 'wait',
          // The longest is longer than a waiter sleeps.
          waitMs: random.pick([0, 5, leaseMs, leaseMs * 4, 25_000]),
          ...(random.chance(0.15) ? { abortMs: random.int(0, 30) } : {}),
        }),
      ],
      [16, () => setOf(random, leaseMs)],
      [6, () => ({ do: 'renew', count: 9, ttlMs: random.pick([20, leaseMs]) })],
      [4, () => ({ do: 'replace', count: random.int(1, 4) })],
      [8, () => ({ do: 'look' })],
      [4, () => ({ do: 'delete' })],
    ]),
  perform: async (user, object, act) => {
    switch (act.do) {
      case 'renew':
        await renew(user, object, act);
        break;
      case 'replace':
        // Nobody looks between the two.
        await Promise.all([
          recorded(user, object, { do: 'delete' }),
          recorded(user, object, { ...act, do: 'set' }),
        ]);
        break;
      default:
        await recorded(user, object, act as Call);
    }
  },
  probe: { do: 'look' },
};
