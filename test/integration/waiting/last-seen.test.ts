// Who has it, in the error of a wait whose time is up.

import { describe, expect, test } from 'vitest';
import { AcquireTimeoutError, type Client, type Hold, type Permit } from '../../../src/index.js';
import { lockInspect } from '../../../src/core/wire/scripts.generated.js';
import type { LeasedEntrance, LeasedGrant, LeasedKind } from '../../support/kinds/kind.js';
import { leasedKinds } from '../../support/kinds/kinds.js';
import { semaphore } from '../../support/kinds/permits.js';
import { quorumLocks } from '../../support/kinds/quorum.js';
import { watchCommands } from '../../support/monitor.js';
import { rawClient } from '../../support/redis.js';
import { scriptOf } from '../../support/scripts.js';
import { testScope } from '../../support/scope.js';

const LEASE_MS = 2_500;
const WAIT_MS = 300;

/** The grant is a hold or a permit, whose ids have other names. */
const idOf = (grant: LeasedGrant): string => {
  const { holderId, id } = grant as Partial<Hold & Permit>;
  return holderId ?? id ?? '';
};

async function timeoutOf(waiting: Promise<unknown>): Promise<AcquireTimeoutError> {
  const error = await waiting.catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(AcquireTimeoutError);
  return error as AcquireTimeoutError;
}

const all = [...leasedKinds, ...(await quorumLocks())] as readonly LeasedKind[];

describe.each(all)('$what', (kind) => {
  const scope = testScope('last-seen', kind.connect);
  const name = scope.name();

  /** Another client, or this one, has it; returns what waits for it. */
  async function occupied(client: Client, owner: Client): Promise<[LeasedEntrance, LeasedGrant]> {
    await kind.create(client, name);
    const grant = await kind.rival(owner, name).acquire({ leaseMs: LEASE_MS });
    return [kind.get(client, name), grant];
  }

  test.each([true, false])('the error names who has it: is it this client? %s', async (isOwn) => {
    const client = scope.client();
    const [object, grant] = await occupied(client, isOwn ? client : scope.client());

    const error = await timeoutOf(object.acquire({ waitMs: WAIT_MS }));
    await grant.release();

    const holderId = idOf(grant);
    const [first] = error.holders;
    const { remainingMs = 0 } = first ?? {};
    expect(error.holders).toEqual([{ holderId, remainingMs, isOwnClient: isOwn }]);
    expect(remainingMs).toBeGreaterThan(LEASE_MS / 4);
    expect(remainingMs).toBeLessThan(LEASE_MS - WAIT_MS + 100);
    const lease = `(lease ends in ${remainingMs.toLocaleString('en-US')} ms)`;
    expect(error.message).toContain(`held by ${holderId} ${lease}`);
    expect(error.toJSON()).toMatchObject({ holders: error.holders });
  });

  test('an attempt that does not wait has seen nobody', async () => {
    const [object, grant] = await occupied(scope.client(), scope.client());

    const error = await timeoutOf(object.acquire({ waitMs: 0 }));
    await grant.release();

    expect(error.holders).toEqual([]);
  });
});

const scope = testScope('last-seen');

test('permits without an owner have no holders', async () => {
  const [client, name] = [scope.client(), scope.name()];
  await semaphore.create(client, name);
  await using _permits = await semaphore.get(scope.client(), name).acquire();

  const error = await timeoutOf(semaphore.get(client, name).acquire({ waitMs: 100 }));

  expect([error.holders, error.toJSON()]).toEqual([[], expect.objectContaining({ holders: [] })]);
});

test('a multi-lock names the holder of the name that it waits for', async () => {
  const [client, one, two] = [scope.client(), scope.name(), scope.name()];
  const lock = client.getMultiLock([one, two]);
  const busy = lock.names[1] ?? '';
  await using hold = await scope.client().getLock(busy).acquire();

  const error = await timeoutOf(lock.acquire({ waitMs: WAIT_MS }));

  expect(error.holders.map(({ holderId }) => holderId)).toEqual([hold.holderId]);
  expect(error.message).toContain(
    `of "${lock.name}", "${busy}" was still held by ${hold.holderId}`,
  );
});

test('a re-entry that waits for another names this client', async () => {
  const lock = scope.client().getLock(scope.name());
  await using outer = await lock.acquire();
  await using _first = await lock.acquire({ within: outer });

  const error = await timeoutOf(lock.acquire({ within: outer, waitMs: WAIT_MS }));

  expect(error.holders).toMatchObject([{ holderId: outer.holderId, isOwnClient: true }]);
});

test('holders are asked for once, and by a call that rejects', async () => {
  const name = scope.name();
  const lock = scope.client().getLock(name);
  await using _hold = await scope.client().getLock(name).acquire();
  const asked: string[][] = [];
  // From now on the script is known by its digest.
  await lock.holders();
  await watchCommands(rawClient(), (words) => {
    if (words.includes(name) && scriptOf(words, [lockInspect]) !== undefined) {
      asked.push(words);
    }
  });

  expect(await lock.tryAcquire({ waitMs: WAIT_MS })).toBeNull();
  const before = asked.length;
  const waits = [WAIT_MS, WAIT_MS, WAIT_MS].map((waitMs) => lock.acquire({ waitMs }));
  const errors = await Promise.all(waits.map(timeoutOf));

  expect(errors.map(({ holders }) => holders.length)).toEqual([1, 1, 1]);
  expect([before, asked.length]).toEqual([0, 1]);
});
