// Two names that differ only in the braces around them have one queue, one set of permits and one
// token to Redisson: they are refused where they meet, and our own keys are kept apart.

import { describe, expect, test } from 'vitest';
import { WrongTypeError, type Client } from '../../../src/index.js';
import { fixture, rejection } from '../../contract/fixture.js';
import { eventually } from '../../support/eventually.js';
import { NO_PERMIT, objectKinds, type ObjectKind } from '../../support/kinds/objects.js';
import { keysUnder } from '../../support/redis.js';

const { client, name, raw } = fixture('shared-keys', [
  /^redlatch-test:/,
  /^\{redlatch-test:/,
  /^redisson_lock_token:/,
]);

/** Two names of which the second one is the first one in braces, in both orders. */
function twins(isTagged: boolean): [string, string] {
  const plain = name();
  const tagged = `{${plain}}`;
  return isTagged ? [tagged, plain] : [plain, tagged];
}

/** Refused, with an error that names both. */
function expectRefused(error: unknown, resource: string, other: string): void {
  expect(error).toBeInstanceOf(WrongTypeError);
  const refusal = error as WrongTypeError;
  expect(refusal.resource).toBe(resource);
  expect(refusal.message).toContain(`"${other}"`);
}

const harms: [string, (client: Client, name: string, id: string) => Promise<unknown>][] = [
  ['trySetPermits', async (own, at) => await own.getPermitExpirableSemaphore(at).trySetPermits(9)],
  ['setPermits', async (own, at) => await own.getPermitExpirableSemaphore(at).setPermits(9)],
  ['addPermits', async (own, at) => await own.getPermitExpirableSemaphore(at).addPermits(9)],
  ['release', async (own, at, id) => await own.getPermitExpirableSemaphore(at).release(id)],
  ['delete', async (own, at) => await own.getPermitExpirableSemaphore(at).delete()],
];

const harmless: typeof harms = [
  ['tryAcquire', async (own, at) => await own.getPermitExpirableSemaphore(at).tryAcquire()],
  ['totalPermits', async (own, at) => await own.getPermitExpirableSemaphore(at).totalPermits()],
  [
    'updateLease',
    async (own, at, id) => await own.getPermitExpirableSemaphore(at).updateLease(id, 1),
  ],
  [
    'tryRelease',
    async (own, at) => await own.getPermitExpirableSemaphore(at).tryRelease(NO_PERMIT),
  ],
];

describe.each([false, true])('permits of y and of {y}, the first one in braces: %s', (isTagged) => {
  test.each(harms)('%s by one client on one leaves the other alone', async (_, harm) => {
    const [one, twin] = twins(isTagged);
    const own = client();
    const semaphore = own.getPermitExpirableSemaphore(one);
    await semaphore.trySetPermits(3);
    const permit = await semaphore.acquire();

    const error = await rejection(harm(own, twin, permit.id));

    expectRefused(error, twin, one);
    expect([await semaphore.availablePermits(), await semaphore.acquiredPermits()]).toEqual([2, 1]);
    await permit.release();
    await semaphore.delete();
  });

  test.each(harms)('%s by another client on one leaves the other alone', async (_, harm) => {
    const [one, twin] = twins(isTagged);
    const semaphore = client().getPermitExpirableSemaphore(one);
    await semaphore.trySetPermits(3);
    const permit = await semaphore.acquire();

    const error = await rejection(harm(client(), twin, permit.id));

    expectRefused(error, twin, one);
    expect([await semaphore.availablePermits(), await semaphore.acquiredPermits()]).toEqual([2, 1]);
    await permit.release();
    await semaphore.delete();
  });

  test.each(harmless)('%s by another client on one leaves the other alone', async (_, call) => {
    const [one, twin] = twins(isTagged);
    const semaphore = client().getPermitExpirableSemaphore(one);
    await semaphore.trySetPermits(3);
    const permit = await semaphore.acquire();

    await call(client(), twin, permit.id).catch(() => undefined);

    expect([await semaphore.availablePermits(), await semaphore.acquiredPermits()]).toEqual([2, 1]);
    await permit.release();
    await semaphore.delete();
  });

  test('one is free once the other is gone, to every client', async () => {
    const [one, twin] = twins(isTagged);
    const [own, other] = [client(), client()];
    await own.getPermitExpirableSemaphore(one).trySetPermits(3);
    await other.getPermitExpirableSemaphore(one).delete();

    const isSet = await own.getPermitExpirableSemaphore(twin).trySetPermits(4);

    expect(isSet).toBe(true);
    await own.getPermitExpirableSemaphore(twin).delete();
  });
});

describe.each([false, true])('fair locks y and {y}, the first one in braces: %s', (isTagged) => {
  test('who would stand in the queue of the other is refused, and harms nobody there', async () => {
    const [one, twin] = twins(isTagged);
    const plain = isTagged ? twin : one;
    const hold = await client().getFairLock(one).acquire();
    const waiting = client().getFairLock(one).acquire();
    const queue = `redisson_lock_queue:{${plain}}`;
    await eventually(async () => (await raw.llen(queue)) === 1);
    const other = client().getFairLock(twin);

    const errors = [
      await rejection(other.acquire()),
      await rejection(other.tryAcquire()),
      await rejection(other.tryAcquire({ waitMs: 5_000 })),
    ];
    const length = await raw.llen(queue);
    await hold.release();
    await (await waiting).release();
    await (await other.acquire()).release();

    for (const error of errors) {
      expectRefused(error, twin, one);
    }
    expect(length).toBe(1);
  });

  test('both can be had while nobody waits, by two clients', async () => {
    const [one, twin] = twins(isTagged);
    const hold = await client().getFairLock(one).acquire();

    const other = await client().getFairLock(twin).tryAcquire();

    expect([hold.isHeld, other?.isHeld]).toEqual([true, true]);
    await Promise.all([hold.release(), other?.release()]);
  });
});

/** The kinds that are called so by errors. */
const called = (...ids: string[]): readonly ObjectKind[] =>
  objectKinds.filter(({ id }) => ids.includes(id));

test.each(called('fair-lock', 'fenced-lock'))(
  'one client has no $id called y and one called {y} at once',
  async ({ take }) => {
    const [one, twin] = twins(false);
    const own = client();
    await take(own, one);

    const error = await rejection(take(own, twin));

    expectRefused(error, twin, one);
  },
);

test.each(called('lock', 'read-write-lock', 'semaphore', 'count-down-latch'))(
  'a $id called y and one called {y} have no key in common',
  async ({ take }) => {
    const [one, twin] = twins(false);
    const own = client();
    const keysOf = async (which: string): Promise<string[]> => {
      await take(own, which);
      return await keysUnder(one, raw);
    };

    const ofOne = await keysOf(one);
    const ofBoth = await keysOf(twin);

    expect(ofBoth).toHaveLength(2 * ofOne.length);
  },
);

const namesakes = [
  ['the queue of a fair lock', 'redisson_lock_queue:{NAME}', 'fair-lock'],
  ['the scores of a fair lock', 'redisson_lock_timeout:{NAME}', 'fair-lock'],
  ['the token of a fenced lock', 'redisson_lock_token:{NAME}', 'fenced-lock'],
  ['the permits of a semaphore', '{NAME}:timeout', 'permit-expirable-semaphore'],
] as const;

test.each(namesakes)('nothing can be called like %s in use', async (_, pattern, id) => {
  const object = name();
  const own = client();
  await called(id)[0]!.take(own, object);

  const namesake = pattern.replace('NAME', object);
  const error = await rejection(own.getSemaphore(namesake).acquire());

  expectRefused(error, namesake, object);
});

test('nothing can be called like a private key', () => {
  const own = client();

  for (const word of ['opened', 'requests', 'generation', 'permits', 'anything']) {
    expect(() => own.getSemaphore(`redlatch_${word}:{${name()}}`)).toThrow(RangeError);
  }
});
