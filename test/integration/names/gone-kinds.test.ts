// A name is of the kind that this client has last seen it to be, for as long as that is true: what was
// counted down, deleted or forgotten elsewhere is in nobody's way.

import { describe, expect, test } from 'vitest';
import { CommandTimeoutError, WrongTypeError, type Client } from '../../../src/index.js';
import { fixture, rejection } from '../../contract/fixture.js';
import { eventually } from '../../support/eventually.js';
import { startProxy, type Proxy } from '../../support/proxy.js';
import { keysUnder, redisUrl } from '../../support/redis.js';
import { scriptsOf } from '../semaphore/world.js';
import { allLasting } from '../../support/kinds/kinds.js';
import { objectKinds, pairs } from '../../support/kinds/objects.js';

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

test.each(pairs.filter(({ is }) => is.layout === 'count'))(
  'a name that this client has seen to be a $is.id is no $other.id until it is gone',
  async ({ is, other }) => {
    const [own, object] = [client(), name()];
    const taken = await is.take(client(), object);
    await is.look(own, object);

    const errors = [
      await rejection(other.take(own, object)),
      await rejection(other.look(own, object)),
      await rejection(other.wait(own, object)),
    ];
    await taken.free();
    await taken.remove();
    const next = await other.take(own, object);
    await next.free();
    await next.remove();

    for (const error of errors) {
      expect(error).toBeInstanceOf(WrongTypeError);
      expect(String(error)).toContain(`in use as a ${is.id}`);
    }
  },
);

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

/** A client behind a proxy that remembers a semaphore, which is gone. */
async function remembering(commandTimeoutMs = 5_000): Promise<{
  own: Client;
  object: string;
  proxy: Proxy;
}> {
  const proxy = await startProxy({ target: redisUrl() });
  const own = client({ redis: proxy.url, commandTimeoutMs });
  const object = name();
  await own.getSemaphore(object).trySetPermits(1);
  await forget(object);
  return { own, object, proxy };
}

describe('the question whether it is gone', () => {
  test('is asked once, and only when another kind is wanted', async () => {
    const { own, object, proxy } = await remembering();
    const before = scriptsOf(proxy);

    await own.getSemaphore(object).availablePermits();
    await own.getSemaphore(object).trySetPermits(1);
    await forget(object);
    const same = scriptsOf(proxy) - before;
    await own.getCountDownLatch(object).count();
    const other = scriptsOf(proxy) - before - same;
    await own.getCountDownLatch(object).count();
    await own.getLock(object).isLocked();

    expect([same, other, scriptsOf(proxy) - before]).toEqual([2, 2, 6]);
  });

  const others = objectKinds.filter(({ id }) => id !== 'semaphore' && id !== 'read-write-lock');

  test.each(others)('counts against the patience of who waits for a $id', async ({ wait }) => {
    const { own, object, proxy } = await remembering();
    const abort = new AbortController();
    const reason = new Error('enough');
    proxy.pauseDownstream();
    const before = scriptsOf(proxy);

    const late = rejection(wait(own, object, { waitMs: 60 }));
    const aborted = rejection(wait(own, object, { signal: abort.signal }));
    await eventually(() => scriptsOf(proxy) === before + 2);
    abort.abort(reason);
    const closed = rejection(wait(own, object, {}));
    const errors = [await late, await aborted];
    await own.close({ timeoutMs: 0 });

    expect(errors[0]).toBeInstanceOf(CommandTimeoutError);
    expect(String(errors[0])).toMatch(/within \d{2,4} ms/u);
    expect(errors[1]).toBe(reason);
    expect(await closed).toMatchObject({ code: 'ERR_CLOSED' });
  });

  test('goes on through an outage for who waits without limit', async () => {
    const { own, object, proxy } = await remembering(200);
    proxy.refuse();
    proxy.cutAll();
    const waiting = own.getLock(object).acquire();
    await rejection(own.getCountDownLatch(name()).count());

    await proxy.accept();
    const hold = await waiting;

    expect(hold.isHeld).toBe(true);
    await hold.release();
  });

  test('is a part of the time that a call may take', async () => {
    const { own, object, proxy } = await remembering(400);
    // Each of the two would be in time alone.
    proxy.delay({ upMs: 0, downMs: 250 });

    const error = await rejection(own.getCountDownLatch(object).count());
    proxy.delay({ upMs: 0, downMs: 0 });

    expect(error).toBeInstanceOf(CommandTimeoutError);
  });

  test('does not let in two kinds at once', async () => {
    const { own, object } = await remembering();

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
});
