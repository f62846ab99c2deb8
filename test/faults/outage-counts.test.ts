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

describe.concurrent('a counted call with an unknown outcome', () => {
  for (const { script, count, act } of counted) {
    test(`${script.name} is burnt: it is not run later`, async (context) => {
      const { proxy, name, client } = await open(context, options);
      const raw = rawClient();
      if (count !== null) {
        await raw.set(name, count);
      }
      const late = keepUnderWay(proxy, script);
      const copies = proxy.holdRequests(runs(script));

      const { error } = await rejection(act(client, name));
      proxy.cutAll(sendsCommands);
      await isBurnt(client, name);
      await late.deliver();
      copies.release();

      expect(error).toBeInstanceOf(OutcomeUnknownError);
      expect(await raw.get(name)).toBe(count === null ? null : String(count));
      await raw.del(name);
    });
  }

  for (const script of [
    scripts.expirableSemaphoreReleaseAny,
    scripts.expirableSemaphoreUpdateLease,
  ]) {
    test(`${script.name} is burnt: the permit is left alone`, async (context) => {
      const { proxy, name, client, other, setPermits } = await open(context, options);
      await setPermits(1);
      const permit = await take(other.getPermitExpirableSemaphore(name));
      const late = keepUnderWay(proxy, script);
      const copies = proxy.holdRequests(runs(script));
      const semaphore = client.getPermitExpirableSemaphore(name);

      const { error } = await rejection(
        script === scripts.expirableSemaphoreReleaseAny
          ? semaphore.release(permit.id)
          : semaphore.updateLease(permit.id, 50),
      );
      proxy.cutAll(sendsCommands);
      await isBurnt(client, name);
      await late.deliver();
      copies.release();
      await permit.extend(40_000);

      expect(error).toBeInstanceOf(OutcomeUnknownError);
      expect(permit.isHeld).toBe(true);
      expect(await rawClient().get(name)).toBe('0');
    });
  }
});

describe.concurrent.each(titled(lockKinds))('a forced release of a %s', (_, kind) => {
  test('with an unknown outcome is burnt: it does not free the lock later', async (context) => {
    const { proxy, name, client, other } = await open(context, options);
    const held = await take(kind.get(other, name));
    const late = keepUnderWay(proxy, kind.scripts.forceRelease);
    const copies = proxy.holdRequests(runs(kind.scripts.forceRelease));

    const { error } = await rejection(kind.get(client, name).forceRelease());
    proxy.cutAll(sendsCommands);
    await isBurnt(client, name);
    await late.deliver();
    copies.release();

    expect(error).toBeInstanceOf(OutcomeUnknownError);
    await expectHolder(name, held);
  });
});
