// Latches: one that is counted down for ever, and one that opens and is set again.

import type { CountDownLatch } from '../../../src/index.js';
import type { Call } from '../history.js';
import { now } from '../history.js';
import type { At } from '../lane.js';
import type { Act } from '../plan.js';
import { COMMAND_TIMEOUT_MS } from '../scene.js';

type LatchAct = Extract<
  Act,
  { do: 'count down' | 'latch set' | 'latch down' | 'latch delete' | 'latch wait' }
>;

export async function performLatch(at: At, act: LatchAct): Promise<void> {
  const { lane, scene, member } = at;
  const { recorder, names } = scene;
  const ofWait = act.do === 'latch wait' && act.isRelay ? names.relay : names.gate;
  const name = act.do === 'count down' ? names.counter : ofWait;
  const latch = member.client.getCountDownLatch(name);
  const begin = (what: string, delta = 0): Call =>
    recorder.begin(lane.actor, member.label, what, name, COMMAND_TIMEOUT_MS, delta);
  switch (act.do) {
    case 'count down':
    case 'latch down':
      await recorder.run(begin('countDown', -1), async () => await latch.countDown());
      break;
    case 'latch set': {
      const { count, ttlMs } = act;
      const call = begin('trySetCount', count);
      call.lifeMs = ttlMs ?? Infinity;
      const options = ttlMs === undefined ? {} : { ttlMs };
      await recorder.run(call, async () => await latch.trySetCount(count, options));
      break;
    }
    case 'latch delete':
      await recorder.run(begin('delete'), async () => {
        await latch.delete();
      });
      break;
    case 'latch wait':
      await wait(at, latch, act);
  }
}

async function wait(
  { lane, scene, member }: At,
  latch: CountDownLatch,
  { waitMs, abortMs }: Extract<Act, { do: 'latch wait' }>,
): Promise<void> {
  const { recorder } = scene;
  const limitMs = waitMs === 0 ? COMMAND_TIMEOUT_MS : waitMs;
  const call = recorder.begin(lane.actor, member.label, 'wait', latch.name, limitMs);
  const aborting = recorder.abortable(call, abortMs);
  const reached = await recorder.run(
    call,
    async () =>
      await latch.wait({
        ...(waitMs === undefined ? {} : { waitMs }),
        ...(aborting.signal === undefined ? {} : { signal: aborting.signal }),
      }),
  );
  aborting.dispose();
  if (reached !== undefined) {
    const { actor } = lane;
    scene.latchWaits.push({
      name: latch.name,
      actor,
      from: call.from,
      until: now(),
      reached,
      waitMs,
    });
  }
}
