// Calls that count, as they go over the wire, and what shows that one of them has run.

import { fairKeys } from '../../src/core/locks/fair-line.js';
import { lineKeys } from '../../src/core/locks/line.js';
import { readWriteKeys } from '../../src/core/locks/write-line.js';
import { allTombstones } from '../../src/core/locks/tombstones.js';
import type { Operand } from '../../src/core/wire/script.js';
import * as scripts from '../../src/core/wire/scripts.generated.js';
import { sharedClient } from '../support/redis.js';
import { semaphoreRecord } from '../support/semaphore-record.js';

/** The number of a request, and the lowest one that is not settled. */
interface RequestNumbers {
  readonly number: number;
  readonly lowWater: number;
}

export interface Kind {
  readonly script: { readonly name: string; readonly source: string; readonly untilAt?: number };
  readonly operands: (name: string, at: RequestNumbers) => readonly Operand[];
  /** Before each call: there is something to do. */
  readonly prepare: (name: string) => Promise<unknown>;
  readonly hasRun: (name: string) => Promise<boolean>;
}

/** The private record of the requests of somebody. */
export const requestsOf = (name: string): string => `redlatch_requests:{${name}}:somebody`;
/** To whom messages go, and that an object declares no number of permits. */
const told = { publish: 'PUBLISH', channel: 'nobody', declared: '' };
/** That it declares four. */
const states = { ...told, setting: 'keep 1 4' };
/** Somebody who asks and has no place in any line. */
const asker = { client: 'somebody', mustQueue: 0 };

const latchKeys = (name: string): { latch: string; opened: string; requests: string } => ({
  latch: name,
  opened: `redlatch_opened:{${name}}`,
  requests: requestsOf(name),
});

const semaphoreKeys = (name: string) => ({
  semaphore: name,
  timeouts: `{${name}}:timeout`,
  leases: `redlatch_leases:{${name}}`,
  requests: requestsOf(name),
  queue: `redlatch_waiting:{${name}}`,
  heartbeats: `redlatch_beats:{${name}}`,
  record: semaphoreRecord(name),
  deleted: `redlatch_deleted:{${name}}`,
  statements: `redlatch_statements:{${name}}`,
  twin: [`{${name}}`],
});

const setTo =
  (count: number): Kind['prepare'] =>
  async (name) =>
    await sharedClient().set(name, count);
const isAt =
  (count: number): Kind['hasRun'] =>
  async (name) =>
    (await sharedClient().get(name)) === String(count);
const isThere: Kind['hasRun'] = async (name) => (await sharedClient().exists(name)) === 1;
const isGone: Kind['hasRun'] = async (name) => (await sharedClient().exists(name)) === 0;
/** Removes what a kind may have left. */
export const remove: Kind['prepare'] = async (name) =>
  await sharedClient().del(
    name,
    `{${name}}:timeout`,
    `redlatch_leases:{${name}}`,
    semaphoreRecord(name),
  );

/** A permit that somebody has, for the next 30 s, and none that are left. */
const PERMIT = Buffer.from('00112233445566778899aabbccddeeff', 'hex');
const taken: Kind['prepare'] = async (name) =>
  await sharedClient()
    .multi()
    .set(name, 0)
    .zadd(`{${name}}:timeout`, Date.now() + 30_000, PERMIT)
    .exec();
const aPermit = Buffer.concat([PERMIT, Buffer.from('1')]);

const HOLDER = '11111111-1111-4111-8111-111111111111:1';
const held: Kind['prepare'] = async (name) => await sharedClient().hset(name, HOLDER, 1);
const written: Kind['prepare'] = async (name) =>
  await sharedClient().hset(name, { mode: 'write', [`${HOLDER}:write`]: 1 });

const latchKinds: Kind[] = [
  {
    script: scripts.latchCountDown,
    operands: (name, at) => scripts.latchCountDown.operands(latchKeys(name), { ...at, ...told }),
    prepare: setTo(10),
    hasRun: isAt(9),
  },
  {
    script: scripts.latchTrySetCount,
    operands: (name, at) =>
      scripts.latchTrySetCount.operands(latchKeys(name), { ...at, count: 7, ttlMs: 0, ...told }),
    prepare: remove,
    hasRun: isThere,
  },
  {
    script: scripts.latchDelete,
    operands: (name, at) => scripts.latchDelete.operands(latchKeys(name), { ...at, ...told }),
    prepare: setTo(10),
    hasRun: isGone,
  },
];

const lockKinds: Kind[] = [
  {
    script: scripts.lockForceRelease,
    operands: (name, at) =>
      scripts.lockForceRelease.operands(
        { ...lineKeys(name, false), requests: requestsOf(name) },
        { ...at, ...told, ...allTombstones(name) },
      ),
    prepare: held,
    hasRun: isGone,
  },
  {
    script: scripts.fairLockForceRelease,
    operands: (name, at) =>
      scripts.fairLockForceRelease.operands(
        { ...fairKeys(name), requests: requestsOf(name) },
        { ...at, ...told, ...allTombstones(name) },
      ),
    prepare: held,
    hasRun: isGone,
  },
  {
    script: scripts.rwlockForceRelease,
    operands: (name, at) =>
      scripts.rwlockForceRelease.operands(
        { ...readWriteKeys(name), requests: requestsOf(name) },
        { ...at, mode: 'write', ...told, stem: `{${name}}:`, ...allTombstones(name) },
      ),
    prepare: written,
    hasRun: isGone,
  },
];

const semaphoreKinds: Kind[] = [
  {
    script: scripts.semaphoreAcquire,
    operands: (name, at) =>
      scripts.semaphoreAcquire.operands(semaphoreKeys(name), {
        ...at,
        ...told,
        ...asker,
        needs: [2, 3],
      }),
    prepare: setTo(9),
    hasRun: isAt(4),
  },
  {
    script: scripts.semaphoreRelease,
    operands: (name, at) =>
      scripts.semaphoreRelease.operands(semaphoreKeys(name), {
        ...at,
        ...told,
        ...asker,
        permits: 5,
        mark: '0',
        place: 1,
        needs: [3],
      }),
    prepare: setTo(9),
    hasRun: isAt(11),
  },
  {
    script: scripts.semaphoreAddPermits,
    operands: (name, at) =>
      scripts.semaphoreAddPermits.operands(semaphoreKeys(name), { ...at, ...told, delta: 4 }),
    prepare: setTo(9),
    hasRun: isAt(13),
  },
  {
    script: scripts.semaphoreDrainPermits,
    operands: (name, at) =>
      scripts.semaphoreDrainPermits.operands(semaphoreKeys(name), { ...at, ...told }),
    prepare: setTo(9),
    hasRun: isAt(0),
  },
  {
    script: scripts.semaphoreTrySetPermits,
    operands: (name, at) =>
      scripts.semaphoreTrySetPermits.operands(semaphoreKeys(name), {
        ...at,
        ...told,
        permits: 4,
        ttlMs: 0,
      }),
    prepare: remove,
    hasRun: isThere,
  },
  {
    script: scripts.semaphoreConfigure,
    operands: (name, at) =>
      scripts.semaphoreConfigure.operands(semaphoreKeys(name), { ...at, ...states }),
    prepare: remove,
    hasRun: isThere,
  },
  {
    script: scripts.semaphoreDelete,
    operands: (name, at) => scripts.semaphoreDelete.operands(semaphoreKeys(name), at),
    prepare: setTo(9),
    hasRun: isGone,
  },
];

const permitKinds: Kind[] = [
  {
    script: scripts.expirableSemaphoreAcquire,
    operands: (name, at) =>
      scripts.expirableSemaphoreAcquire.operands(semaphoreKeys(name), {
        ...at,
        ...told,
        ...asker,
        claims: [Buffer.concat([PERMIT, Buffer.from('2 5000')])],
      }),
    prepare: setTo(9),
    hasRun: isAt(7),
  },
  {
    script: scripts.expirableSemaphoreReleaseAny,
    operands: (name, at) =>
      scripts.expirableSemaphoreReleaseAny.operands(semaphoreKeys(name), {
        ...at,
        ...told,
        claim: aPermit,
        idle: [],
      }),
    prepare: taken,
    hasRun: isAt(1),
  },
  {
    script: scripts.expirableSemaphoreUpdateLease,
    operands: (name, at) =>
      scripts.expirableSemaphoreUpdateLease.operands(semaphoreKeys(name), {
        ...at,
        permit: PERMIT,
        leaseMs: 90_000,
        ...told,
      }),
    prepare: taken,
    hasRun: async (name) =>
      Number(await sharedClient().zscore(`{${name}}:timeout`, PERMIT)) > Date.now() + 60_000,
  },
  {
    script: scripts.expirableSemaphoreResize,
    operands: (name, at) =>
      scripts.expirableSemaphoreResize.operands(semaphoreKeys(name), {
        ...at,
        way: 'by',
        permits: -4,
        ...told,
      }),
    prepare: setTo(9),
    hasRun: isAt(5),
  },
  {
    script: scripts.expirableSemaphoreTrySet,
    operands: (name, at) =>
      scripts.expirableSemaphoreTrySet.operands(semaphoreKeys(name), {
        ...at,
        permits: 4,
        ttlMs: 0,
        ...told,
      }),
    prepare: remove,
    hasRun: isThere,
  },
  {
    script: scripts.expirableSemaphoreConfigure,
    operands: (name, at) =>
      scripts.expirableSemaphoreConfigure.operands(semaphoreKeys(name), { ...at, ...states }),
    prepare: remove,
    hasRun: isThere,
  },
  {
    script: scripts.expirableSemaphoreDelete,
    operands: (name, at) => scripts.expirableSemaphoreDelete.operands(semaphoreKeys(name), at),
    prepare: setTo(9),
    hasRun: isGone,
  },
];

export const countedKinds: readonly Kind[] = [
  ...latchKinds,
  ...lockKinds,
  ...semaphoreKinds,
  ...permitKinds,
];
