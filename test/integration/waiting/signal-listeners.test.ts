// A program may hand one signal to any number of waits: it has one listener of ours while there are any.

import { getEventListeners } from 'node:events';
import { setImmediate } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { fixture, rejection } from '../../contract/fixture.js';
import { kept } from '../../support/garbage.js';
import { allKinds, allLasting } from '../../support/kinds/kinds.js';

const { client, name } = fixture('listeners', allLasting);

const WAITS = 30;

const count = (signal: AbortSignal): number => getEventListeners(signal, 'abort').length;

/** Waits of every kind, of two clients, for what somebody else has. */
async function waitForAll(signal: AbortSignal): Promise<readonly Promise<unknown>[]> {
  const [holder, ...mine] = [client(), client(), client()];
  const latch = name();
  await holder.getCountDownLatch(latch).trySetCount(1);
  const waits = await Promise.all(
    allKinds.map(async (kind) => {
      const object = name();
      await kind.create(holder, object);
      await kind.rival(holder, object).acquire();
      return mine.flatMap((own) => {
        const one = kind.get(own, object);
        return [
          one.acquire({ signal }),
          one.tryAcquire({ signal, waitMs: 60_000 }),
          one.using(() => undefined, { signal }),
        ];
      });
    }),
  );
  const latches = mine.map(async (one) => await one.getCountDownLatch(latch).wait({ signal }));
  return [...waits.flat(), ...latches];
}

test('any number of waits of every kind and client share one listener, gone with the last of them', async () => {
  const controller = new AbortController();
  const { signal } = controller;
  const warnings: Error[] = [];
  const warn = (warning: Error): unknown => warnings.push(warning);
  process.on('warning', warn);

  const waits = await waitForAll(signal);
  const during = count(signal);
  const errors = waits.map(async (wait) => await rejection(wait));
  const reason = new Error('enough');
  controller.abort(reason);

  expect(waits.length).toBeGreaterThan(40);
  expect(during).toBe(1);
  expect(await Promise.all(errors)).toEqual(waits.map(() => reason));
  expect(count(signal)).toBe(0);
  await setImmediate();
  process.off('warning', warn);
  expect(warnings).toEqual([]);
});

test('waits that are served leave no listener, whichever of them ends last', async () => {
  const lock = client().getLock(name());
  const { signal } = new AbortController();
  const counts: number[] = [];

  await Promise.all(
    Array.from({ length: WAITS }, async () => {
      await lock.using(() => counts.push(count(signal)), { signal });
    }),
  );

  expect(counts).toEqual([...Array.from({ length: WAITS - 1 }, () => 1), 0]);
  expect(count(signal)).toBe(0);
});

test('a wait that is ended by the handler of another signal, and one that begins there, end with their own reason', async () => {
  const [mine, other] = [client(), client()];
  const object = name();
  const held = await other.getLock(object).acquire();
  const lock = mine.getLock(object);
  const [controller, inner] = [new AbortController(), new AbortController()];
  const { signal } = controller;
  const [reason, innerReason] = [new Error('enough'), new Error('this one too')];

  const first = rejection(lock.acquire({ signal }));
  const nested = rejection(lock.acquire({ signal: inner.signal }));
  const begun = new Promise((resolve) => {
    signal.addEventListener('abort', () => {
      inner.abort(innerReason);
      resolve(rejection(lock.acquire({ signal })));
    });
  });
  const last = rejection(lock.acquire({ signal }));
  controller.abort(reason);

  const errors = await Promise.all([first, nested, begun, last]);
  expect(errors).toEqual([reason, innerReason, reason, reason]);
  // The program's own.
  expect([count(signal), count(inner.signal)]).toEqual([1, 0]);
  await held.release();
});

test('a signal that has aborted gets no listener', async () => {
  const signal = AbortSignal.abort(new Error('before'));
  const mine = client();

  const errors = await Promise.all([
    rejection(mine.getLock(name()).acquire({ signal })),
    rejection(mine.getSemaphore(name()).acquire(1, { signal })),
    rejection(mine.getCountDownLatch(name()).wait({ signal })),
  ]);

  expect(errors.map(String)).toEqual(errors.map(() => 'Error: before'));
  expect(count(signal)).toBe(0);
});

test('a signal that was used is not kept', async () => {
  const lock = client().getLock(name());
  const use = async (): Promise<WeakRef<AbortSignal>> => {
    const { signal } = new AbortController();
    await lock.using(() => undefined, { signal });
    return new WeakRef(signal);
  };

  const refs = await Promise.all([use(), use(), use()]);
  await lock.using(() => undefined);

  expect(await kept(refs)).toBe(0);
});
