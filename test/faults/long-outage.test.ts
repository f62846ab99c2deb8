// Outages that last longer than the server remembers a call. The clock of the client is moved on.

import { afterEach, expect, test } from 'vitest';
import { randomUUID } from 'node:crypto';
import { createRouter } from '../../src/core/connection/create-router.js';
import { LockFace } from '../../src/core/locks/lock-face.js';
import { anyHold } from '../../src/core/locks/hold-face.js';
import { systemEnvironment } from '../../src/core/connection/environment.js';
import { readTemplate } from '../../src/core/connection/endpoint.js';
import { ClientServices } from '../../src/core/client-services.js';
import { EndpointServices } from '../../src/core/endpoint-services.js';
import * as scripts from '../../src/core/wire/scripts.generated.js';
import { CommandTimeoutError, OutcomeUnknownError } from '../../src/index.js';
import { HashLockProtocol } from '../../src/lock/protocol.js';
import { SemaphoreState } from '../../src/semaphore/grants.js';
import { SemaphoreFace } from '../../src/semaphore/semaphore.js';
import { eventually } from '../support/eventually.js';
import { rawClient } from '../support/redis.js';
import { skippingClock } from '../support/skipping-clock.js';
import { cutReply, faultWorlds, keepUnderWay, rejection, runs, take, type World } from './world.js';
import { LockServices } from '../../src/core/locks/lock-services.js';
import { stored } from '../support/kinds/locks.js';

const open = faultWorlds('long-outage');
const ELEVEN_MINUTES = 660_000;
const settings = {
  leaseMs: 30_000,
  commandTimeoutMs: 300,
  stalledAfterMs: 60_000,
  shardedSubscriptionMode: 'auto',
  handOff: 'direct',
  reentry: 'scope',
} as const;
const opened: EndpointServices[] = [];

afterEach(() => {
  for (const services of opened.splice(0)) {
    services.client.stopGranting();
    services.shutDown();
    services.client.shutDown();
  }
});

/** A client whose clock can be moved on, behind the proxy. */
function skipping({ proxy, name, down }: World) {
  const clock = skippingClock();
  const services = new EndpointServices(
    new ClientServices(randomUUID(), settings, clock),
    (owner) =>
      createRouter(readTemplate(proxy.url), settings, { ...systemEnvironment(), clock }, owner),
  );
  opened.push(services);
  const errors: string[] = [];
  services.client.events.on('error', ({ error }) => errors.push(error.message));
  return {
    errors,
    semaphore: new SemaphoreFace(services, name, name, new SemaphoreState()),
    lock: new LockFace(
      new LockServices(services),
      new HashLockProtocol(services, 'lock', name, name),
      anyHold,
    ),
    skip: (ms: number) => clock.skip(ms),
    /** Redis is away, and the client knows it: what it does from now on is not sent. */
    cutOff: async () => {
      down();
      await eventually(() => services.router.whyDown(name) !== undefined);
    },
  };
}

test('permits whose release was never sent are back after an outage of any length', async (context) => {
  const world = await open(context);
  const { semaphore, skip, cutOff } = skipping(world);
  await world.setPermits(2);
  const permits = await take(semaphore);
  await cutOff();
  const first = await rejection(permits.release());

  skip(ELEVEN_MINUTES);
  const second = await rejection(permits.release());
  await world.up();
  await eventually(async () => await permits.release());

  expect([first.error, second.error]).toEqual([
    expect.any(CommandTimeoutError),
    expect.any(CommandTimeoutError),
  ]);
  expect(await rawClient().get(world.name)).toBe('2');
  await permits.release();
  expect(await rawClient().get(world.name)).toBe('2');
});

test('permits are given back by themselves after an outage of any length', async (context) => {
  const world = await open(context);
  const { semaphore, skip, cutOff, errors } = skipping(world);
  await world.setPermits(2);
  const permits = await take(semaphore);
  await cutOff();
  await rejection(permits.release());

  skip(ELEVEN_MINUTES);
  await world.up();

  await eventually(async () => expect(await rawClient().get(world.name)).toBe('2'));
  expect(errors.filter((error) => error.includes('given up'))).toEqual([]);
});

test('a release of which nothing could be learnt is told, and can be made again', async (context) => {
  const world = await open(context);
  const { semaphore, skip, errors } = skipping(world);
  await world.setPermits(2);
  const permits = await take(semaphore);
  const lost = keepUnderWay(world.proxy, scripts.semaphoreRelease);
  const told: (string | undefined)[] = [];
  opened.at(-1)!.client.events.on('released', (event) => told.push(event.error?.message));
  const releasing = rejection(permits.release());
  await lost.sent();
  world.down();
  const { error } = await releasing;

  skip(ELEVEN_MINUTES);
  await world.up();
  const before = await rawClient().get(world.name);
  await eventually(async () => await permits.release());

  expect(error).toBeInstanceOf(OutcomeUnknownError);
  expect(errors).toContain('a clean-up was given up after ten minutes');
  expect(told).toEqual(['a clean-up was given up after ten minutes']);
  expect([before, await rawClient().get(world.name)]).toEqual(['1', '2']);
});

test('a release that is made again gives nothing back of a grant that the server has forgotten', async (context) => {
  const world = await open(context);
  const { semaphore, skip, errors } = skipping(world);
  const raw = rawClient();
  await world.setPermits(0);
  await world.other.getSemaphore(world.name).delete();
  await world.other.getSemaphore(world.name).trySetPermits(2);
  const permits = await take(semaphore);
  const fault = cutReply(world.proxy, scripts.semaphoreReturn);
  const releasing = rejection(permits.release());
  await fault.ran();
  world.down();
  await releasing;

  skip(ELEVEN_MINUTES);
  await raw.del(`redlatch_permits:{${world.name}}`);
  await world.up();
  await eventually(async () => await permits.release());

  expect(await raw.get(world.name)).toBe('2');
  expect(errors.filter((error) => error.includes('may be lost'))).toHaveLength(1);
});

test('permits that were given back before the server forgot it are not given back again', async (context) => {
  const world = await open(context);
  const { semaphore, skip, cutOff, errors } = skipping(world);
  await world.setPermits(2);
  const permits = await take(semaphore);
  await cutOff();
  await rejection(permits.release());
  const { cut } = world.proxy.cutReplyAfter(runs(scripts.semaphoreGiveBack));
  await world.up();
  await eventually(
    () => {
      if (cut.length > 0) {
        world.down();
      }
      return cut.length > 0;
    },
    { everyMs: 1 },
  );

  // The record lives for thirty minutes.
  for (let passed = 0; passed < 4; passed += 1) {
    skip(ELEVEN_MINUTES);
  }
  const [records = ''] = await rawClient().keys(`redlatch_requests:{${world.name}}:*`);
  await rawClient().del(records);
  await world.up();
  await eventually(() => errors.includes('a clean-up was given up after ten minutes'));

  expect(await semaphore.availablePermits()).toBe(2);
});

test('another call of a release that goes on behind rejects until it is done', async (context) => {
  const world = await open(context);
  const { semaphore } = skipping(world);
  await world.setPermits(2);
  const permits = await take(semaphore);
  const { cut } = world.proxy.cutReplyAfter(runs(scripts.semaphoreRelease));
  const releasing = rejection(permits.release());
  world.proxy.refuse();
  await eventually(() => cut.length === 1);
  const first = await releasing;

  const second = await rejection(permits.release());
  await world.up();
  await eventually(async () => {
    await Promise.all([permits.release(), permits.release()]);
  });

  expect(first.error).toBeInstanceOf(OutcomeUnknownError);
  expect(second.error).toBe(first.error);
  expect(await rawClient().get(world.name)).toBe('2');
});

test('a lock with a long fixed lease that was released in an outage is free after it', async (context) => {
  const world = await open(context);
  const { lock, skip, cutOff, errors } = skipping(world);
  const hold = await take(lock, { leaseMs: 3_600_000 });
  await cutOff();
  await rejection(hold.release());

  skip(ELEVEN_MINUTES);
  await world.up();

  await eventually(async () => expect(await stored(world.name)).toEqual({}));
  expect(errors.filter((error) => error.includes('given up'))).toEqual([]);
});
