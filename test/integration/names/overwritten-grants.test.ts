// Something else is written over what is held: the grant is lost, its loss says what was found, and what
// the application has written stays.

import { describe, expect, test } from 'vitest';
import { LeaseLostError, WrongTypeError } from '../../../src/index.js';
import { fixture, rejection } from '../../contract/fixture.js';
import { allLasting, leasedKinds, lockKinds } from '../../support/kinds/kinds.js';
import { eventually } from '../../support/eventually.js';
import { partError } from '../../support/parts.js';

const { client, name, raw } = fixture('overwritten', [
  ...allLasting,
  /^redlatch_readers:/,
  /:rwlock_timeout:1$/,
]);

const contents = {
  'a hash': ['hset', 'name', 'Ada'],
  'a string': ['set', 'abc'],
  'a list': ['rpush', 'abc'],
} as const;
type What = keyof typeof contents;
const whats = Object.keys(contents) as What[];

/** In one step, so that nobody finds the key free. */
async function overwrite(key: string, what: What): Promise<Buffer | null> {
  const [command, ...operands] = contents[what];
  await raw
    .multi([
      ['del', key],
      [command, key, ...operands],
    ])
    .exec();
  return await raw.dumpBuffer(key);
}

/** The loss of a grant, whose cause says which key was overwritten. */
function expectTaken(error: unknown, key: string): void {
  expect(error).toBeInstanceOf(LeaseLostError);
  const { reason, cause } = partError(error) as LeaseLostError;
  expect({ reason, cause }).toMatchObject({
    reason: 'taken',
    cause: { code: 'ERR_WRONG_TYPE', key },
  });
  expect(cause).toBeInstanceOf(WrongTypeError);
}

describe.each(leasedKinds)('a $what', (kind) => {
  test.each(whats)(
    'that was overwritten with %s is lost at its release, which touches nothing',
    async (what) => {
      const [object, own] = [name(), client()];
      const grant = await (await kind.create(own, object)).acquire({ leaseMs: 60_000 });
      const written = await overwrite(object, what);

      expectTaken(await rejection(grant.release()), object);
      expect(grant.state).toBe('lost');
      expectTaken(grant.signal.reason, object);
      await own.close();
      expect(await raw.dumpBuffer(object)).toEqual(written);
      expect(await raw.pttl(object)).toBe(-1);
      await raw.del(object);
    },
  );

  test.each(whats)('that was overwritten with %s is lost when it is extended', async (what) => {
    const [object, own] = [name(), client()];
    const grant = await (await kind.create(own, object)).acquire({ leaseMs: 60_000 });
    const written = await overwrite(object, what);

    expectTaken(await rejection(grant.extend(120_000)), object);
    expect(grant.isHeld).toBe(false);
    await own.close();
    expect(await raw.dumpBuffer(object)).toEqual(written);
    await raw.del(object);
  });

  test('that was overwritten is lost with its next renewal', async () => {
    const [object, own] = [name(), client({ leaseMs: 300 })];
    const grant = await (await kind.create(own, object)).acquire();
    const written = await overwrite(object, 'a hash');

    await eventually(() => expect(grant.state).toBe('lost'));
    expectTaken(grant.signal.reason, object);
    await own.close();
    expect(await raw.dumpBuffer(object)).toEqual(written);
    expect(await raw.pttl(object)).toBe(-1);
    await raw.del(object);
  });
});

describe.each(lockKinds)('a $what', (kind) => {
  test.each(whats)(
    'that is waited for and is overwritten with %s refuses its waiters',
    async (what) => {
      const [object, own] = [name(), client()];
      await kind.rival(client(), object).acquire({ leaseMs: 2_000 });
      const waiting = rejection(kind.create(own, object).acquire());
      // On the connection of the waiter: answered after its first two looks.
      await own.getLock(name()).isLocked();
      await own.getLock(name()).isLocked();
      const written = await overwrite(object, what);

      expect(await waiting).toMatchObject({ code: 'ERR_WRONG_TYPE', key: object });
      expect(await raw.dumpBuffer(object)).toEqual(written);
      await raw.del(object);
    },
  );
});
