// What a refused call says about a name: nothing that would stand in the way of its true kind.

import { describe, expect, test } from 'vitest';
import { LeaseLostError, WrongTypeError } from '../../../src/index.js';
import { fixture, rejection } from '../../contract/fixture.js';
import { FOREIGNER } from '../../support/kinds/kind.js';
import { allLasting, lockKinds } from '../../support/kinds/kinds.js';
import { toldApart } from '../../support/kinds/objects.js';

const { client, name } = fixture('refused', allLasting);

test.each(toldApart)(
  'a $is.id can be used as one after every refused call of a $other.id',
  async ({ is, other }) => {
    const object = name();
    const taken = await is.take(client(), object);

    // What a client has once seen to be of a kind is of that kind to it: a new one for each call.
    for (let i = 0; i < other.calls(client(), object).length; i += 1) {
      const own = client();
      const refused = await rejection(other.calls(own, object)[i]!());
      expect(refused).toBeInstanceOf(WrongTypeError);
      await is.look(own, object);
      await own.close();
    }
    const own = client();
    await rejection(other.calls(own, object)[0]!());
    const waiting = is.wait(own, object);
    await taken.free();

    await waiting;
    await taken.remove();
  },
);

describe.each(lockKinds)('a name that is a $what', (kind) => {
  test('a re-entry that finds somebody else there says that it was taken', async () => {
    const [object, own] = [name(), client()];
    const lock = kind.create(own, object);
    const hold = await lock.acquire();
    await kind.usurp(object, FOREIGNER, 500);

    const error = await hold.run(async () => await rejection(lock.acquire()));

    expect(error).toBeInstanceOf(LeaseLostError);
    expect(error).toMatchObject({ reason: 'taken' });
    expect(hold.signal.reason).toBe(error);
  });

  test('a re-entry that finds nobody there says that it was deleted', async () => {
    const [object, own] = [name(), client()];
    const lock = kind.create(own, object);
    const hold = await lock.acquire();
    await kind.erase(object);

    const error = await hold.run(async () => await rejection(lock.acquire()));

    expect(error).toBeInstanceOf(LeaseLostError);
    expect(error).toMatchObject({ reason: 'deleted' });
  });
});
