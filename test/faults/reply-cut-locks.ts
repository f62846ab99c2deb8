// What must hold when the answer to a lock's command is cut off after the server has run it.

import { expect } from 'vitest';
import { LeaseLostError } from '../../src/index.js';
import { eventually } from '../support/eventually.js';
import { rawClient } from '../support/redis.js';
import { tokens } from './reply-cut-fenced.js';
import { severalNames } from './reply-cut-multi.js';
import { cutReply, expectHolder, take, type Case } from './world.js';
import type { LockKind } from '../support/kinds/kind.js';
import * as kinds from '../support/kinds/locks.js';

const acquire = (kind: LockKind): Case[] => [
  {
    fact: 'a lock is granted once and its holder id cannot come back after the release',
    async run({ proxy, name, client, other }) {
      const fault = cutReply(proxy, kind.scripts.acquire);

      const acquiring = take(kind.get(client, name));
      await fault.ran();
      expect(await kind.rival(other, name).tryAcquire()).toBeNull();
      await fault.replay();
      const hold = await acquiring;

      await expectHolder(name, hold);
      expect(hold.isHeld).toBe(true);
      await hold.release();
      expect(await rawClient().exists(name)).toBe(0);
      const burnt = kind.tombstone(name, hold.holderId);
      expect(await rawClient().pttl(burnt)).toBeGreaterThan(0);
    },
  },
  {
    fact: 'a grant that was freed and went to another owner meanwhile is not told as held',
    async run({ proxy, name, client, other }) {
      const fault = cutReply(proxy, kind.scripts.acquire);

      const acquiring = kind.get(client, name).tryAcquire();
      await fault.ran();
      await kind.get(other, name).forceRelease();
      const taken = await take(kind.rival(other, name));
      await fault.replay();

      expect(await acquiring).toBeNull();
      await expectHolder(name, taken);
    },
  },
  {
    fact: 'a re-entry counts once',
    async run({ proxy, name, client }) {
      const lock = kind.get(client, name);
      const outer = await take(lock);
      const fault = cutReply(proxy, kind.reenter ?? kind.scripts.acquire);

      const entering = take(lock, { within: outer });
      await fault.ran();
      await expectHolder(name, outer, 2);
      await fault.replay();
      const inner = await entering;

      expect(inner.depth).toBe(2);
      await expectHolder(name, outer, 2);
      await inner.release();
      await expectHolder(name, outer, 1);
      await outer.release();
      expect(await kinds.stored(name)).toEqual({});
    },
  },
  {
    fact: 'a re-entry whose lock went to another owner meanwhile is a lost lease',
    async run({ proxy, name, client, other }) {
      const lock = kind.get(client, name);
      const outer = await take(lock);
      const fault = cutReply(proxy, kind.reenter ?? kind.scripts.acquire);

      const entering = take(lock, { within: outer });
      entering.catch(() => undefined);
      await fault.ran();
      await kind.get(other, name).forceRelease();
      const taken = await take(kind.rival(other, name));
      await fault.replay();

      await expect(entering).rejects.toBeInstanceOf(LeaseLostError);
      expect(outer.state).toBe('lost');
      await expectHolder(name, taken);
    },
  },
];

const release = (kind: LockKind): Case[] => [
  {
    fact: 'a release that ran resolves and leaves the lock to whoever took it meanwhile',
    async run({ proxy, name, client, other }) {
      const hold = await take(kind.get(client, name));
      const fault = cutReply(proxy, kind.scripts.release);

      const releasing = hold.release();
      await fault.ran();
      const taken = await take(kind.rival(other, name));
      await fault.replay();
      await releasing;

      expect(hold.state).toBe('released');
      await expectHolder(name, taken);
    },
  },
  {
    fact: 'a release that ran leaves the lock to its own client, which took it again meanwhile',
    async run({ proxy, name, client, open }) {
      const hold = await take(kind.get(client, name));
      const sibling = open();
      const fault = cutReply(proxy, kind.scripts.release);

      const releasing = hold.release();
      await fault.ran();
      const next = await take(kind.rival(sibling, name));
      const afresh = kind.get(client, name).tryAcquire();
      await fault.replay();
      await releasing;

      expect(await afresh).toBeNull();
      await expectHolder(name, next);
    },
  },
  {
    fact: 'the release of a re-entry leaves the outer hold, and goes on to free the lock',
    async run({ proxy, name, client, other }) {
      const lock = kind.get(client, name);
      const outer = await take(lock);
      const inner = await take(lock, { within: outer });
      const fault = cutReply(proxy, kind.scripts.release);

      const releasing = inner.release();
      await fault.ran();
      await expectHolder(name, outer, 1);
      expect(await kind.rival(other, name).tryAcquire()).toBeNull();
      await fault.replay();
      await releasing;

      expect(outer.isHeld).toBe(true);
      await expectHolder(name, outer, 1);
      await outer.release();
      expect(await kinds.stored(name)).toEqual({});
    },
  },
];

const renew = (kind: LockKind): Case[] => [
  {
    fact: 'a renewal by the watchdog leaves the hold held',
    async run({ proxy, name, open }) {
      // Long enough for a busy machine between the renewal and its copy.
      const client = open({ leaseMs: 2_400 });
      const suspects: number[] = [];
      client.on('suspect', ({ remainingMs }) => suspects.push(remainingMs));
      const hold = await take(kind.get(client, name));
      const fault = cutReply(proxy, kind.scripts.renew);

      await fault.ran();
      await eventually(() => hold.state === 'suspect');
      await fault.replay();
      await eventually(() => hold.state === 'held');

      expect(suspects).toHaveLength(1);
      expect(hold.remainingMs).toBeGreaterThan(1_200);
      await expectHolder(name, hold);
    },
  },
  {
    fact: 'a renewal leaves the lease of whoever took the lock meanwhile alone',
    async run({ proxy, name, open, other }) {
      const hold = await take(kind.get(open({ leaseMs: 3_000 }), name));
      const fault = cutReply(proxy, kind.scripts.renew);

      await fault.ran();
      await kind.get(other, name).forceRelease();
      // Shorter than the lease that the copy names, and long enough to be there when it has run.
      const taken = await take(kind.rival(other, name), { leaseMs: 2_000 });
      await fault.replay();
      await eventually(() => hold.state === 'lost');

      expect((hold.signal.reason as LeaseLostError).reason).toBe('taken');
      await expectHolder(name, taken);
      expect(await rawClient().pttl(name)).toBeLessThanOrEqual(2_000);
    },
  },
  {
    fact: 'an extension lasts as long as it says',
    async run({ proxy, name, client }) {
      const hold = await take(kind.get(client, name), { leaseMs: 5_000 });
      const fault = cutReply(proxy, kind.scripts.renew);

      const extending = hold.extend(60_000);
      await fault.ran();
      await fault.replay();
      await extending;

      expect(hold.remainingMs).toBeGreaterThan(50_000);
      expect(await rawClient().pttl(name)).toBeGreaterThan(hold.remainingMs);
    },
  },
  {
    fact: 'an extension whose lock went to another owner meanwhile is a lost lease',
    async run({ proxy, name, client, other }) {
      const hold = await take(kind.get(client, name), { leaseMs: 5_000 });
      const fault = cutReply(proxy, kind.scripts.renew);

      const extending = hold.extend(60_000);
      extending.catch(() => undefined);
      await fault.ran();
      await kind.get(other, name).forceRelease();
      await take(kind.rival(other, name), { leaseMs: 5_000 });
      await fault.replay();

      await expect(extending).rejects.toMatchObject({ reason: 'taken' });
      expect(await rawClient().pttl(name)).toBeLessThanOrEqual(5_000);
    },
  },
];

const forceRelease = (kind: LockKind): Case[] => [
  {
    fact: 'a forced release answers true and spares who took the lock meanwhile',
    async run({ proxy, name, client, other }) {
      await take(kind.get(other, name));
      const fault = cutReply(proxy, kind.scripts.forceRelease);

      const forcing = kind.get(client, name).forceRelease();
      await fault.ran();
      const taken = await take(kind.rival(other, name));
      await fault.replay();

      expect(await forcing).toBe(true);
      await expectHolder(name, taken);
    },
  },
  {
    fact: 'a forced release of a free lock answers false and spares who took it meanwhile',
    async run({ proxy, name, client, other }) {
      const fault = cutReply(proxy, kind.scripts.forceRelease);

      const forcing = kind.get(client, name).forceRelease();
      await fault.ran();
      const taken = await take(kind.rival(other, name));
      await fault.replay();

      expect(await forcing).toBe(false);
      await expectHolder(name, taken);
    },
  },
];

/** Cases of one kind among those of others that use the same script. */
const of = (kind: LockKind, cases: (kind: LockKind) => Case[]): Case[] =>
  cases(kind).map(({ fact, run }) => ({ fact: `${kind.what}: ${fact}`, run }));

export const lockCases: Readonly<Record<string, readonly Case[]>> = {
  'lock/acquire': acquire(kinds.lock),
  'lock/acquire-fenced': [...acquire(kinds.fencedLock), ...tokens],
  'lock/release': release(kinds.lock),
  'lock/renew': [kinds.lock, kinds.writeLock].flatMap((kind) => of(kind, renew)),
  'lock/force-release': forceRelease(kinds.lock),
  'multi-lock/acquire': [...acquire(kinds.multiLock), ...severalNames],
  'multi-lock/release': release(kinds.multiLock),
  'fair-lock/acquire': acquire(kinds.fairLock),
  'fair-lock/release': release(kinds.fairLock),
  'fair-lock/force-release': forceRelease(kinds.fairLock),
  'rwlock/acquire-read': acquire(kinds.readLock),
  'rwlock/release-read': release(kinds.readLock),
  'rwlock/renew-read': renew(kinds.readLock),
  'rwlock/acquire-write': acquire(kinds.writeLock),
  'rwlock/release-write': release(kinds.writeLock),
  'rwlock/force-release': [kinds.readLock, kinds.writeLock].flatMap((kind) =>
    of(kind, forceRelease),
  ),
};
