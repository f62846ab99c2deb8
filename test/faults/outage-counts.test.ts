// Redis is away while something is counted: what came of it is not known, and it never happens later.

import { describe, expect, test } from 'vitest';
import { OutcomeUnknownError, type Client } from '../../src/index.js';
import * as scripts from '../../src/core/wire/scripts.generated.js';
import { eventually } from '../support/eventually.js';
import { rawClient } from '../support/redis.js';
import {
  expectHolder,
  faultWorlds,
  keepUnderWay,
  rejection,
  runs,
  sendsCommands,
  take,
  type World,
} from './world.js';
import { lockKinds } from '../support/kinds/kinds.js';
import { titled, type WireScript } from '../support/kinds/kind.js';

const open = faultWorlds('outage-counts');
const options = { commandTimeoutMs: 400 };

/** A question queues behind the burning of the number. It is asked until it is answered: a busy machine may take
 * longer than the time of one call to connect again. */
async function isBurnt(client: Client, name: string): Promise<void> {
  await eventually(async () => !(await client.getLock(`${name}-behind`).isLocked()), {
    withinMs: 10_000,
  });
}

interface Counted {
  readonly script: WireScript;
  /** What stands there before and after the call. */
  readonly count: number | null;
  readonly act: (client: Client, name: string) => Promise<unknown>;
}

/** The first use of such an object waits for its statement. */
const stated = { count: 7, onMismatch: 'error' } as const;

const counted: readonly Counted[] = [
  {
    script: scripts.latchTrySetCount,
    count: null,
    act: (client, name) => client.getCountDownLatch(name).trySetCount(7),
  },
  {
    script: scripts.latchCountDown,
    count: 3,
    act: (client, name) => client.getCountDownLatch(name).countDown(),
  },
  {
    script: scripts.latchDelete,
    count: 3,
    act: (client, name) => client.getCountDownLatch(name).delete(),
  },
  {
    script: scripts.semaphoreTrySetPermits,
    count: null,
    act: (client, name) => client.getSemaphore(name).trySetPermits(7),
  },
  {
    script: scripts.semaphoreAddPermits,
    count: 3,
    act: (client, name) => client.getSemaphore(name).addPermits(-2),
  },
  {
    script: scripts.semaphoreRelease,
    count: 3,
    act: (client, name) => client.getSemaphore(name).release(2),
  },
  {
    script: scripts.semaphoreDrainPermits,
    count: 3,
    act: (client, name) => client.getSemaphore(name).drainPermits(),
  },
  {
    script: scripts.semaphoreDelete,
    count: 3,
    act: (client, name) => client.getSemaphore(name).delete(),
  },
  {
    script: scripts.expirableSemaphoreConfigure,
    count: null,
    act: (client, name) =>
      client.getPermitExpirableSemaphore(name, { permits: stated }).availablePermits(),
  },
  {
    script: scripts.expirableSemaphoreTrySet,
    count: null,
    act: (client, name) => client.getPermitExpirableSemaphore(name).trySetPermits(7),
  },
  {
    script: scripts.expirableSemaphoreResize,
    count: 3,
    act: (client, name) => client.getPermitExpirableSemaphore(name).setPermits(7),
  },
  {
    script: scripts.expirableSemaphoreDelete,
    count: 3,
    act: (client, name) => client.getPermitExpirableSemaphore(name).delete(),
  },
];

/** In what order the server gets the call and what settles it, both after its caller has stopped waiting. */
const orders = ['behind what settles it', 'before what settles it'] as const;
type Order = (typeof orders)[number];

const settles = (command: string[]): boolean =>
  runs(scripts.requestsCancel)(command) || runs(scripts.semaphoreGiveBack)(command);

/** Keeps the bytes of a call until its caller has stopped waiting, delivers them in this order, and returns the error
 * of the caller. */
async function deliveredLate(
  { proxy, name, client }: World,
  script: WireScript,
  order: Order,
  act: () => Promise<unknown>,
): Promise<unknown> {
  const late = keepUnderWay(proxy, script);
  const copies = proxy.holdRequests(runs(script));
  const settling = order === 'before what settles it' ? proxy.holdRequests(settles) : undefined;
  const { error } = await rejection(act());
  proxy.cutAll(sendsCommands);
  if (settling === undefined) {
    await isBurnt(client, name);
  }
  await late.deliver();
  settling?.release();
  copies.release();
  await isBurnt(client, name);
  return error;
}

describe.concurrent.each(orders)(
  'a counted call with an unknown outcome that comes %s',
  (order) => {
    for (const { script, count, act } of counted) {
      test(`${script.name} is not run later`, async (context) => {
        const world = await open(context, options);
        const { name, client } = world;
        const raw = rawClient();
        if (count !== null) {
          await raw.set(name, count);
        }

        const error = await deliveredLate(world, script, order, () => act(client, name));

        expect(error).toBeInstanceOf(OutcomeUnknownError);
        expect(await raw.get(name)).toBe(count === null ? null : String(count));
        await raw.del(name);
      });
    }

    for (const script of [
      scripts.expirableSemaphoreReleaseAny,
      scripts.expirableSemaphoreUpdateLease,
    ]) {
      test(`${script.name} leaves the permit alone later`, async (context) => {
        const world = await open(context, options);
        const { name, client, other, setPermits } = world;
        await setPermits(1);
        const permit = await take(other.getPermitExpirableSemaphore(name));
        const semaphore = client.getPermitExpirableSemaphore(name);

        const error = await deliveredLate(world, script, order, () =>
          script === scripts.expirableSemaphoreReleaseAny
            ? semaphore.release(permit.id)
            : semaphore.updateLease(permit.id, 50),
        );
        await permit.extend(40_000);

        expect(error).toBeInstanceOf(OutcomeUnknownError);
        expect(permit.isHeld).toBe(true);
        expect(await rawClient().get(name)).toBe('0');
      });
    }

    test('a deletion of permits leaves those of its own client alone later', async (context) => {
      const world = await open(context, options);
      const { name, client, setPermits } = world;
      await setPermits(1);
      const semaphore = client.getPermitExpirableSemaphore(name);
      const permit = await take(semaphore);

      const error = await deliveredLate(world, scripts.expirableSemaphoreDelete, order, () =>
        semaphore.delete(),
      );
      await permit.extend(40_000);

      expect(error).toBeInstanceOf(OutcomeUnknownError);
      expect(permit.isHeld).toBe(true);
      await permit.release();
    });

    for (const [title, kind] of titled(lockKinds)) {
      test(`a forced release of a ${title} does not free it later`, async (context) => {
        const world = await open(context, options);
        const { name, client, other } = world;
        const held = await take(kind.get(other, name));

        const error = await deliveredLate(world, kind.scripts.forceRelease, order, () =>
          kind.get(client, name).forceRelease(),
        );

        expect(error).toBeInstanceOf(OutcomeUnknownError);
        await expectHolder(name, held);
      });
    }
  },
);
