// Everything that is held by a lease, from both sides: how Java gets into it, and how Node does.

import type { Redis } from 'ioredis';
import { expect } from 'vitest';
import type { Client, Hold, Lock, Permit, PermitExpirableSemaphore } from '../../../src/index.js';
import type { JavaThread } from './java.js';
import type { LockKind as ForNode } from '../../support/kinds/kind.js';
import * as locks from '../../support/kinds/locks.js';
import { permit } from '../../support/kinds/permits.js';

/** What a Java thread has got. */
export interface JavaGrant {
  /** Its holder or permit, as stored. */
  readonly id: string;
  /** Unlocks it, or releases the permit. */
  leave(): Promise<unknown>;
}

/** One way into an object. */
interface Entrance {
  readonly java: {
    /** Waits until it is in. Without a lease a lock is renewed, and a permit never ends. */
    enter(thread: JavaThread, name: string, args?: { leaseMs?: number }): Promise<JavaGrant>;
    /** null when `waitMs` were not enough. */
    tryEnter(
      thread: JavaThread,
      name: string,
      args: { waitMs: number; leaseMs?: number },
    ): Promise<JavaGrant | null>;
  };
  node(this: void, client: Client, name: string): Lock | PermitExpirableSemaphore;
}

export interface Lease {
  /** Negative when nobody is in. */
  readonly leftMs: number;
  /** In server time. */
  readonly endsAt: number;
}

export interface LeasedKind extends Entrance {
  /** As `test/process/workers/holder.mjs` names it, too. */
  readonly what: string;
  /** Whoever is in here keeps everybody else out. */
  readonly rival: Entrance;
  /** Who is in, of either side, as the server has it. */
  inside(name: string): Promise<string[]>;
  /** How long whoever is in now stays in, if nothing renews it. */
  lease(raw: Redis, name: string): Promise<Lease>;
  /** What Java throws when it leaves what it does not have. */
  readonly refusal: string;
}

export interface LockKind extends LeasedKind {
  /** What its operations in the Java program begin with. */
  readonly op: string;
  readonly rival: LockEntrance;
  node(this: void, client: Client, name: string): Lock;
  /** The field of a holder in the hash. */
  field(holderId: string): string;
}

interface LockEntrance extends Entrance {
  readonly op: string;
  node(this: void, client: Client, name: string): Lock;
}

function lockEntrance(op: string, node: LockEntrance['node']): LockEntrance {
  const grantOf = async (thread: JavaThread, name: string): Promise<JavaGrant> => ({
    id: await thread.holderId(),
    leave: async () => await thread.call(`${op}.unlock`, name),
  });
  return {
    op,
    node,
    java: {
      async enter(thread, name, args) {
        await thread.call(`${op}.lock`, name, args);
        return await grantOf(thread, name);
      },
      async tryEnter(thread, name, args) {
        const isIn = await thread.call<boolean>(`${op}.tryLock`, name, args);
        return isIn ? await grantOf(thread, name) : null;
      },
    },
  };
}

async function lockLease(raw: Redis, name: string): Promise<Lease> {
  const answers = await raw.multi().time().pttl(name).exec();
  const [time, leftMs] = (answers ?? []).map(([, answer]) => answer) as [number[], number];
  return { leftMs, endsAt: inMs(time) + leftMs };
}

async function permitLease(raw: Redis, name: string): Promise<Lease> {
  const timeouts = `{${name}}:timeout`;
  const answers = await raw.multi().time().zrange(timeouts, '-1', '-1', 'WITHSCORES').exec();
  const [time, last] = (answers ?? []).map(([, answer]) => answer) as [number[], string[]];
  const endsAt = Number(last[1] ?? 0);
  return { leftMs: endsAt - inMs(time), endsAt };
}

function inMs([seconds = 0, micros = 0]: readonly (number | string)[]): number {
  return Number(seconds) * 1_000 + Number(micros) / 1_000;
}

function lockKind(
  { what, field, inside }: ForNode,
  own: LockEntrance,
  rival: LockEntrance = own,
): LockKind {
  return {
    what,
    ...own,
    rival,
    field,
    inside,
    lease: lockLease,
    refusal: 'IllegalMonitorStateException',
  };
}

const reader = lockEntrance('read', locks.readLock.get);
const writer = lockEntrance('write', locks.writeLock.get);

export const readLock = lockKind(locks.readLock, reader, writer);
export const writeLock = lockKind(locks.writeLock, writer);
export const fairLock = lockKind(locks.fairLock, lockEntrance('fair', locks.fairLock.get));
export const lockKinds: readonly LockKind[] = [
  lockKind(locks.lock, lockEntrance('lock', locks.lock.get)),
  lockKind(locks.fencedLock, lockEntrance('fenced', locks.fencedLock.get)),
  fairLock,
  readLock,
  writeLock,
];

const javaPermit = (thread: JavaThread, name: string, id: string): JavaGrant => ({
  id,
  leave: async () => await thread.call('permits.release', name, { permit: id }),
});

const permitEntrance: Entrance = {
  java: {
    async enter(thread, name, args) {
      return javaPermit(thread, name, await thread.call('permits.acquire', name, args));
    },
    async tryEnter(thread, name, args) {
      const id = await thread.call<string | null>('permits.tryAcquire', name, args);
      return id === null ? null : javaPermit(thread, name, id);
    },
  },
  node: (client, name) => client.getPermitExpirableSemaphore(name),
};

/** A permit-expirable semaphore with one permit. */
export const permitKind: LeasedKind = {
  what: permit.what,
  ...permitEntrance,
  rival: permitEntrance,
  inside: permit.inside,
  lease: permitLease,
  refusal: 'IllegalArgumentException',
};

export const leasedKinds: readonly LeasedKind[] = [...lockKinds, permitKind];

/** Makes sure that somebody can get in. */
export async function prepare(kind: LeasedKind, client: Client, name: string): Promise<void> {
  if (kind === permitKind) {
    await client.getPermitExpirableSemaphore(name).trySetPermits(1);
  }
}

/** How the server names a hold or a permit of Node. */
export function idOf(grant: Hold | Permit): string {
  return 'id' in grant ? grant.id : grant.holderId;
}

export interface State {
  /** Who is in: the hash of a lock, the ids of permits. */
  readonly who: unknown;
  readonly endsAt: number;
}

/** Who is in, and until when. */
export async function state(kind: LeasedKind, raw: Redis, name: string): Promise<State> {
  const who = kind === permitKind ? await kind.inside(name) : await raw.hgetall(name);
  const { endsAt } = await kind.lease(raw, name);
  return { who, endsAt };
}

/** What to expect of the state when nobody has touched it. */
export function untouched({ who, endsAt }: State): unknown {
  // To 50 ms: the server tells time and TTL one after the other.
  return { who, endsAt: expect.closeTo(endsAt, -2) as unknown };
}
