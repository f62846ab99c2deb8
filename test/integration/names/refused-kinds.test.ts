// What a refused call says about a name: nothing that would stand in the way of its true kind.

import { describe, expect, test } from 'vitest';
import { LeaseLostError, WrongTypeError } from '../../../src/index.js';
import { FOREIGNER } from '../../contract/face.js';
import { allLasting, allLocks } from '../../contract/faces.js';
import { fixture, rejection } from '../../contract/fixture.js';
import { toldApart } from './every-kind.js';

const { client, name, raw } = fixture('refused', allLasting);

test.each(toldApart)(
  'a $is.name can be used as one after every refused call of a $other.name',
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

describe.each(allLocks)('a name that is a $name', (face) => {
  test('a re-entry that finds somebody else there says that it was taken', async () => {
    const [object, own] = [name(), client()];
    const lock = face.create(own, object);
    const hold = await lock.acquire();
    await face.usurp(raw, object, FOREIGNER, 500);

    const error = await hold.run(async () => await rejection(lock.acquire()));

    expect(error).toBeInstanceOf(LeaseLostError);
    expect(error).toMatchObject({ reason: 'taken' });
    expect(hold.signal.reason).toBe(error);
  });

  test('a re-entry that finds nobody there says that it was deleted', async () => {
    const [object, own] = [name(), client()];
    const lock = face.create(own, object);
    const hold = await lock.acquire();
    await face.erase(raw, object);

    const error = await hold.run(async () => await rejection(lock.acquire()));

    expect(error).toBeInstanceOf(LeaseLostError);
    expect(error).toMatchObject({ reason: 'deleted' });
  });
});
