// Who is served when.

import { setMaxListeners } from 'node:events';
import { expect, test } from 'vitest';
import { WrongTypeError, type Client, type Hold } from '../../../src/index.js';
import { fixture, rejection } from '../../contract/fixture.js';
import { eventually } from '../../support/eventually.js';
import { messagesOn } from '../../support/messages.js';
import { startProxy } from '../../support/proxy.js';
import { redisUrl } from '../../support/redis.js';
import { FairView } from './fair.js';

const { client: open, name, raw } = fixture('fair-order');
/** It hands the lock on one by one, so that each turn has a holder id of its own. */
const client: typeof open = (options) => open({ handOff: 'strict', ...options });

const LEFT = new Error('left');

interface Wait {
  readonly granted: Promise<Hold>;
  readonly holderId: string;
  abort(): void;
}

/** One waiter after the other, as the server sees them. */
async function line(view: FairView, clients: readonly Client[]): Promise<Wait[]> {
  const waits: Wait[] = [];
  for (const each of clients) {
    const abort = new AbortController();
    const granted = each.getFairLock(view.name).acquire({ signal: abort.signal });
    granted.catch(() => undefined);
    const waiting = await view.queued(waits.length + 1);
    const holderId = waiting.at(-1) ?? '';
    const channel = `redlatch:${holderId.slice(0, 36)}`;
    await eventually(async () => (await raw.pubsub('NUMSUB', channel))[1] === 1);
    waits.push({ granted, holderId, abort: () => abort.abort(LEFT) });
  }
  return waits;
}

/** Releases each hold as soon as it is granted, and says in which order that was. */
async function serve(waits: readonly Wait[]): Promise<string[]> {
  const served: string[] = [];
  await Promise.all(
    waits.map(async ({ granted }) => {
      const hold = await granted;
      served.push(hold.holderId);
      await hold.release();
    }),
  );
  return served;
}

test('a thousand waiters of one client are served in the order of their calls', async () => {
  const view = new FairView(raw, name());
  const lock = client().getFairLock(view.name);
  const first = await lock.acquire();
  const served: number[] = [];
  const waits = Array.from({ length: 1_000 }, async (_, i) => {
    const hold = await lock.acquire();
    served.push(i);
    await hold.release();
  });
  const waiting = await view.queued(1_000);

  await first.release();
  await Promise.all(waits);

  expect(served).toEqual(Array.from({ length: 1_000 }, (_, i) => i));
  // The numbers that their client gave them as they came.
  const numbers = waiting.map((holderId) => Number(holderId.slice(37)));
  expect(numbers).toEqual(numbers.toSorted((a, b) => a - b));
});

test('waiters of three clients are served in the order of the queue', async () => {
  const view = new FairView(raw, name());
  const [a, b, c] = [client(), client(), client()];
  const first = await b.getFairLock(view.name).acquire();
  const waits = await line(view, [a, b, c, c, a, b, a, a, c, b, b, a]);

  await first.release();
  const served = await serve(waits);

  expect(served).toEqual(waits.map(({ holderId }) => holderId));
});

test('those who leave are passed over, wherever they stand', async () => {
  const view = new FairView(raw, name());
  const [a, b] = [client(), client()];
  const first = await a.getFairLock(view.name).acquire();
  const waits = await line(view, [a, b, a, b, a, b, a]);
  const [head, , middle, , , , last] = waits;

  head?.abort();
  middle?.abort();
  last?.abort();
  const staying = waits.filter((wait) => ![head, middle, last].includes(wait));
  const waiting = await view.queued(4);
  await first.release();
  const served = await serve(staying);

  expect(waiting).toEqual(staying.map(({ holderId }) => holderId));
  expect(served).toEqual(waiting);
  await expect(head?.granted).rejects.toBe(LEFT);
});

test('a waiter that Java took for dead returns to the front', async () => {
  const view = new FairView(raw, name());
  const first = await client().getFairLock(view.name).acquire();
  const waits = await line(view, [client(), client()]);
  const expected = waits.map(({ holderId }) => holderId);

  await view.evict(expected[0] ?? '');
  await eventually(async () => (await raw.lindex(view.queue, 0)) === expected[0]);
  const waiting = await view.waiting();
  const score = await view.score(expected[0] ?? '');
  await first.release();
  const served = await serve(waits);

  expect(waiting).toEqual(expected);
  expect(score).toBeGreaterThan(await view.now());
  expect(served).toEqual(expected);
});

test('a client that is not heard of is passed over, and comes back in front', async () => {
  const view = new FairView(raw, name());
  const first = await client().getFairLock(view.name).acquire();
  const waits = await line(view, [client(), client(), client()]);
  const [a, b, c] = waits;
  const [absent = '', present, last] = waits.map(({ holderId }) => holderId);
  const clientId = absent.slice(0, 36);

  // Right after a sign of life, so that the next one is not due yet.
  const heard = await raw.zscore(view.beats, clientId);
  await eventually(async () => (await raw.zscore(view.beats, clientId)) !== heard);
  await raw.zadd(view.beats, (await view.now()) - 4_000, clientId);
  await first.release();
  const passing = await b?.granted;
  await eventually(async () => (await raw.lindex(view.queue, 0)) === absent);
  const waiting = await view.waiting();
  await passing?.release();
  const served = await serve([a, c].filter((wait) => wait !== undefined));

  expect(passing?.holderId).toBe(present);
  expect(waiting).toEqual([absent, last]);
  expect(served).toEqual([absent, last]);
});

test('the first of a client goes first, whoever of its waiters stands in front', async () => {
  const view = new FairView(raw, name());
  const [a, b] = [client(), client()];
  const first = await b.getFairLock(view.name).acquire();
  const waits = await line(view, [a, b, a]);
  const [a1 = '', b1 = '', a2 = ''] = waits.map(({ holderId }) => holderId);

  // As after a connection was cut while both queued.
  await raw.multi().del(view.queue).rpush(view.queue, a2, b1, a1).exec();
  await first.release();
  const order: number[] = [];
  const served = await serve(
    waits.map((wait, i) => ({
      ...wait,
      granted: wait.granted.then((hold) => {
        order.push(i);
        return hold;
      }),
    })),
  );

  expect(order).toEqual([0, 1, 2]);
  // The ticket that is granted serves the first of its client.
  expect(served).toEqual([a2, b1, a1]);
});

test('who was told before the grant of the one ahead has been heard of gets in promptly', async (context) => {
  const view = new FairView(raw, name());
  const proxy = await startProxy({ target: redisUrl() });
  const waiter = client({ redis: proxy.url });
  const holder = await client().getFairLock(view.name).acquire();
  const [first, second] = await line(view, [waiter, waiter]);
  const told = await messagesOn(`redlatch:${second?.holderId.slice(0, 36)}`, { context });
  const connections = proxy.connections();
  for (const { down } of connections) {
    down.stop('paused');
  }

  await holder.release();
  await eventually(async () => (await raw.hkeys(view.name))[0] === first?.holderId);
  await client().getFairLock(view.name).forceRelease();
  const releasedAt = performance.now();
  await eventually(() => told.some((message) => message.startsWith(`f${second?.holderId}`)));
  for (const { down } of connections) {
    down.go('paused');
  }
  await first?.granted;
  const next = await second?.granted;

  expect(performance.now() - releasedAt).toBeLessThan(500);
  await next?.release();
});

test('a waiter that learns of its grant too late asks again', async () => {
  const view = new FairView(raw, name());
  const proxy = await startProxy({ target: redisUrl() });
  const slow = client({ redis: proxy.url });
  const first = await client().getFairLock(view.name).acquire();
  const waiting = slow.getFairLock(view.name).acquire({ leaseMs: 400 });
  const [early = ''] = await view.queued(1);
  proxy.delay({ downMs: 500 });

  await first.release();
  await eventually(async () => (await raw.hkeys(view.name))[0] === early);
  await eventually(async () => (await raw.exists(view.name)) === 0);
  proxy.delay({ downMs: 0 });
  const hold = await waiting;

  expect(hold.isHeld).toBe(true);
  await hold.release();
});

test('a grant that came too late was a turn: those who came before the next attempt go first', async () => {
  const view = new FairView(raw, name());
  const proxy = await startProxy({ target: redisUrl() });
  const [slow, other] = [client({ redis: proxy.url, leaseMs: 400 }), client()];
  const first = await client().getFairLock(view.name).acquire();
  const waits = await line(view, [slow, slow, other]);
  const [late, next, last] = waits.map(({ holderId }) => holderId);
  proxy.delay({ downMs: 500 });

  await first.release();
  await eventually(async () => (await raw.hkeys(view.name))[0] === late);
  // The next one may be granted the lock as soon as that has ended.
  await eventually(async () => (await raw.hkeys(view.name))[0] !== late);
  proxy.delay({ downMs: 0 });
  const served = await serve(waits);

  expect(served).toEqual([next, last, late]);
});

test('waiters leave the queue when something else is written over the lock', async () => {
  const view = new FairView(raw, name());
  const hold = await client().getFairLock(view.name).acquire();
  const waits = await line(view, [client(), client()]);

  await raw.set(view.name, 'something else');
  const errors = await Promise.all(waits.map(({ granted }) => rejection(granted)));
  await view.queued(0);

  expect(errors).toEqual([expect.any(WrongTypeError), expect.any(WrongTypeError)]);
  await view.clear();
  await expect(hold.release()).rejects.toThrow('lost');
});

test('two thousand that leave together leave nothing', async () => {
  const view = new FairView(raw, name());
  const [a, b] = [client(), client()];
  const first = await a.getFairLock(view.name).acquire();
  const abort = new AbortController();
  setMaxListeners(2_000, abort.signal);
  const waits = Array.from({ length: 2_000 }, async (_, i) => {
    const lock = (i % 2 === 0 ? a : b).getFairLock(view.name);
    await lock.acquire({ signal: abort.signal });
  });
  await view.queued(2_000);

  abort.abort(LEFT);
  const outcomes = await Promise.allSettled(waits);
  await view.queued(0);
  await first.release();

  expect(outcomes.every(({ status }) => status === 'rejected')).toBe(true);
  expect(await raw.exists(view.name, view.queue, view.timeouts, view.beats)).toBe(0);
  await (await b.getFairLock(view.name).acquire()).release();
});
