// Objects of one client that were told different numbers: each number is compared once.

import { describe, expect, test } from 'vitest';
import { fixture } from '../../contract/fixture.js';
import { configured, kinds, lasting } from './world.js';

const { client, name } = fixture('told-different', lasting);

describe.each(kinds)('$kind', (kind) => {
  test('objects with different numbers do not take turns: each number is compared once', async () => {
    const own = client();
    const events = configured(own);
    const id = name();
    await kind.get(client(), id).trySetPermits(3);

    for (let i = 0; i < 3; i += 1) {
      await kind.get(own, id, 4).availablePermits();
      await kind.get(own, id, 5).availablePermits();
    }

    expect(events.map(({ wanted }) => wanted)).toEqual([4, 5]);
  });

  test('a number that was compared does not push out one that was not', async () => {
    const own = client();
    const events = configured(own);
    const id = name();
    await kind.get(own, id, 3).availablePermits();

    const other = kind.get(own, id, 4);
    await kind.get(own, id, 3).availablePermits();
    await other.availablePermits();

    expect(events.map(({ wanted }) => wanted)).toEqual([4]);
  });

  test('of eight numbers each is compared once', async () => {
    const own = client();
    const events = configured(own);
    const id = name();
    await kind.get(client(), id).trySetPermits(0);
    const numbers = [1, 2, 3, 4, 5, 6, 7, 8];

    for (const permits of [...numbers, ...numbers]) {
      await kind.get(own, id, permits).availablePermits();
    }

    expect(events.map(({ wanted }) => wanted)).toEqual(numbers);
  });
});
