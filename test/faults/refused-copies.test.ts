// A counted call that is refused when it is sent again, while its first copy is still under way.

import { describe, expect, test } from 'vitest';
import {
  AccessDeniedError,
  createClient,
  OutcomeUnknownError,
  WrongTypeError,
  type Client,
} from '../../src/index.js';
import * as scripts from '../../src/core/wire/scripts.generated.js';
import { eventually } from '../support/eventually.js';
import { rawClient } from '../support/redis.js';
import { ownServer } from '../support/server.js';
import {
  faultWorlds,
  keepUnderWay,
  rejection,
  runs,
  sendsCommands,
  type LateBytes,
  type World,
} from './world.js';

const open = faultWorlds('refused-copies');
const raw = rawClient();

type Script = Parameters<typeof keepUnderWay>[1];
type Make = (client: Client, name: string) => Promise<unknown>;

/** Makes the call, of which one copy is under way and another one was refused. */
async function refuse({ proxy, name, client }: World, script: Script, make: Make) {
  const late: LateBytes = keepUnderWay(proxy, script);
  const made = rejection(make(client, name));
  await late.sent();
  // Text that no object of ours consists of, so that a lock and a count are refused alike.
  await raw.multi().del(name).lpush(name, 'text').exec();
  proxy.cutAll(sendsCommands);
  const { error } = await made;
  await raw.del(name);
  return { error, late };
}

const counted: { what: string; script: Script; make: Make }[] = [
  {
    what: 'the count of a latch',
    script: scripts.latchTrySetCount,
    make: async (client, name) => await client.getCountDownLatch(name).trySetCount(2),
  },
  {
    what: 'the permits of a semaphore',
    script: scripts.semaphoreTrySetPermits,
    make: async (client, name) => await client.getSemaphore(name).trySetPermits(2),
  },
  {
    what: 'permits on leases',
    script: scripts.expirableSemaphoreTrySet,
    make: async (client, name) => await client.getPermitExpirableSemaphore(name).trySetPermits(2),
  },
];

describe.concurrent.each(counted)('$what', ({ script, make }) => {
  test('are set by no copy of a call that was told as unknown', async (context) => {
    const world = await open(context);
    const { error, late } = await refuse(world, script, make);
    // What is cleaned up in the background is over by then.
    await world.client.close();
    await late.deliver();

    expect(error).toBeInstanceOf(OutcomeUnknownError);
    expect((error as Error).cause).toBeInstanceOf(WrongTypeError);
    expect(await raw.exists(world.name)).toBe(0);
  });
});

test('a forced release that was told as unknown spares the owner who came after it', async (context) => {
  const world = await open(context);
  const { error, late } = await refuse(world, scripts.lockForceRelease, (client, name) =>
    client.getLock(name).forceRelease(),
  );
  await world.client.close();
  const hold = await world.other.getLock(world.name).acquire();
  await late.deliver();

  expect(error).toBeInstanceOf(OutcomeUnknownError);
  expect(await raw.hget(world.name, hold.holderId)).toBe('1');
  await hold.release();
});

test('a call that is denied as the first of its client is unknown while a copy of it is under way', async (context) => {
  const server = await ownServer();
  const admin = rawClient(server.url);
  await admin.call('ACL', 'SETUSER', 'shaky', 'on', '>secret', '~*', '&*', '+@all');
  const { proxy, name } = await open(context, {}, server.url);
  await using client = createClient({ redis: proxy.url.replace('//', '//shaky:secret@') });
  const late = keepUnderWay(proxy, scripts.latchTrySetCount);
  const made = rejection(client.getCountDownLatch(name).trySetCount(2));
  await late.sent();

  await admin.call('ACL', 'SETUSER', 'shaky', '-pexpire');
  proxy.cutAll(sendsCommands);
  const { error } = await made;

  expect(error).toBeInstanceOf(OutcomeUnknownError);
  expect((error as Error).cause).toBeInstanceOf(AccessDeniedError);
  await late.deliver();
});

test('a permit that a late copy took for a client without rights comes back when it has them', async (context) => {
  const server = await ownServer();
  const admin = rawClient(server.url);
  await admin.call('ACL', 'SETUSER', 'late', 'on', '>secret', '~*', '&*', '+@all');
  const { proxy, name } = await open(context, {}, server.url);
  await using client = createClient({ redis: proxy.url.replace('//', '//late:secret@') });
  await admin.set(name, '1');
  const late = keepUnderWay(proxy, scripts.semaphoreAcquire);
  const made = rejection(client.getSemaphore(name).acquire());
  await late.sent();

  await admin.call('ACL', 'SETUSER', 'late', '-eval', '-evalsha');
  proxy.cutAll(sendsCommands);
  const { error } = await made;
  // It is refused as well, and made again.
  const isGivingBack = runs(scripts.semaphoreGiveBack);
  await eventually(() => proxy.requests().filter(isGivingBack).length > 1);
  await admin.call('ACL', 'SETUSER', 'late', '+eval', '+evalsha');
  await late.deliver();

  expect(error).toBeInstanceOf(AccessDeniedError);
  await eventually(async () => (await admin.get(name)) === '1');
});
