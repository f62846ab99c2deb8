// A closed client grants nothing, and says so.

import { describe, expect, test } from 'vitest';
import { ClosedError, NotHeldError } from '../../../src/index.js';
import { fixture, fixtureOf, rejection } from '../../contract/fixture.js';
import { lockKinds } from '../../support/kinds/kinds.js';
import { objectKinds } from '../../support/kinds/objects.js';

describe.each(objectKinds)('after close: $id', (kind) => {
  const { client, name } = fixture('bad-closed');

  test('every method rejects with ClosedError', async () => {
    const [own, object] = [client(), name()];
    await kind.look(own, object);
    await own.close();

    for (const call of kind.calls(own, object)) {
      const error = await rejection(call());
      expect(error, String(call)).toBeInstanceOf(ClosedError);
      expect(error).toMatchObject({ code: 'ERR_CLOSED', name: 'ClosedError', resource: object });
    }
  });
});

describe.each(lockKinds)('after close: $what', (kind) => {
  const { client, name } = fixtureOf('bad-closed', kind);

  test('a hold count is refused, too', async () => {
    const own = client();
    const lock = kind.create(own, name());
    await own.close();

    expect(await rejection(lock.holdCount())).toBeInstanceOf(ClosedError);
  });

  test('holds are released, not held at once, and do nothing more', async () => {
    const [own, object] = [client(), name()];
    const other = kind.create(client(), object);
    const lost: unknown[] = [];
    own.on('lost', (event) => lost.push(event));
    const outer = await kind.create(own, object).acquire();
    const inner = await kind.create(own, object).acquire({ within: outer });

    const closing = own.close();
    const atOnce = [outer.isHeld, inner.isHeld, outer.state, inner.state];
    await closing;

    expect(atOnce).toEqual([false, false, 'released', 'released']);
    expect([outer.signal.aborted, lost]).toEqual([false, []]);
    await outer.release();
    await inner[Symbol.asyncDispose]();
    expect(await rejection(outer.extend(1_000))).toBeInstanceOf(NotHeldError);
    expect(await rejection(inner.run(() => 'never'))).toBeInstanceOf(NotHeldError);
    expect(await other.isLocked()).toBe(false);
  });

  test('bad arguments are refused as such, also then', async () => {
    const own = client();
    const lock = kind.create(own, name());
    await own.close();

    expect(await rejection(lock.acquire({ waitMs: -1 }))).toBeInstanceOf(RangeError);
  });
});
