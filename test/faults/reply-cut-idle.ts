// What must hold when an answer about a semaphore with an `idleMs` is cut off: it ends all the same, and
// no copy keeps it, makes it again, or ends it while a permit is out.

import { expect } from 'vitest';
import * as scripts from '../../src/core/wire/scripts.generated.js';
import { rawClient } from '../support/redis.js';
import { cutReply, type Case } from './world.js';

const PERMITS = { count: 2, idleMs: 60_000 };

/** The ms to its end: -1 it has none, -2 there is no semaphore. */
const endOf = async (name: string): Promise<number> => await rawClient().pttl(name);

function expectIdle(ms: number): void {
  expect(ms).toBeGreaterThan(50_000);
  expect(ms).toBeLessThanOrEqual(PERMITS.idleMs);
}

const released = (
  script: typeof scripts.semaphoreReturn | typeof scripts.semaphoreRelease,
): Case => ({
  fact: 'a copy of the last release leaves a semaphore that goes, and makes none that is gone',
  async run({ proxy, name, client }) {
    const semaphore = client.getSemaphore(name, { permits: PERMITS });
    const isBare = script.name === 'semaphore/release';
    const permits = await semaphore.acquire();
    const held = await endOf(name);
    const fault = cutReply(proxy, script);

    const releasing = isBare ? semaphore.release() : permits.release();
    await fault.ran();
    const first = await endOf(name);
    await rawClient().del(name);
    await fault.replay();
    await releasing;

    expect(held).toBe(-1);
    expectIdle(first);
    expect(await endOf(name)).toBe(-2);
  },
});

const acquired: Case = {
  fact: 'a copy of the acquisition leaves a semaphore without an end while the permit is out',
  async run({ proxy, name, client }) {
    const semaphore = client.getSemaphore(name, { permits: PERMITS });
    await (await semaphore.acquire()).release();
    const fault = cutReply(proxy, scripts.semaphoreAcquire);

    const acquiring = semaphore.acquire();
    await fault.ran();
    const first = await endOf(name);
    await fault.replay();
    const permits = await acquiring;
    const second = await endOf(name);
    await permits.release();

    expect([first, second]).toEqual([-1, -1]);
    expectIdle(await endOf(name));
    await rawClient().del(name);
  },
};

const releasedPermit: Case = {
  fact: 'a copy of the last release leaves a semaphore that goes, and makes none that is gone',
  async run({ proxy, name, client }) {
    const semaphore = client.getPermitExpirableSemaphore(name, { permits: PERMITS });
    const permit = await semaphore.acquire({ leaseMs: 600_000 });
    const held = await endOf(name);
    const fault = cutReply(proxy, scripts.expirableSemaphoreRelease);

    const releasing = permit.release();
    await fault.ran();
    const first = await endOf(name);
    await rawClient().del(name);
    await fault.replay();
    await releasing.catch(() => {});

    expect(held).toBeGreaterThan(600_000);
    expectIdle(first);
    expect(await endOf(name)).toBe(-2);
  },
};

const set: Case = {
  fact: 'a number that was set has its end, and a copy sets none again',
  async run({ proxy, name, client }) {
    const semaphore = client.getPermitExpirableSemaphore(name, { permits: PERMITS });
    const fault = cutReply(proxy, scripts.expirableSemaphoreTrySet);

    const setting = semaphore.trySetPermits(3);
    await fault.ran();
    const first = await endOf(name);
    await rawClient().del(name);
    await fault.replay();

    expect(await setting).toBe(true);
    expectIdle(first);
    expect(await endOf(name)).toBe(-2);
  },
};

export const idleCases: Readonly<Record<string, readonly Case[]>> = {
  'semaphore/acquire': [acquired],
  'semaphore/return': [released(scripts.semaphoreReturn)],
  'semaphore/release': [released(scripts.semaphoreRelease)],
  'expirable-semaphore/release': [releasedPermit],
  'expirable-semaphore/try-set': [set],
};
