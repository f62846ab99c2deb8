// Work of one request that runs in the scope of another: what gets in there, and how a program says
// that it must not.

import { AsyncResource } from 'node:async_hooks';
import { EventEmitter } from 'node:events';
import { setImmediate } from 'node:timers/promises';
import { afterEach, describe, expect, test } from 'vitest';
import type { ClientEvents, Hold, LockAcquireOptions } from '../../src/index.js';
import { eventually } from '../support/eventually.js';
import { allLasting, exclusiveLocks, lockKinds } from '../support/kinds/kinds.js';
import { fixture, gate, rejection } from './fixture.js';

const { client, name } = fixture('shared', allLasting);

type Job = () => Promise<void>;

/** Something that the requests of a service share. */
interface Shared {
  /** Called in the scope of A, which uses it first. */
  begin(): void;
  /** Called by B, elsewhere: it hands over its job. */
  hand(job: Job): void;
  /** Called in the scope of A, which starts the job of B by what it does. */
  goOn(): void;
}

const forms: Record<string, () => Shared> = {
  /** One job after the other, each started by the code that the one before ended in. */
  queue() {
    const jobs: Job[] = [];
    const first = gate();
    const drain = async (): Promise<void> => {
      await first.opened;
      for (let job = jobs.shift(); job !== undefined; job = jobs.shift()) {
        await job();
      }
    };
    return { begin: () => void drain(), hand: (job) => jobs.push(job), goOn: () => first.open() };
  },
  interval() {
    const jobs: Job[] = [];
    const begin = (): void => {
      const timer = setInterval(() => {
        const job = jobs.shift();
        if (job !== undefined) {
          clearInterval(timer);
          void job();
        }
      }, 1);
    };
    return { begin, hand: (job) => jobs.push(job), goOn: () => {} };
  },
  event() {
    const emitter = new EventEmitter();
    return {
      begin: () => {},
      hand: (job) => emitter.once('work', () => void job()),
      goOn: () => emitter.emit('work'),
    };
  },
  /** A waits for nothing; B waits until A gives back what it took. */
  pool() {
    const waiting: Job[] = [];
    return {
      begin: () => {},
      hand: (job) => waiting.push(job),
      goOn: () => void waiting.shift()?.(),
    };
  },
};

/** Warnings about a name. */
const warned: (Error & { code?: string })[] = [];
const listen = (warning: Error): void => void warned.push(warning);
process.on('warning', listen);
afterEach(() => warned.splice(0));

const warningsAbout = async (object: string): Promise<string[]> => {
  // A warning is emitted on the next tick, and handed on by another one.
  await setImmediate();
  await setImmediate();
  return warned
    .filter(({ message }) => message.includes(`"${object}"`))
    .map(({ name: type, code }) => `${type} ${code}`);
};

const ways: [string, { reentry?: 'scope' | 'explicit' }, LockAcquireOptions][] = [
  ["reentry: 'explicit'", { reentry: 'explicit' }, {}],
  ['within: null', { reentry: 'scope' }, { within: null }],
];

describe.each(lockKinds)('$what', (kind) => {
  const isShared = kind.id === 'read-lock';

  describe.each(Object.keys(forms))(
    'the job of B, run in the scope of A by a shared %s,',
    (form) => {
      test("re-enters with reentry: 'scope', and a warning tells it once", async () => {
        const object = name();
        const lock = kind.create(client({ reentry: 'scope' }), object);
        const elsewhere = new AsyncResource('B');

        for (let i = 0; i < 2; i += 1) {
          const [shared, leave, over] = [forms[form]!(), gate(), gate()];
          let entered: Hold | undefined;
          await lock.using(async () => {
            shared.begin();
            elsewhere.runInAsyncScope(() =>
              shared.hand(async () => {
                entered = await lock.acquire();
                await leave.opened;
                await entered.release();
                over.open();
              }),
            );
            shared.goOn();
            await eventually(() => entered !== undefined);
          });
          expect(entered).toMatchObject({ depth: 2, isHeld: true });
          leave.open();
          await over.opened;
        }

        expect(await warningsAbout(object)).toEqual(['RedlatchWarning REDLATCH_SCOPE']);
      });

      test.each([...ways, ['AsyncResource.bind', {}, {}] as const])(
        'stays out with %s, and no warning comes',
        async (way, options, terms) => {
          const bound = way === 'AsyncResource.bind';
          const object = name();
          const lock = kind.create(client(options), object);
          const [elsewhere, shared] = [new AsyncResource('B'), forms[form]!()];
          const asked = gate();
          const seen: unknown[] = [];
          const done = gate();

          let outer: Hold | undefined;
          const job = async (): Promise<void> => {
            asked.open();
            await lock.using(({ depth }) => seen.push([depth, outer?.isHeld]), terms);
            done.open();
          };

          await lock.using(async (hold) => {
            outer = hold;
            shared.begin();
            elsewhere.runInAsyncScope(() => shared.hand(bound ? AsyncResource.bind(job) : job));
            shared.goOn();
            await asked.opened;
            if (isShared) {
              await done.opened;
            }
            expect(await lock.holdCount()).toBe(1);
          });
          await done.opened;

          expect(seen).toEqual([[1, isShared]]);
          expect(await warningsAbout(object)).toEqual([]);
        },
      );
    },
  );

  test.each(ways)('with %s a lost scope does not refuse', async (_, options, terms) => {
    const object = name();
    const lock = kind.create(client(options), object);
    const outer = await lock.acquire();

    const depth = await outer.run(async () => {
      await lock.forceRelease();
      expect(outer.state).toBe('lost');
      return await lock.using((hold) => hold.depth, terms);
    });

    expect(depth).toBe(1);
  });

  test.each(ways)('with %s a wait in its own scope says so', async (_, options, terms) => {
    const object = name();
    const own = client({ ...options, stalledAfterMs: 10 });
    const [lock, rival] = [kind.create(own, object), kind.rival(own, object)];
    const told: Parameters<ClientEvents['stalled']>[0][] = [];
    own.on('stalled', (event) => told.push(event));

    const errors = await lock.using(async () => {
      const abort = new AbortController();
      const waiting = rejection(rival.acquire({ ...terms, signal: abort.signal }));
      await eventually(() => told.length > 0);
      abort.abort();
      expect(await waiting).toBe(abort.signal.reason);
      expect(await rival.tryAcquire(terms)).toBeNull();
      return [
        await rejection(rival.acquire({ ...terms, waitMs: 0 })),
        await rejection(rival.acquire({ ...terms, waitMs: 100 })),
      ];
    });

    for (const error of errors) {
      expect(error).toMatchObject({ code: 'ERR_ACQUIRE_TIMEOUT' });
      expect(String(error)).toContain('held by the scope that waits');
    }
    expect(told.every(({ note }) => note === 'held by the scope that waits')).toBe(true);
  });

  test('a wait for somebody else does not say that its scope holds the lock', async () => {
    const [object, own] = [name(), client({ stalledAfterMs: 10 })];
    const [other, rival] = [kind.create(own, name()), kind.rival(own, object)];
    const told: object[] = [];
    own.on('stalled', (event) => told.push(event));
    const before = await kind.create(client(), object).acquire();

    const error = await other.using(async () => {
      const waiting = rival.acquire();
      await eventually(() => told.length > 0);
      const refused = await rejection(rival.acquire({ waitMs: 0 }));
      await before.release();
      await (await waiting).release();
      return refused;
    });

    expect(String(error)).toContain('held by somebody else');
    expect(told.filter((event) => 'note' in event)).toEqual([]);
  });

  test("with reentry: 'explicit' a hold that is named re-enters", async () => {
    const lock = kind.create(client({ reentry: 'explicit' }), name());

    const depths = await lock.using(async (outer) => {
      await using inner = await lock.acquire({ within: outer });
      return [inner.depth, inner.holderId === outer.holderId];
    });

    expect(depths).toEqual([2, true]);
  });

  test('a named re-entry that outlives its outer hold is no reason to warn', async () => {
    const object = name();
    const lock = kind.create(client(), object);

    const inner = await lock.using(async (outer) => await lock.acquire({ within: outer }));
    await inner.release();

    expect(await warningsAbout(object)).toEqual([]);
  });

  test('re-entries that end first, or with their outer hold, are no reason to warn', async () => {
    const object = name();
    const lock = kind.create(client(), object);

    await lock.using(async () => await lock.using(async () => await lock.using(() => {})));
    const outer = await lock.acquire();
    const inner = await outer.run(async () => await lock.acquire());
    await Promise.all([outer.release(), inner.release()]);

    expect(await warningsAbout(object)).toEqual([]);
  });
});

describe.each(exclusiveLocks)('$what', (kind) => {
  test("with reentry: 'explicit' a branch inside a branch waits, and says for whom", async () => {
    const lock = kind.create(client({ reentry: 'explicit' }), name());

    const error = await lock.using(async (outer) => {
      const inside = async (): Promise<unknown> =>
        await rejection(lock.acquire({ within: outer, waitMs: 20 }));
      return await lock.using(inside, { within: outer });
    });

    expect(error).toMatchObject({ code: 'ERR_ACQUIRE_TIMEOUT' });
    expect(String(error)).toContain('held by the scope that waits');
  });
});

describe('read-write lock', () => {
  test('a read that is kept from a write is no reason to warn', async () => {
    const object = name();
    const lock = client().getReadWriteLock(object);

    const reading = await lock.writeLock.using(async () => await lock.readLock.acquire());
    await reading.release();

    expect(await warningsAbout(object)).toEqual([]);
  });

  test.each(ways)('with %s a reader that asks to write waits for itself', async (_, own, terms) => {
    const lock = client(own).getReadWriteLock(name());

    const error = await lock.readLock.using(
      async () => await rejection(lock.writeLock.acquire({ ...terms, waitMs: 0 })),
    );

    expect(error).toMatchObject({ code: 'ERR_ACQUIRE_TIMEOUT' });
    expect(String(error)).toContain('held by the scope that waits');
  });
});
