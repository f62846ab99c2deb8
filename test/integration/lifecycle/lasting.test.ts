// What a hold that has lasted leaves in the process, and what clients do to the process that they live in.

import { AsyncResource } from 'node:async_hooks';
import { expect, test } from 'vitest';
import type { Client } from '../../../src/index.js';
import { fixture } from '../../contract/fixture.js';
import { eventually } from '../../support/eventually.js';
import { kept } from '../../support/garbage.js';
import { warningsWith } from '../../support/process-warnings.js';

const { client, name } = fixture('lasting');

const LEASE_MS = 300;
const HOLDS = 20;

/** Resolves when what is held has been renewed. */
async function renewed(held: { readonly remainingMs: number }): Promise<void> {
  let before = held.remainingMs;
  await eventually(() => {
    const isRenewed = held.remainingMs > before;
    before = held.remainingMs;
    return isRenewed;
  });
}

/** Holds that have lasted, and were released. */
async function overOnes(one: Client, reads: boolean): Promise<WeakRef<object>[]> {
  const holds = await Promise.all(
    Array.from({ length: HOLDS }, async () => await one.getLock(name()).acquire()),
  );
  if (reads) {
    expect(holds.filter(({ signal }) => signal.aborted)).toEqual([]);
  }
  await renewed(holds.at(-1)!);
  if (!reads) {
    // Also read after it was watched.
    expect(holds.slice(HOLDS / 2).filter(({ signal }) => signal.aborted)).toEqual([]);
  }
  await Promise.all(holds.map(async (hold) => await hold.release()));
  return holds.map((hold) => new WeakRef(hold));
}

test('holds that have lasted and were released are not kept, whether their signals were read or not', async () => {
  const one = client({ leaseMs: LEASE_MS });

  const refs = [...(await overOnes(one, false)), ...(await overOnes(one, true))];

  // The last turn may keep some.
  await eventually(async () => (await kept(refs)) < 3);
});

const warned = warningsWith('REDLATCH_LEAK');

const isWarnedOf = (lockName: string): boolean =>
  warned.some((text) => text.includes(`"${lockName}"`) || text.includes(`"${lockName}, `));

test('a lost hold is reported, and none that its signal, a scope, a listener or using() keeps', async () => {
  // A hold whose lease ends while the machine is busy is lost, and no leak.
  const one = client({ leaseMs: 10 * LEASE_MS });
  const names = {
    signal: name(),
    scope: name(),
    listener: name(),
    using: name(),
    lost: name(),
    ran: name(),
    ranLate: name(),
    ranLateMulti: name(),
    unheard: name(),
  };
  const others: unknown[] = [];
  const acquire = async (lockName: string) => await one.getLock(lockName).acquire();
  const scenes = [
    async () => others.push((await acquire(names.signal)).signal),
    async () =>
      await (await acquire(names.scope)).run(() => others.push(new AsyncResource('lasting'))),
    async () => (await acquire(names.listener)).onContended(() => {}),
    // Nothing can end this task, nor does anything refer to it.
    () => void one.getLock(names.using).using(() => new Promise(() => {})),
    async () => await acquire(names.lost),
    async () => await (await acquire(names.ran)).run(() => {}),
    async () => {
      const hold = await acquire(names.ranLate);
      await renewed(hold);
      await hold.run(() => {});
    },
    async () => {
      const both = [names.ranLateMulti, `{${names.ranLateMulti}}:1`];
      const hold = await one.getMultiLock(both).acquire();
      await renewed(hold);
      await hold.run(() => {});
    },
    async () => (await acquire(names.unheard)).onContended(() => {})(),
  ];
  for (const scene of scenes) {
    await scene();
  }

  // The last ones that were granted: all others have been renewed as often.
  await eventually(async () => {
    await kept([]);
    return [names.lost, names.ran, names.ranLate, names.ranLateMulti, names.unheard].every(
      isWarnedOf,
    );
  });
  await kept([]);

  expect([names.signal, names.scope, names.listener, names.using].filter(isWarnedOf)).toEqual([]);
  expect(others).toHaveLength(2);
});

test('a second client made at the same place with the same options is fine, and so is the end of the first', async () => {
  const [first, second] = Array.from({ length: 2 }, () => client({ label: 'reloaded' }));
  const lockName = name();
  const hold = await first!.getLock(lockName).acquire();
  expect(await second!.getLock(lockName).tryAcquire()).toBe(null);

  const waiting = second!.getLock(lockName).acquire();
  await first!.close();
  const next = await waiting;

  expect([hold.state, next.state]).toEqual(['released', 'held']);
  await next.release();
});

const listeners = (): [string | symbol, number][] =>
  process.eventNames().map((event) => [event, process.listenerCount(event)]);

test('a client adds no listener to the process: neither for signals nor for its end', async () => {
  const before = listeners();
  const one = client();
  const hold = await one.getLock(name()).acquire();
  const during = listeners();
  await hold.release();
  await one.close();

  expect(during).toEqual(before);
  expect(listeners()).toEqual(before);
});
