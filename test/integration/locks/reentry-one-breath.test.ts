import { describe, expect, test } from 'vitest';
import type { Hold } from '../../../src/index.js';
import { fixtureOf, rejection } from '../../contract/fixture.js';
import { eventually } from '../../support/eventually.js';
import { exclusiveLocks } from '../../support/kinds/kinds.js';

// A re-entry is asked for, and the hold around it is released before anything else runs.
describe.each(exclusiveLocks)('a re-entry and a release in one breath: $what', (kind) => {
  const { client, name } = fixtureOf('one-breath', kind);

  test.each([
    ['in a scope', (outer: Hold, enter: () => Promise<Hold>) => outer.run(enter)],
    ['outside of any', (_: Hold, enter: () => Promise<Hold>) => enter()],
  ])('what it got is never believed to be held for too long, %s', async (where, run) => {
    const object = name();
    const lock = kind.create(client(), object);
    const other = kind.create(client(), object);
    const outer = await lock.acquire({ leaseMs: 300 });
    const within = where === 'in a scope' ? {} : { within: outer };

    const entering = run(outer, async () => await lock.acquire({ leaseMs: 300, ...within }));
    const releasing = outer.release();
    const outcome = await entering.catch((error: unknown) => error as Error);
    await releasing;
    const next = await other.acquire({ waitMs: 10_000 });

    expect('isHeld' in outcome && outcome.isHeld).toBe(false);
    expect(next.isHeld).toBe(true);
    await next.release();
  });

  test('what it got is renewed as long as it is believed to be held', async () => {
    const object = name();
    const lock = kind.create(client({ leaseMs: 600 }), object);
    const other = kind.create(client(), object);
    const outer = await lock.acquire();

    const entering = outer.run(async () => await lock.acquire());
    const releasing = outer.release();
    const inner = await entering;
    await releasing;
    const next = await other.tryAcquire({ waitMs: 1_500 });

    expect(next).toBeNull();
    expect(inner.isHeld).toBe(true);
    await inner.release();
  });

  test('aborted as well, it leaves nothing', async () => {
    const object = name();
    const lock = kind.create(client(), object);
    const other = kind.create(client(), object);
    const outer = await lock.acquire();
    const abort = new AbortController();

    const entering = rejection(outer.run(async () => await lock.acquire({ signal: abort.signal })));
    const releasing = outer.release();
    await Promise.resolve();
    abort.abort();
    const error = await entering;
    await releasing;

    expect(error).toBe(abort.signal.reason);
    await using next = await other.acquire({ waitMs: 5_000 });
    expect(next.isHeld).toBe(true);
  });

  test('a branch that gets its turn as the outer hold is released is held or refused', async () => {
    const object = name();
    const lock = kind.create(client({ leaseMs: 600 }), object);
    const other = kind.create(client(), object);
    const outer = await lock.acquire();
    const branch = await lock.acquire({ within: outer });
    const waiting = outer.run(async () => await lock.acquire());

    const releasing = branch.release().then(async () => {
      await outer.release();
    });
    const hold = await waiting;
    await releasing;
    const next = await other.tryAcquire({ waitMs: 1_000 });

    expect([next, hold.isHeld]).toEqual([null, true]);
    await hold.release();
  });

  test('a re-entry in the scope of a hold that closes with its client is refused', async () => {
    const own = client();
    const lock = kind.create(own, name());
    const outer = await lock.acquire();

    const entering = rejection(outer.run(async () => await lock.acquire()));
    await own.close();

    const error = await entering;
    await eventually(() => outer.state === 'released');
    expect(error).toMatchObject({ code: 'ERR_CLOSED' });
  });
});
