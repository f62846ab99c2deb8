// The count-down latch.

import type { CountDownLatch } from '../../../src/index.js';
import { operationOf, type Act, type KindOfObject, type User } from './kind.js';

interface LatchAct extends Act {
  readonly do: 'set' | 'count down' | 'wait' | 'look' | 'delete';
  readonly count?: number;
  readonly waitMs?: number;
  readonly abortMs?: number;
}

const KIND = 'latch';
const COUNT = 3;

const latchOf = ({ client }: User, object: string): CountDownLatch =>
  client.client.getCountDownLatch(object);

async function perform(
  latch: CountDownLatch,
  act: LatchAct,
  signal: AbortSignal | undefined,
): Promise<unknown> {
  switch (act.do) {
    case 'set':
      return await latch.trySetCount(act.count ?? 1);
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

export const latch: KindOfObject<LatchAct> = {
  kind: KIND,
  stays: /^thing$/u,
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
          waitMs: random.pick([0, 5, leaseMs, leaseMs * 4]),
          ...(random.chance(0.15) ? { abortMs: random.int(0, 30) } : {}),
        }),
      ],
      [18, () => ({ do: 'set', count: random.int(1, 4) })],
      [8, () => ({ do: 'look' })],
      [4, () => ({ do: 'delete' })],
    ]),
  perform: async (user, object, act) => {
    const { waitMs, count } = act;
    const given = operationOf(user, object, KIND, act.do, {
      amount: count ?? 1,
      waits: act.do === 'wait',
      waitMs,
    });
    await user.recorder.call(
      given,
      async (asked) => await perform(latchOf(user, object), act, user.signal(asked, act.abortMs)),
    );
  },
  probe: { do: 'look' },
};
