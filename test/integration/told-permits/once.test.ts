// The number of permits that a client was told is set once, and compared once.

import { describe, expect, test } from 'vitest';
import { fixture } from '../../contract/fixture.js';
import { eventually } from '../../support/eventually.js';
import { configured, kinds, lasting, left, takes } from './world.js';

const { client, name, raw } = fixture('told-once', lasting);

describe.each(kinds)('$kind', (kind) => {
  test('a semaphore that is deleted after the first use stays so', async () => {
    const own = client();
    const id = name();
    await (
      await takes(kind, own, id, 5)
    )();

    await kind.get(own, id, 5).delete();

    expect(await kind.take(own, id, 5)).toBeNull();
    expect(await kind.get(own, id, 5).availablePermits()).toBe(0);
    expect(await raw.exists(id)).toBe(0);
  });

  test('of two clients that are told different numbers one wins, and the other is told of it', async () => {
    const [one, two] = [client(), client()];
    const events = [configured(one), configured(two)];
    const id = name();

    await Promise.all([
      kind.get(one, id, 3).availablePermits(),
      kind.get(two, id, 8).availablePermits(),
    ]);

    const permits = await left(id);
    expect([3, 8]).toContain(permits);
    const wanted = permits === 3 ? 8 : 3;
    expect(events.flat()).toEqual([{ resource: id, kind: kind.kind, permits, wanted }]);
    expect(events[permits === 3 ? 1 : 0]).toHaveLength(1);
  });

  test('the event comes once, however many calls carry the number', async () => {
    const id = name();
    await kind.get(client(), id).trySetPermits(3);
    const own = client();
    const events = configured(own);

    await Promise.all([takes(kind, own, id, 4), takes(kind, own, id, 4)]);
    await kind.get(own, id, 4).availablePermits();
    await kind.get(own, id, 4).addPermits(0);

    expect(events).toEqual([{ resource: id, kind: kind.kind, permits: 3, wanted: 4 }]);
    expect(await left(id)).toBe(1);
  });

  test('the same number is no event', async () => {
    const id = name();
    await kind.get(client(), id).trySetPermits(3);
    const own = client();
    const events = configured(own);

    await takes(kind, own, id, 3);

    expect(events).toEqual([]);
  });

  test('each object compares its own number, once in a client', async () => {
    const own = client();
    const events = configured(own);
    const id = name();
    await kind.get(own, id, 3).availablePermits();

    const [four, five] = [kind.get(own, id, 4), kind.get(own, id, 5)];
    await kind.get(own, id).availablePermits();
    expect(events).toEqual([]);
    await five.availablePermits();
    await four.availablePermits();
    await kind.get(own, id, 5).availablePermits();

    expect(events.map(({ wanted }) => wanted)).toEqual([5, 4]);
  });

  test('without a number nothing is set', async () => {
    const own = client();
    const id = name();

    expect(await kind.take(own, id)).toBeNull();

    expect(await raw.exists(id)).toBe(0);
  });

  test('trySetPermits first: its own number wins', async () => {
    const own = client();
    const events = configured(own);
    const id = name();
    const semaphore = kind.get(own, id, 5);

    expect(await semaphore.trySetPermits(2)).toBe(true);
    await semaphore.availablePermits();
    await semaphore.delete();

    expect(await kind.take(own, id, 5)).toBeNull();
    expect(events).toEqual([]);
  });

  test('trySetPermits first, in vain: the number is still compared', async () => {
    const id = name();
    await kind.get(client(), id).trySetPermits(3);
    const own = client();
    const events = configured(own);
    const semaphore = kind.get(own, id, 5);

    expect(await semaphore.trySetPermits(2)).toBe(false);
    expect(events).toEqual([]);
    await semaphore.availablePermits();

    expect(events).toEqual([{ resource: id, kind: kind.kind, permits: 3, wanted: 5 }]);
  });

  test('delete first sets nothing, and the next call does', async () => {
    const own = client();
    const id = name();
    const semaphore = kind.get(own, id, 5);

    expect(await semaphore.delete()).toBe(false);
    expect(await raw.exists(id)).toBe(0);

    expect(await semaphore.availablePermits()).toBe(5);
  });

  test('the waiters of other clients wake up when the first use sets the number', async () => {
    const [own, other] = [client(), client()];
    const id = name();
    const waiting = kind.wait(other, id, 30_000);
    await eventually(async () => {
      const [, listeners] = (await raw.pubsub('NUMSUB', `redisson_sc:{${id}}`)) as [string, number];
      return listeners === 1;
    });

    const setAt = performance.now();
    await takes(kind, own, id, 2);
    await waiting;

    // Without a message they would ask again after five seconds.
    expect(performance.now() - setAt).toBeLessThan(3_000);
    expect(await left(id)).toBe(0);
  });

  test('with a key prefix the number is set under it', async () => {
    const id = name();
    const own = client({ keyPrefix: `${id}:` });

    await takes(kind, own, 'seats', 3);

    expect(await left(`${id}:seats`)).toBe(2);
  });

  test('a name that is a tag, and one with a tag', async () => {
    const own = client();
    const [tag, tagged] = [`{${name()}}`, `a:{${name()}}:b`];

    await takes(kind, own, tag, 3);
    await takes(kind, own, tagged, 3);

    expect([await left(tag), await left(tagged)]).toEqual([2, 2]);
    for (const id of [tag, tagged]) {
      await kind.get(own, id).delete();
    }
  });

  test('no permits at all is a number like any other', async () => {
    const [own, other] = [client(), client()];
    const id = name();

    expect(await kind.take(own, id, 0)).toBeNull();

    expect(await left(id)).toBe(0);
    expect(await kind.get(other, id).trySetPermits(4)).toBe(false);
  });
});
