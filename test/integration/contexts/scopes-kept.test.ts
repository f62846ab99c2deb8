// What was held and released is gone, however a program chains its runs.

import { AsyncResource } from 'node:async_hooks';
import { expect, test } from 'vitest';
import type { Hold } from '../../../src/index.js';
import { fixture } from '../../contract/fixture.js';
import { kept } from '../../support/garbage.js';

const { client, name } = fixture('kept');

const RUNS = 200;

const anywhere = async (job: () => Promise<void>): Promise<void> => await job();

test('a job that starts its next run inside its scope keeps none of those before', async () => {
  const lock = client().getLock(name());
  const refs: WeakRef<Hold>[] = [];

  const remaining = await new Promise((resolve, reject) => {
    const job = async (): Promise<void> => {
      await lock.using((hold) => {
        refs.push(new WeakRef(hold));
        const next = refs.length < RUNS ? job : async () => resolve(await kept(refs));
        setImmediate(() => void next().catch(reject));
      });
    };
    void job().catch(reject);
  });

  expect(remaining).toBeLessThan(5);
});

test('contexts that outlive the scope in which they began keep nothing of it', async () => {
  const lock = client().getLock(name());
  const refs: WeakRef<Hold>[] = [];
  const contexts: AsyncResource[] = [];
  let last: Hold | undefined;

  let begin = anywhere;
  while (refs.length < RUNS) {
    await begin(async () => {
      await lock.using((hold) => {
        refs.push(new WeakRef(hold));
        last = hold;
        const context = new AsyncResource('lasting');
        contexts.push(context);
        begin = async (job) => await context.runInAsyncScope(job);
      });
    });
  }

  expect(await kept(refs)).toBeLessThan(5);
  expect([contexts.length, last?.state]).toEqual([RUNS, 'released']);
});

test('holds of two locks, each taken inside the other and outlived by it, are not kept', async () => {
  const mine = client();
  const locks = [mine.getLock(name()), mine.getLock(name())];
  const refs: WeakRef<Hold>[] = [];

  const remaining = await new Promise((resolve, reject) => {
    const step = async (before: Hold): Promise<void> => {
      await before.run(async () => {
        const hold = await locks[refs.length % 2]!.acquire();
        refs.push(new WeakRef(hold));
        await before.release();
        const next =
          refs.length < RUNS
            ? async () => await step(hold)
            : async () => {
                await hold.release();
                resolve(await kept(refs));
              };
        setImmediate(() => void next().catch(reject));
      });
    };
    locks[1]!.acquire().then(step).catch(reject);
  });

  expect(remaining).toBeLessThan(5);
});

test('a hold re-entered again and again, each time through the one before, keeps none of them', async () => {
  const lock = client().getLock(name());
  const refs: WeakRef<Hold>[] = [];

  let inner = await lock.acquire();
  for (let i = 0; i < RUNS; i += 1) {
    const outer = inner;
    refs.push(new WeakRef(outer));
    inner = await lock.acquire({ within: outer });
    await outer.release();
  }

  expect(await kept(refs)).toBeLessThan(5);
  await inner.release();
});
