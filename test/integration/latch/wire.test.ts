import { afterAll, expect, test } from 'vitest';
import { eventually } from '../../support/eventually.js';
import { latchChannel, listening } from '../../support/latch-channel.js';
import { messagesOn } from '../../support/messages.js';
import { keysUnder, rawClient } from '../../support/redis.js';
import { expectNoChannels, expectNoResidue } from '../../support/residue.js';
import { testScope } from '../../support/scope.js';
import { ownServer } from '../../support/server.js';

const scope = testScope('latch-wire');
const raw = rawClient();

afterAll(async () => {
  await expectNoResidue(scope.prefix, { allow: [/^redlatch_(?:requests|opened):/] });
  await expectNoChannels(scope.prefix);
});

test('the count is a decimal string under the plain name', async () => {
  const latch = scope.client().getCountDownLatch(scope.name());

  await latch.trySetCount(12);
  await latch.countDown();

  expect(await raw.get(latch.name)).toBe('11');
  await latch.delete();
});

test('a count that another program has set counts down and ends here', async () => {
  const latch = scope.client().getCountDownLatch(scope.name());
  await raw.set(latch.name, '2');

  const set = await latch.trySetCount(5);
  await latch.countDown();
  const left = await latch.count();
  await latch.countDown();

  expect([set, left]).toEqual([false, 1]);
  expect(await raw.exists(latch.name)).toBe(0);
});

test('a count of 0 that another program has left lets everybody through and is set anew', async () => {
  const latch = scope.client().getCountDownLatch(scope.name());
  await raw.set(latch.name, '0');

  const passed = await latch.wait({ waitMs: 0 });
  const waited = await latch.wait();
  const count = await latch.count();
  const set = await latch.trySetCount(2);

  expect([passed, waited, count, set]).toEqual([true, true, 0, true]);
  expect(await raw.get(latch.name)).toBe('2');
  await latch.delete();
});

test('a count of 0 that another program has left is removed by a count-down', async () => {
  const latch = scope.client().getCountDownLatch(scope.name());
  await raw.set(latch.name, '0');

  await latch.countDown();

  expect(await raw.exists(latch.name)).toBe(0);
});

test.each([['plain'], ['tag']])('messages of a %s name go where Redisson listens', async (kind) => {
  const base = scope.name();
  const name = kind === 'tag' ? `{${base}}:latch` : base;
  const latch = scope.client().getCountDownLatch(name);
  const messages = await messagesOn(latchChannel(name));

  await latch.trySetCount(2);
  await latch.countDown();
  await latch.countDown();
  await latch.trySetCount(1);
  await latch.delete();

  await eventually(() => messages.length >= 4);
  expect(messages).toEqual(['1', '0', '1', '0']);
});

test('calls that change nothing are silent', async () => {
  const latch = scope.client().getCountDownLatch(scope.name());
  const messages = await messagesOn(latchChannel(latch.name));

  await latch.countDown();
  await latch.delete();
  await latch.trySetCount(3);
  await latch.trySetCount(4);
  await latch.countDown();
  await raw.publish(latchChannel(latch.name), 'end');

  await eventually(() => messages.includes('end'));
  expect(messages).toEqual(['1', 'end']);
  await latch.delete();
});

test('a zero that another program brings about lets our waiters go', async () => {
  const latch = scope.client().getCountDownLatch(scope.name());
  await latch.trySetCount(2);
  const waits = [latch.wait(), scope.client().getCountDownLatch(latch.name).wait()];
  await listening(raw, latch.name, 2);

  await raw.decr(latch.name);
  const left = await latch.count();
  await raw.multi().decr(latch.name).del(latch.name).publish(latchChannel(latch.name), '0').exec();

  expect(left).toBe(1);
  expect(await Promise.all(waits)).toEqual([true, true]);
});

test('a deletion as Redisson does it lets our waiters go', async () => {
  const latch = scope.client().getCountDownLatch(scope.name());
  await latch.trySetCount(2);
  const wait = latch.wait({ waitMs: 4_000 });
  await listening(raw, latch.name);

  // Redisson publishes `1` here, which leaves its own waiters asleep.
  await raw.multi().del(latch.name).publish(latchChannel(latch.name), '1').exec();

  expect(await wait).toBe(true);
});

test('any message that is no integer, or a wrong one, only makes a wait look again', async () => {
  const latch = scope.client().getCountDownLatch(scope.name());
  await latch.trySetCount(1);
  const wait = latch.wait({ waitMs: 250 });
  await listening(raw, latch.name);

  for (const payload of ['0', '1', '-5', '', 'word', '99999999999999999999']) {
    await raw.publish(latchChannel(latch.name), payload);
  }

  expect(await wait).toBe(false);
  await latch.delete();
});

test('a 0 is told exactly when the count goes, a 1 with every set, under any interleaving', async () => {
  const server = await ownServer({ args: ['--notify-keyspace-events', 'KA'] });
  const clients = [1, 2, 3].map(() => scope.client({ redis: server.url }));
  const name = scope.name();
  // One connection: what happens to the key and what is published come in their true order.
  const channels = [latchChannel(name), `__keyspace@0__:${name}`];
  const history = await messagesOn(channels, { url: server.url });

  await Promise.all(
    clients.map(async (client, i) => {
      const latch = client.getCountDownLatch(name);
      for (let round = 0; round < 60; round += 1) {
        const dice = (round * 7 + i * 5) % 11;
        const more = latch.trySetCount(1 + (dice % 3), dice === 4 ? { ttlMs: 60_000 } : {});
        const calls = [more, latch.countDown(), latch.countDown()];
        await Promise.all(dice === 9 ? [...calls, latch.delete()] : calls);
      }
    }),
  );
  await clients[0]!.getCountDownLatch(name).delete();
  await rawClient(server.url).publish(latchChannel(name), 'end');
  await eventually(() => history.at(-1) === 'end');

  const told = history.join(' ');
  const rounds = /^(?:set (?:expire )?1 (?:decrby |decr |incrby )*del 0 )+end$/;
  expect(told).toMatch(rounds);
  expect(told.match(/set/g)?.length).toBeGreaterThan(30);
});

test('private records are found by their prefix, live in the slot of the latch, and expire', async () => {
  const client = scope.client();
  const latch = client.getCountDownLatch(scope.name());

  await latch.trySetCount(1);
  await latch.countDown();

  const keys = await keysUnder(latch.name, raw);
  const ttls = await Promise.all(keys.map(async (key) => await raw.pttl(key)));
  expect(keys.length).toBeGreaterThan(0);
  expect(keys.filter((key) => !/^redlatch_(?:opened|requests):\{/.test(key))).toEqual([]);
  expect(keys.filter((key) => !key.includes(`{${latch.name}}`))).toEqual([]);
  expect(Math.min(...ttls)).toBeGreaterThan(0);
  expect(Math.max(...ttls)).toBeLessThanOrEqual(1_800_000);
});
