// A name is of the kind that the server finds in its keys: what was counted down, deleted or forgotten is in nobody's
// way.

import { expect, test } from 'vitest';
import { WrongTypeError, type Client } from '../../../src/index.js';
import { fixture } from '../../contract/fixture.js';
import { eventually } from '../../support/eventually.js';
import { keysUnder } from '../../support/redis.js';
import { allLasting } from '../../support/kinds/kinds.js';
import { pairs } from '../../support/kinds/objects.js';

const { client, name, raw } = fixture('gone-kinds', allLasting);

/** As FLUSHALL does it. */
async function forget(object: string): Promise<void> {
  await raw.del(object, ...(await keysUnder(object, raw)));
}

test.each(pairs)('a name whose $is.id is gone can be a $other.id', async ({ is, other }) => {
  const [own, object] = [client(), name()];
  const taken = await is.take(own, object);
  await taken.free();
  await forget(object);

  const next = await other.take(own, object);

  await next.free();
  await next.remove();
});

const ends: [string, (own: Client, elsewhere: Client, object: string) => Promise<unknown>][] = [
  [
    'counted down elsewhere',
    async (own, elsewhere, object) => {
      await own.getCountDownLatch(object).trySetCount(1);
      await elsewhere.getCountDownLatch(object).countDown();
    },
  ],
  [
    'at the end of its time',
    async (own, _, object) => {
      await own.getCountDownLatch(object).trySetCount(1, { ttlMs: 50 });
      await eventually(async () => (await raw.exists(object)) === 0, { everyMs: 5 });
    },
  ],
  [
    'overwritten with a lock',
    async (own, elsewhere, object) => {
      await own.getCountDownLatch(object).trySetCount(1);
      await raw.del(object);
      await (await elsewhere.getLock(object).acquire({ leaseMs: 100 })).extend(200);
    },
  ],
];

test.each(ends)('a latch that is %s is no longer in the way', async (_, end) => {
  const [own, object] = [client(), name()];
  await end(own, client(), object);

  const hold = await own.getLock(object).acquire();

  await hold.release();
});

test('two kinds do not get in at once', async () => {
  const [own, object] = [client(), name()];

  const outcomes = await Promise.allSettled([
    own.getLock(object).acquire(),
    own.getFencedLock(object).acquire(),
    own.getCountDownLatch(object).trySetCount(1),
  ]);

  const refused = outcomes.filter(
    (each) => each.status === 'rejected' && each.reason instanceof WrongTypeError,
  );
  expect(refused).toHaveLength(2);
});
