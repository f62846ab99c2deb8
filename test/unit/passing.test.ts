// A release that passes the lock on inside its client, or else goes to the server.

import { expect, test } from 'vitest';
import { LeaseLostError } from '../../src/index.js';
import type { HandOffQueue } from '../../src/core/locks/hand-off-queue.js';
import type { LockHold } from '../../src/core/locks/hold.js';
import { releaseOrPass, type PassingOwner } from '../../src/core/locks/passing.js';

const [first, second, last] = ['first', 'second', 'last'].map(
  (holderId) => ({ holderId, lease: {} }) as LockHold,
);

/** A queue with a run in which two holds were passed on, and what the server says of the last one. */
function stage({ isPassed = false, error }: { isPassed?: boolean; error?: Error } = {}) {
  const told: string[] = [];
  const run = {
    unproven: [first, second],
    takeUnproven: () => [first, second],
    nextTurn() {
      told.push('reads messages');
      return Promise.resolve();
    },
  };
  const queue = {
    runOf: () => run,
    nextIn: () => (isPassed ? {} : undefined),
    pass: (_: unknown, hold: LockHold) => told.push(`passes ${hold.holderId} on`),
    wakeUp: () => told.push('asks for the next one'),
  } as unknown as HandOffQueue;
  const owner = {
    services: { names: { leave: () => told.push('leaves the name') } },
    protocol: {},
    announceRelease: (hold: LockHold) => void told.push(`tells that ${hold.holderId} is released`),
    releaseOnServer(hold: LockHold, lost?: (error: LeaseLostError) => void) {
      told.push(`sends the release of ${hold.holderId}`);
      if (error instanceof LeaseLostError) {
        lost?.(error);
      }
      return error === undefined ? Promise.resolve() : Promise.reject(error);
    },
    released: (hold: LockHold) => void told.push(`${hold.holderId} is over`),
    lost: (hold: LockHold) => void told.push(`${hold.holderId} is lost`),
  };
  return { told, release: () => releaseOrPass(queue, last!, owner as unknown as PassingOwner) };
}

test('a hold is over before the next one begins, and nothing is sent', async () => {
  const { told, release } = stage({ isPassed: true });

  await release();

  expect(told).toEqual([
    'reads messages',
    'leaves the name',
    'last is over',
    'tells that last is released',
    'passes last on',
  ]);
});

test('a client asks for its next waiter right behind the release', async () => {
  const { told, release } = stage();

  await release();

  expect(told).toEqual(['sends the release of last', 'asks for the next one']);
});

test('a release that finds the lock lost tells it of the holds that were passed on', async () => {
  const { told, release } = stage({ error: new LeaseLostError('gone', 'deleted') });

  await expect(release()).rejects.toThrow(LeaseLostError);

  expect(told.slice(1)).toEqual(['first is lost', 'second is lost', 'asks for the next one']);
});

test('a release without an answer says nothing about those', async () => {
  const { told, release } = stage({ error: new Error('no answer') });

  await expect(release()).rejects.toThrow('no answer');

  expect(told).toHaveLength(2);
});

test('a hold whose lease was lost while messages were read is lost at its release, and nothing is sent', async () => {
  const error = new LeaseLostError('gone', 'deleted');
  const { told, release } = stage({ isPassed: true });
  Object.assign(last!.lease, { error });

  await expect(release()).rejects.toBe(error);

  expect(told).toEqual(['reads messages', 'last is over']);
  Object.assign(last!.lease, { error: undefined });
});
