// Holders of which nobody says that another client waits, on real servers: they hear nothing, and lose nothing.

import { setImmediate as turn } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { createClient, type Client, type ClientOptions } from '../../src/index.js';
import { ear, kinds, listens } from '../support/contended-stage.js';
import { eventually } from '../support/eventually.js';
import { startProxy } from '../support/proxy.js';
import { randomName, rawClient, redisUrl } from '../support/redis.js';
import { ownServer } from '../support/server.js';

function open(options: ClientOptions = {}): Client {
  const client = createClient({ redis: redisUrl(), ...options });
  onTestFinished(async () => await client.close());
  return client;
}

const server = await ownServer();
const raw = rawClient();

test('a permit takes a listener, and never calls it', async () => {
  const name = randomName('permit');
  const semaphore = open().getPermitExpirableSemaphore(name, { permits: 1 });
  const permit = await semaphore.acquire();
  const heard = ear();

  const takeBack = permit.onContended(heard.listener);
  const other = open().getPermitExpirableSemaphore(name);
  expect(await other.tryAcquire({ waitMs: 100 })).toBeNull();

  takeBack();
  expect(heard.calls).toBe(0);
  expect(() => permit.onContended(1 as never)).toThrow(TypeError);
  await permit.release();
  await semaphore.delete();
});

test.each(kinds)('a client that may not listen hears nothing ($kind)', async ({ of }) => {
  const { url, host, port } = server;
  const admin = rawClient(url);
  const rights = ['reset', 'on', '>secret', '~*', '&redisson*', '+@all'];
  await admin.call('ACL', 'SETUSER', 'deaf', ...rights);
  const name = randomName('deaf');
  const holder = open({ redis: `redis://deaf:secret@${host}:${port}` });
  const errors: string[] = [];
  holder.on('error', ({ error }) => errors.push(error.message));
  const hold = await of(holder, name).acquire();
  const heard = ear();

  hold.onContended(heard.listener);

  await eventually(() => errors.length > 0);
  const waiting = of(open({ redis: url }), name).acquire();
  await eventually(async () => (await admin.exists(`redlatch_tickets:{${name}}`)) === 1);
  await turn();
  expect(heard.calls).toBe(0);
  await hold.release();
  await (await waiting).release();
});

test.each(kinds)(
  'a holder that was cut off when another client came hears of it once it is back ($kind)',
  async ({ of, lengthOf }) => {
    const name = randomName('cut');
    const proxy = await startProxy({ target: redisUrl() });
    const holder = open({ redis: `redis://127.0.0.1:${proxy.port}`, leaseMs: 60_000 });
    const hold = await of(holder, name).acquire();
    const heard = ear();
    hold.onContended(heard.listener);
    await eventually(async () => await listens(raw, holder));
    proxy.refuse();
    proxy.cutAll();
    await eventually(async () => !(await listens(raw, holder)));

    const waiting = of(open(), name).acquire();
    await eventually(async () => (await lengthOf(raw, name)) === 1);
    expect(heard.calls).toBe(0);
    await proxy.accept();

    await eventually(() => heard.calls === 1);
    await hold.release();
    await (await waiting).release();
  },
);

test('a hold that was lost hears nothing', async () => {
  const name = randomName('lost');
  const [holder, other] = [open(), open()];
  const hold = await holder.getLock(name).acquire();
  const heard = ear();
  hold.onContended(heard.listener);
  await eventually(async () => await listens(raw, holder));

  await other.getLock(name).forceRelease();
  await eventually(() => hold.state === 'lost');
  const taken = await other.getLock(name).acquire();
  hold.onContended(heard.listener);
  await turn();

  expect(heard.calls).toBe(0);
  await taken.release();
});

test('a listener that is no function is refused', async () => {
  const client = open();
  const hold = await client.getLock(randomName('bad')).acquire();

  expect(() => hold.onContended(undefined as never)).toThrow(TypeError);
  expect(() => hold.onContended('release' as never)).toThrow(/listener/);

  await hold.release();
});

test('the subscription of a listener ends with its client', async () => {
  const client = createClient({ redis: redisUrl() });
  const hold = await client.getLock(randomName('closed')).acquire();
  const heard = ear();
  hold.onContended(heard.listener);
  await eventually(async () => await listens(raw, client));

  await client.close();

  await eventually(async () => !(await listens(raw, client)));
  hold.onContended(heard.listener);
  await turn();
  expect(heard.calls).toBe(0);
});
