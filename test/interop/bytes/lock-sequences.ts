// What is done to a lock of each kind, step by step, by Java alone and by Node alone.

import { expect } from 'vitest';
import { eventually } from '../../support/eventually.js';
import { outcome, type LockKind, type Side } from './sides.js';

/** What a call answers is compared, too. */
export type Step = (side: Side) => Promise<unknown>;

export interface Sequence {
  /** The clients' lease, default 30 s. */
  readonly leaseMs?: number;
  readonly steps: Readonly<Record<string, Step>>;
}

/** More than a double can tell from its neighbour. */
const LARGE_TOKEN = String(2n ** 53n + 1n);

const enter =
  (who: 'A' | 'B' | 'C', kind: LockKind, leaseMs?: number): Step =>
  async (side) =>
    await side.enter(who, kind, leaseMs);
const leave =
  (who: 'A' | 'B' | 'C', kind: LockKind): Step =>
  async (side) =>
    await side.leave(who, kind);
const wait =
  (who: 'A' | 'B' | 'C', kind: LockKind, waitMs?: number): Step =>
  async (side) =>
    await side.wait(who, kind, waitMs);
const force =
  (kind: LockKind): Step =>
  async (side) =>
    await side.force(kind);

/** Whoever leaves lets in who has waited for longest. */
const handOver =
  (who: 'A' | 'B' | 'C', kind: LockKind): Step =>
  async (side) => {
    await side.leave(who, kind);
    await side.waited();
  };

/** Holds of one owner, and a lease of its own. */
const owner = (kind: LockKind): Sequence['steps'] => ({
  'A acquires': enter('A', kind),
  'A acquires again': enter('A', kind),
  'A releases one': leave('A', kind),
  'A releases all': leave('A', kind),
  'A acquires for 100 s': enter('A', kind, 100_000),
  'A is forced out': force(kind),
  'a free one is forced': force(kind),
  'A releases what it has lost': async (side) => await outcome(side.leave('A', kind)),
});

/** B asks in vain, sleeps behind A and is let in. */
const waiter = (kind: LockKind, held: LockKind = kind): Sequence['steps'] => ({
  'A acquires': enter('A', held),
  'B asks': async (side) => await side.ask('B', kind),
  'B waits': wait('B', kind),
  'A lets B in': handOver('A', held),
  'B releases': leave('B', kind),
});

/** A renewal makes the lease of two holds whole again. */
const renewed = (kind: LockKind): Sequence => ({
  leaseMs: 6_000,
  steps: {
    'A holds twice, and is renewed': async (side) => {
      await side.enter('A', kind);
      await side.enter('A', kind);
      const { raw } = side.world;
      const withinMs = 20_000;
      await eventually(async () => (await raw.pttl(side.name)) < 4_500, { withinMs });
      await eventually(async () => (await raw.pttl(side.name)) > 5_000, { withinMs });
      expect(await raw.exists(side.name)).toBe(1);
    },
    'A releases one': leave('A', kind),
    'A releases all': leave('A', kind),
  },
});

const fairQueue: Sequence['steps'] = {
  'A acquires': enter('A', 'fair'),
  'B asks': async (side) => await side.ask('B', 'fair'),
  'B waits': wait('B', 'fair'),
  'C waits': wait('C', 'fair'),
  'A lets B in': handOver('A', 'fair'),
  'B lets C in': handOver('B', 'fair'),
  'A waits': wait('A', 'fair'),
  'C is forced out, and A comes in': async (side) => {
    const forced = await side.force('fair');
    await side.waited();
    return forced;
  },
  'A releases': leave('A', 'fair'),
};

const fairPatience: Sequence['steps'] = {
  'A acquires': enter('A', 'fair'),
  'B waits for 100 s': wait('B', 'fair', 100_000),
  'A lets B in': handOver('A', 'fair'),
  'C waits behind A, who gives up': async (side) => {
    await side.wait('A', 'fair', 5_000);
    await side.wait('C', 'fair');
    await side.waited();
  },
  'B lets C in': handOver('B', 'fair'),
  'C releases': leave('C', 'fair'),
};

const firstToken: Sequence['steps'] = {
  'A acquires': enter('A', 'fenced'),
  'A releases': leave('A', 'fenced'),
};

const largeTokens: Sequence['steps'] = {
  'a large token was issued': async ({ name, world }) => {
    await world.raw.set(`redisson_lock_token:{${name}}`, LARGE_TOKEN);
  },
  'A acquires': enter('A', 'fenced'),
  'B waits': wait('B', 'fenced'),
  'A lets B in': handOver('A', 'fenced'),
  'B is forced out': force('fenced'),
  'A acquires for 100 s': enter('A', 'fenced', 100_000),
  'A acquires again': enter('A', 'fenced', 100_000),
  'A releases one': leave('A', 'fenced'),
  'A releases all': leave('A', 'fenced'),
};

const shorterLease: Sequence['steps'] = {
  'A acquires for 100 s': enter('A', 'lock', 100_000),
  'A acquires again for 20 s': enter('A', 'lock', 20_000),
  'A releases one': leave('A', 'lock'),
  'A releases all': leave('A', 'lock'),
};

const readers: Sequence['steps'] = {
  'A reads': enter('A', 'read'),
  'B reads for 100 s': enter('B', 'read', 100_000),
  'A reads again': enter('A', 'read'),
  'A releases one': leave('A', 'read'),
  'A releases all': leave('A', 'read'),
  'A reads once more': enter('A', 'read'),
  'B, the longer one, releases': leave('B', 'read'),
  'A releases, too': leave('A', 'read'),
};

const downgrade: Sequence['steps'] = {
  'A writes for 100 s': enter('A', 'write', 100_000),
  'A writes again for 100 s': enter('A', 'write', 100_000),
  'A releases one': leave('A', 'write'),
  'A reads, too': enter('A', 'read', 100_000),
  'A reads again': enter('A', 'read', 100_000),
  'A reads once less': leave('A', 'read'),
  'A reads no more': leave('A', 'read'),
  'A reads once more': enter('A', 'read', 100_000),
  'A goes on as a reader': leave('A', 'write'),
  'A releases all': leave('A', 'read'),
};

const shortReads: Sequence['steps'] = {
  'A writes for 100 s': enter('A', 'write', 100_000),
  'A reads for 20 s': enter('A', 'read', 20_000),
  'A reads again for 20 s': enter('A', 'read', 20_000),
  'A reads once less': leave('A', 'read'),
  'A is forced out': force('write'),
};

export const lockSequences: Readonly<Record<string, Sequence>> = {
  lock: { steps: owner('lock') },
  'lock, waited for': { steps: waiter('lock') },
  'lock, renewed': renewed('lock'),
  'lock, shorter lease': { steps: shorterLease },
  'fair lock': { steps: owner('fair') },
  'fair lock, queue': { steps: fairQueue },
  'fair lock, patience': { steps: fairPatience },
  'fair lock, renewed': renewed('fair'),
  'fenced lock, first token': { steps: firstToken },
  'fenced lock, large tokens': { steps: largeTokens },
  'read lock': { steps: owner('read') },
  'read lock, several readers': { steps: readers },
  'read lock, behind a writer': { steps: waiter('read', 'write') },
  'read lock, renewed': renewed('read'),
  'write lock': { steps: owner('write') },
  'write lock, downgrade': { steps: downgrade },
  'write lock, short reads': { steps: shortReads },
  'write lock, behind a reader': { steps: waiter('write', 'read') },
  'write lock, renewed': renewed('write'),
};
