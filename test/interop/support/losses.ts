// What a holder of Node is told when the other side has ended what it holds.

import { expect, vi } from 'vitest';
import {
  LeaseLostError,
  type AcquireOptions,
  type Client,
  type Hold,
  type Permit,
} from '../../../src/index.js';
import { eventually } from '../../support/eventually.js';

/** How Node comes to look at what it holds. */
interface Look {
  readonly options: AcquireOptions;
  readonly look: (grant: Hold | Permit) => void;
}

/** After `stopTimers()`: the client asks about all its leases now, and at no other time. */
export function nextRenewal(): void {
  vi.advanceTimersByTime(10_000);
}

/** For `test.for`. */
export const LOOKS: readonly [string, Look][] = [
  ['its next renewal', { options: {}, look: nextRenewal }],
  ['the next look at its fixed lease', { options: { leaseMs: 20_000 }, look: nextRenewal }],
  [
    'its release',
    {
      options: {},
      look: (grant) => {
        grant.release().catch(() => undefined);
      },
    },
  ],
];

/** All that was told so far, by events of the client and by the signal. */
export interface Told {
  readonly lost: LeaseLostError[];
  readonly aborts: unknown[];
}

export function listenTo(client: Client, grant: Hold | Permit): Told {
  const told: Told = { lost: [], aborts: [] };
  client.on('lost', ({ error }) => told.lost.push(error));
  grant.signal.addEventListener('abort', () => told.aborts.push(grant.signal.reason));
  return told;
}

/** Waits for the loss; it must be told everywhere, once, and by the same error. */
export async function expectLoss(grant: Hold | Permit, told: Told, reason: string): Promise<void> {
  const error = await eventually(() => told.lost[0] ?? null, { withinMs: 10_000 });
  expect(error).toBeInstanceOf(LeaseLostError);
  expect(error).toMatchObject({ code: 'ERR_LEASE_LOST', reason });
  expect([grant.isHeld, grant.state, grant.remainingMs]).toEqual([false, 'lost', 0]);
  await expect(grant.release()).rejects.toBe(error);
  await grant[Symbol.asyncDispose]();
  expect(told).toEqual({ lost: [error], aborts: [error] });
}
