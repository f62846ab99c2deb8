// Listeners of events run where they were added, those of our signals nowhere in particular: never in
// the context of whoever found out first.

import { expect, test } from 'vitest';
import type { Client, Hold, Lock } from '../../../src/index.js';
import { fixture, rejection } from '../../contract/fixture.js';
import { eventually } from '../../support/eventually.js';
import { startProxy } from '../../support/proxy.js';
import { redisUrl } from '../../support/redis.js';
import { attempt, request } from './contexts.js';

const { client, name, raw } = fixture('listeners');

/** What a listener found: the request that it runs in, and how it got the lock of a scope. */
type Found = readonly [store: string | undefined, depth: number | null];

async function found(lock: Lock): Promise<Found> {
  return [request.getStore(), await attempt(lock)];
}

const ways: Record<string, (hold: Hold, lock: Lock, owner: Client) => unknown> = {
  'signal.aborted': ({ signal }) => signal.aborted,
  'signal.reason': ({ signal }): unknown => signal.reason,
  'signal.throwIfAborted': ({ signal }) => expect(() => signal.throwIfAborted()).toThrow(),
  state: ({ state }) => state,
  isHeld: ({ isHeld }) => isHeld,
  remainingMs: ({ remainingMs }) => remainingMs,
  assertHeld: (hold) => expect(() => hold.assertHeld()).toThrow(),
  extend: async (hold) => await rejection(hold.extend(1)),
  run: async (hold) => await rejection(hold.run(() => 'never')),
  release: async (hold) => await rejection(hold.release()),
  dispose: async (hold) => await hold[Symbol.asyncDispose](),
  'a re-entry': async (hold, lock) => await rejection(lock.acquire({ within: hold })),
  close: async (_hold, _lock, owner) => await owner.close(),
};

test('an abort handler runs in no context, wherever the end of the lease is noticed', async () => {
  const scoped = client().getLock(name());
  // On a busy machine a lease may have ended before the others are there.
  const around = await scoped.acquire();
  const handled: Promise<readonly [string, ...Found]>[] = [];
  const cases = await Promise.all(
    Object.entries(ways).map(async ([title, way]) => {
      const owner = client();
      const lock = owner.getLock(name());
      const hold = await lock.acquire({ leaseMs: 150 });
      hold.signal.addEventListener('abort', () => {
        handled.push(found(scoped).then((what) => [title, ...what]));
      });
      return () => way(hold, lock, owner);
    }),
  );

  await request.run('finder', async () => {
    await around.run(async () => {
      // Nothing else runs until all leases have ended.
      const end = performance.now() + 150;
      while (performance.now() < end) {}
      await Promise.all(cases.map((notice) => notice()));
      await Promise.all(handled);
    });
  });

  await around.release();
  const outcomes = await Promise.all(handled);
  expect(outcomes).toHaveLength(cases.length);
  expect(outcomes.filter(([, store, depth]) => store !== undefined || depth !== null)).toEqual([]);
});

test('an abort handler runs in no context, whatever tells that the hold is gone', async () => {
  const mine = client();
  const scoped = mine.getLock(name());
  const tellers: Record<string, (hold: Hold, lock: Lock) => Promise<unknown>> = {
    forceRelease: async (_hold, lock) => await lock.forceRelease(),
    release: async (hold, lock) => [await raw.del(lock.name), await rejection(hold.release())],
    extend: async (hold, lock) => [await raw.del(lock.name), await rejection(hold.extend(1))],
    're-entry': async (hold, lock) => [
      await raw.del(lock.name),
      await rejection(lock.acquire({ within: hold })),
    ],
  };

  const outcomes = await Promise.all(
    Object.entries(tellers).map(async ([title, tell]) => {
      const lock = mine.getLock(name());
      const hold = await lock.acquire();
      const handled = new Promise<Found>((resolve) => {
        hold.signal.addEventListener('abort', () => resolve(found(scoped)));
      });
      return await request.run('finder', async () => {
        const scope = scoped.using(async () => [title, await tell(hold, lock), await handled]);
        const [, , what] = await scope;
        return [title, what];
      });
    }),
  );

  expect(outcomes).toEqual(Object.keys(tellers).map((title) => [title, [undefined, null]]));
});

test('an event listener runs in the context in which it was added, whoever causes the event', async () => {
  const proxy = await startProxy({ target: redisUrl() });
  const mine = client({ redis: proxy.url });
  const scoped = mine.getLock(name());
  const object = name();
  const heard = new Map<string, Promise<Found>>();
  request.run('listener', () => {
    for (const event of ['acquired', 'released', 'lost', 'suspect', 'error'] as const) {
      mine.on(event, (told: object) => {
        if (!('resource' in told) || told.resource === object) {
          heard.set(event, heard.get(event) ?? found(scoped));
        }
      });
    }
  });

  await request.run('causer', async () => {
    await scoped.using(async () => {
      const lock = mine.getLock(object);
      const hold = await lock.acquire();
      await hold.release();
      const lost = await lock.acquire();
      await raw.del(object);
      await rejection(lost.release());
      await Promise.all(heard.values());
      const suspect = await lock.acquire();
      proxy.cutAll();
      await eventually(() => heard.has('suspect') && heard.has('error'));
      await Promise.all(heard.values());
      await suspect.release();
    });
  });

  const outcomes = await Promise.all([...heard].map(async ([event, what]) => [event, await what]));
  expect(new Map(outcomes as [string, Found][])).toEqual(
    new Map(
      ['acquired', 'released', 'lost', 'suspect', 'error'].map((event) => [
        event,
        ['listener', null],
      ]),
    ),
  );
});

test('one listener added in several contexts runs in each, once if so asked, until it is removed', async () => {
  const mine = client();
  const lock = mine.getLock(name());
  const stores: unknown[] = [];
  const listener = (): number => stores.push(request.getStore());
  const cycle = async (): Promise<void> => await lock.using(() => undefined);

  request.run('a', () => mine.on('acquired', listener));
  request.run('b', () => mine.once('acquired', listener));
  mine.on('acquired', listener);
  await request.run('causer', cycle);
  await request.run('causer', cycle);
  request.run('remover', () => mine.off('acquired', listener));
  await cycle();

  expect(stores).toEqual(['a', 'b', undefined, 'a', undefined]);
});

test('what a listener makes of its context is gone when it is called again', async () => {
  const mine = client();
  const lock = mine.getLock(name());
  const stores: unknown[] = [];
  request.run('adder', () => {
    mine.on('acquired', () => {
      stores.push(request.getStore());
      request.enterWith('left behind');
    });
  });
  mine.on('released', () => {
    stores.push(request.getStore());
    request.enterWith('left behind');
  });

  await request.run('causer', async () => {
    await lock.using(() => undefined);
    await lock.using(() => undefined);
    stores.push(request.getStore());
  });

  expect(stores).toEqual(['adder', undefined, 'adder', undefined, 'causer']);
});
