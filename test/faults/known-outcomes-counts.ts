// Calls whose outcome their answer tells: of what counts permits or counts down.

import type { Client } from '../../src/index.js';
import * as compiled from '../../src/core/wire/scripts.generated.js';
import type { WireScript } from '../support/kinds/kind.js';
import { permitUses } from '../support/permit-uses.js';
import { rawClient } from '../support/redis.js';
import type { World } from './world.js';

const raw = rawClient();

export interface Outcome {
  readonly script: WireScript;
  readonly what: string;
  readonly prepare?: (world: World) => Promise<unknown>;
  readonly call: (client: Client, name: string) => Promise<unknown>;
  /** What the call answers, or in an object what it is rejected with. */
  readonly answer: unknown;
}

const GRANTED = 'granted';
export const granted = async (acquiring: Promise<unknown>): Promise<unknown> =>
  (await acquiring) === null ? null : GRANTED;
const nothing = async (work: Promise<void>): Promise<string> => {
  await work;
  return 'done';
};
const outOfRange = { name: 'RangeError' };
const notHeld = { name: 'NotHeldError', code: 'ERR_NOT_HELD' };
const ID = '00112233445566778899aabbccddeeff';

const counting = (client: Client, name: string) => client.getSemaphore(name);
const leased = (client: Client, name: string) => client.getPermitExpirableSemaphore(name);
const latch = (client: Client, name: string) => client.getCountDownLatch(name);

const of =
  (count: number) =>
  async ({ setPermits }: World): Promise<void> =>
    await setPermits(count);
const holdsPermit = async ({ name, setPermits }: World): Promise<void> => {
  await setPermits(0);
  await raw.zadd(`{${name}}:timeout`, Date.now() + 2_000, Buffer.from(ID, 'hex'));
};

const semaphoreOutcomes: Outcome[] = [
  {
    script: compiled.semaphoreAcquire,
    what: 'a grant',
    prepare: of(1),
    call: async (client, name) => await granted(counting(client, name).tryAcquire()),
    answer: GRANTED,
  },
  {
    script: compiled.semaphoreAcquire,
    what: 'too few',
    prepare: of(1),
    call: async (client, name) => await granted(counting(client, name).tryAcquire(2)),
    answer: null,
  },
  {
    script: compiled.semaphoreRelease,
    what: 'one more',
    prepare: of(1),
    call: async (client, name) => await nothing(counting(client, name).release()),
    answer: 'done',
  },
  {
    script: compiled.semaphoreRelease,
    what: 'out of range',
    prepare: of(1),
    call: async (client, name) => await counting(client, name).release(2_147_483_647),
    answer: outOfRange,
  },
  {
    script: compiled.semaphoreAddPermits,
    what: 'some more',
    prepare: of(1),
    call: async (client, name) => await nothing(counting(client, name).addPermits(2)),
    answer: 'done',
  },
  {
    script: compiled.semaphoreAddPermits,
    what: 'out of range',
    prepare: of(1),
    call: async (client, name) => await counting(client, name).addPermits(2_147_483_647),
    answer: outOfRange,
  },
  {
    script: compiled.semaphoreDrainPermits,
    what: 'all that are left',
    prepare: of(3),
    call: async (client, name) => await counting(client, name).drainPermits(),
    answer: 3,
  },
  {
    script: compiled.semaphoreConfigure,
    what: 'another number, which is kept',
    prepare: of(3),
    call: async (client, name) =>
      await client.getSemaphore(name, { permits: 5 }).availablePermits(),
    answer: 3,
  },
  {
    script: compiled.semaphoreInspect,
    what: 'what is left',
    prepare: of(3),
    call: async (client, name) => await counting(client, name).availablePermits(),
    answer: 3,
  },
  {
    script: compiled.semaphoreTrySetPermits,
    what: 'set already',
    prepare: of(3),
    call: async (client, name) => await counting(client, name).trySetPermits(2),
    answer: false,
  },
  {
    script: compiled.semaphoreDelete,
    what: 'was there',
    prepare: of(3),
    call: async (client, name) => await counting(client, name).delete(),
    answer: true,
  },
  {
    script: compiled.semaphoreDelete,
    what: 'was not there',
    call: async (client, name) => await counting(client, name).delete(),
    answer: false,
  },
];

const leasedOutcomes: Outcome[] = [
  // By an object that declares five, of a semaphore of three.
  ...permitUses.map(([what, use]) => ({
    script: compiled.expirableSemaphoreConfigure,
    what: `another number, which ${what} refuses`,
    prepare: of(3),
    call: async (client: Client, name: string) => {
      const permits = { count: 5, onMismatch: 'error' } as const;
      return await use(client.getPermitExpirableSemaphore(name, { permits }));
    },
    answer: {
      name: 'PermitsMismatchError',
      code: 'ERR_PERMITS_MISMATCH',
      permits: 3,
      wanted: 5,
    },
  })),
  {
    script: compiled.expirableSemaphoreAcquire,
    what: 'too few',
    prepare: of(1),
    call: async (client, name) => await granted(leased(client, name).tryAcquireMany(2)),
    answer: null,
  },
  {
    script: compiled.expirableSemaphoreConfigure,
    what: 'another number, which is set',
    prepare: of(3),
    call: async (client, name) => {
      const permits = { count: 5, onMismatch: 'set' } as const;
      return await client.getPermitExpirableSemaphore(name, { permits }).totalPermits();
    },
    answer: 5,
  },
  {
    script: compiled.expirableSemaphoreInspect,
    what: 'what is left',
    prepare: of(3),
    call: async (client, name) => await leased(client, name).availablePermits(),
    answer: 3,
  },
  {
    script: compiled.expirableSemaphoreResize,
    what: 'out of range',
    prepare: of(3),
    call: async (client, name) => await leased(client, name).addPermits(2_147_483_647),
    answer: outOfRange,
  },
  {
    script: compiled.expirableSemaphoreTrySet,
    what: 'set already',
    prepare: of(3),
    call: async (client, name) => await leased(client, name).trySetPermits(2),
    answer: false,
  },
  {
    script: compiled.expirableSemaphoreReleaseAny,
    what: 'a permit',
    prepare: holdsPermit,
    call: async (client, name) => await leased(client, name).tryRelease(ID),
    answer: true,
  },
  {
    script: compiled.expirableSemaphoreReleaseAny,
    what: 'no such permit',
    prepare: of(3),
    call: async (client, name) => await leased(client, name).release(ID),
    answer: notHeld,
  },
  {
    script: compiled.expirableSemaphoreUpdateLease,
    what: 'no such permit',
    prepare: of(3),
    call: async (client, name) => await leased(client, name).updateLease(ID, 1_000),
    answer: false,
  },
  {
    script: compiled.expirableSemaphoreDelete,
    what: 'was there',
    prepare: of(3),
    call: async (client, name) => await leased(client, name).delete(),
    answer: true,
  },
];

const latchOutcomes: Outcome[] = [
  {
    script: compiled.latchTrySetCount,
    what: 'set already',
    prepare: of(2),
    call: async (client, name) => await latch(client, name).trySetCount(3),
    answer: false,
  },
  {
    script: compiled.latchCountDown,
    what: 'counted',
    prepare: of(2),
    call: async (client, name) => await nothing(latch(client, name).countDown()),
    answer: 'done',
  },
  {
    script: compiled.latchInspect,
    what: 'the count',
    prepare: of(2),
    call: async (client, name) => await latch(client, name).count(),
    answer: 2,
  },
  {
    script: compiled.latchDelete,
    what: 'was there',
    prepare: of(2),
    call: async (client, name) => await latch(client, name).delete(),
    answer: true,
  },
];

export const countedOutcomes: readonly Outcome[] = [
  ...semaphoreOutcomes,
  ...leasedOutcomes,
  ...latchOutcomes,
];
