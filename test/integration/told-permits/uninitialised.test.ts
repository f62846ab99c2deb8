// A wait for permits of a semaphore whose number nobody has set says so.

import { describe, expect, test } from 'vitest';
import { AcquireTimeoutError } from '../../../src/index.js';
import type { ClientEvents, PermitExpirableSemaphore, Semaphore } from '../../../src/index.js';
import { fixture, rejection } from '../../contract/fixture.js';
import { eventually } from '../../support/eventually.js';
import { skippingClock } from '../../support/skipping-clock.js';
import { kinds, lasting } from './world.js';

const { client, name, raw } = fixture('uninitialised', lasting);

type Either = Semaphore | PermitExpirableSemaphore;

const getters = {
  semaphore: 'getSemaphore',
  'permit-expirable-semaphore': 'getPermitExpirableSemaphore',
};

describe.each(kinds)('$kind', (kind) => {
  const says = (id: string): string =>
    `"${id}" has no permits: nobody has set their number yet ` +
    `(trySetPermits, or ${getters[kind.kind]}(name, { permits }))`;

  test('the error of a wait that ran out says that nobody has set the number', async () => {
    const [own, id] = [client(), name()];
    // Without a connection the error is another one.
    await own.getLock(name()).isLocked();

    const errors = await Promise.all([
      rejection(kind.wait(own, id, 100)),
      rejection(kind.wait(own, id, 150)),
    ]);

    for (const error of errors) {
      expect(error).toBeInstanceOf(AcquireTimeoutError);
      expect(error).toMatchObject({ message: says(id), resource: id });
    }
  });

  test('after the first use it says that the semaphore was deleted since', async () => {
    const gone =
      'it was deleted since this client set or saw their number (trySetPermits sets it again)';
    const [own, id] = [client(), name()];
    await kind.get(own, id, 1).availablePermits();
    await kind.get(own, id).delete();

    const error = await rejection(kind.wait(own, id, 100, 1));
    const later = await rejection(kind.wait(own, id, 100, 1));

    expect(error).toMatchObject({ message: `"${id}" has no permits: ${gone}`, resource: id });
    expect(later).toMatchObject({ message: `"${id}" has no permits: ${gone}` });
    expect(await kind.get(own, id).trySetPermits(1)).toBe(true);
    await kind.wait(own, id, 20_000);
  });

  test('it does not when there are only too few', async () => {
    const [own, id] = [client(), name()];
    await kind.get(own, id).trySetPermits(0);

    const error = await rejection(kind.wait(own, id, 100));

    expect(error).toBeInstanceOf(AcquireTimeoutError);
    expect((error as Error).message).not.toContain('has no permits');
  });

  test('it does not when the number was set while it waited', async () => {
    const [own, id] = [client(), name()];
    const waiting = rejection(kind.wait(own, id, 1_500));
    await kind.get(client(), id).trySetPermits(0);

    expect(((await waiting) as Error).message).not.toContain('has no permits');
  });

  test.each([
    ['set to 0', async (semaphore: Either) => await semaphore.trySetPermits(0)],
    [
      'set already',
      async (semaphore: Either, id: string) => {
        await raw.set(id, 0);
        expect(await semaphore.trySetPermits(5)).toBe(false);
      },
    ],
    ['made by an addition of 0', async (semaphore: Either) => await semaphore.addPermits(0)],
  ])('it does not when the same client finds the number %s', async (_, change) => {
    const [own, id] = [client(), name()];
    const waiting = rejection(kind.wait(own, id, 2_500));
    await eventually(async () => {
      const [, listeners] = (await raw.pubsub('NUMSUB', `redisson_sc:{${id}}`)) as [string, number];
      return listeners === 1;
    });

    await change(kind.get(own, id), id);

    expect(((await waiting) as Error).message).not.toContain('has no permits');
  });

  test.each([
    ['is uninitialised', undefined, true],
    ['has no permits left', 0, undefined],
  ])('a stalled wait for one that %s', async (_, permits, expected) => {
    const clock = skippingClock();
    const own = client({ leaseMs: 100, commandTimeoutMs: 60_000 }, clock);
    const id = name();
    const events: Parameters<ClientEvents['stalled']>[0][] = [];
    own.on('stalled', (event) => events.push(event));
    if (permits !== undefined) {
      await kind.get(client(), id).trySetPermits(permits);
    }
    const abort = new AbortController();
    const waiting =
      kind.kind === 'semaphore'
        ? own.getSemaphore(id).acquire(1, { signal: abort.signal })
        : own.getPermitExpirableSemaphore(id).acquire({ signal: abort.signal });
    const ended = rejection(waiting);

    await clock.lapse(() => events.length > 0);
    abort.abort(new Error('enough'));
    await ended;

    expect(events[0]).toMatchObject({ resource: id, kind: kind.kind, holders: [] });
    expect(events[0]?.uninitialised).toBe(expected);
    expect('uninitialised' in (events[0] ?? {})).toBe(expected === true);
  });
});
