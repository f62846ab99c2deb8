// What drawn histories are made of.

import type { Claim, Kind, Mode, Operation } from '../history.js';

/** Calls that may fail without an effect. */
export const CHANGES: Readonly<Record<Kind, readonly Operation['action'][]>> = {
  lock: ['force'],
  fair: ['force'],
  fenced: ['force'],
  quorum: ['force'],
  'quorum-fenced': ['force'],
  multi: ['force'],
  'quorum-multi': ['force'],
  rwlock: ['force'],
  semaphore: ['set', 'add', 'drain'],
  expirable: ['set', 'add'],
  latch: ['set', 'count down'],
};

/** One that holds, and is going to release. */
export interface Holder {
  readonly acquire: Operation;
  readonly owner: string;
  readonly client: number;
  readonly mode: Mode;
  readonly amount: number;
}

export type ClaimEnd = Pick<Claim, 'until' | 'end' | 'toldLostAt'>;

export function claimOf(kind: Kind, holder: Holder, end: ClaimEnd): Claim {
  const { acquire, owner, client, mode, amount } = holder;
  return {
    operation: acquire.id,
    object: acquire.object,
    kind,
    mode,
    client,
    owner,
    permits: amount,
    token: acquire.token,
    holderId: undefined,
    leaseMs: 300,
    firstMs: 300,
    isRenewed: true,
    from: acquire.returnedAt,
    ...end,
  };
}
