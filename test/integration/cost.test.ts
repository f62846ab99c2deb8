import { afterAll, expect, test } from 'vitest';
import { eventually } from '../support/eventually.js';
import { listening } from '../support/latch-channel.js';
import { rawClient } from '../support/redis.js';
import { expectNoChannels, expectNoResidue } from '../support/residue.js';
import { testScope } from '../support/scope.js';
import { ownServer } from '../support/server.js';
import { countedTraffic } from '../support/traffic.js';

const scope = testScope('cost');
const server = await ownServer();
const raw = rawClient(server.url);

afterAll(async () => {
  await raw.del(...(await raw.keys('redisson_lock_token:*')), scope.prefix);
  const allow = [/^latchkey_(?:cancelled|requests|opened):/];
  await expectNoResidue(scope.prefix, { allow, client: raw });
  await expectNoChannels(scope.prefix, { client: raw });
});

const script = expect.stringMatching(/^eval(?:sha)?$/) as string;

/** Calls of commands that ran a script, as the server counts them. */
async function scriptsRun(): Promise<number> {
  const stats = await raw.info('commandstats');
  const calls = [...stats.matchAll(/^cmdstat_eval(?:sha)?:calls=(\d+)/gm)];
  return calls.reduce((sum, [, count]) => sum + Number(count), 0);
}

test.each([['getLock'], ['getFencedLock']] as const)(
  'the very first acquire and release of %s on a fresh server are two commands',
  async (kind) => {
    await raw.script('FLUSH');
    const traffic = await countedTraffic(server.url);
    const lock = scope.client({ redis: traffic.url })[kind](scope.name());
    const before = await scriptsRun();

    const hold = await lock.acquire();
    await hold.release();

    expect(traffic.names()).toEqual([script, script]);
    expect(await scriptsRun()).toBe(before + 2);
  },
);

test('every later acquire and release are two commands, too', async () => {
  const traffic = await countedTraffic(server.url);
  const lock = scope.client({ redis: traffic.url }).getLock(scope.name());

  for (let i = 0; i < 50; i += 1) {
    await lock.using(() => undefined);
  }

  expect(traffic.names()).toEqual(Array.from({ length: 100 }, () => script));
});

test('a re-entry and its release are two commands', async () => {
  const traffic = await countedTraffic(server.url);
  const lock = scope.client({ redis: traffic.url }).getLock(scope.name());

  await lock.using(async () => {
    await lock.using(() => undefined);
  });

  expect(traffic.names()).toHaveLength(4);
});

test.each([['getLock'], ['getFencedLock']] as const)(
  'asking for a busy lock by %s is one command, and nothing is subscribed',
  async (kind) => {
    const traffic = await countedTraffic(server.url);
    const name = scope.name();
    const client = scope.client({ redis: traffic.url });
    const holding = await scope.client({ redis: server.url })[kind](name).acquire();

    const answer = await client[kind](name).tryAcquire();

    expect(answer).toBeNull();
    expect(traffic.names()).toEqual([script]);
    await holding.release();
  },
);

test('a release that nobody waits for subscribes nothing', async () => {
  const traffic = await countedTraffic(server.url);
  const client = scope.client({ redis: traffic.url });

  await Promise.all(
    Array.from({ length: 40 }, async () => {
      await client.getLock(scope.name()).using(() => undefined);
    }),
  );

  expect(traffic.names()).toHaveLength(80);
  expect(traffic.proxy.connections()).toHaveLength(1);
});

test('a hand-over inside one client costs at most two scripts a cycle', async () => {
  const traffic = await countedTraffic(server.url);
  const lock = scope.client({ redis: traffic.url }).getLock(scope.name());
  const cycles = 200;
  let inside = 0;
  let most = 0;

  await Promise.all(
    Array.from({ length: cycles }, async () => {
      await lock.using(() => {
        inside += 1;
        most = Math.max(most, inside);
        inside -= 1;
      });
    }),
  );

  expect(most).toBe(1);
  expect(traffic.scripts()).toBeLessThanOrEqual(2 * cycles + 6);
  expect(traffic.names().length - traffic.scripts()).toBeLessThanOrEqual(2);
});

test('a hundred local waiters of a latch cost what one costs', async () => {
  const costs: number[] = [];
  for (const waiters of [1, 100]) {
    const traffic = await countedTraffic(server.url);
    const client = scope.client({ redis: traffic.url });
    const name = scope.name();
    const setter = scope.client({ redis: server.url }).getCountDownLatch(name);
    await setter.trySetCount(3);

    const waits = Array.from(
      { length: waiters },
      async () => await client.getCountDownLatch(name).wait(),
    );
    await listening(raw, name);
    for (let i = 0; i < 3; i += 1) {
      await setter.countDown();
    }
    const results = await Promise.all(waits);

    expect(results.every(Boolean)).toBe(true);
    costs.push(traffic.names().length);
  }

  const [one = 0, hundred = 0] = costs;
  expect(one).toBeGreaterThan(0);
  expect(hundred).toBeLessThanOrEqual(one + 2);
});

test('waits on fifty locks share one subscriber connection', async () => {
  const traffic = await countedTraffic(server.url);
  const client = scope.client({ redis: traffic.url });
  const holder = scope.client({ redis: server.url });
  const names = Array.from({ length: 50 }, () => scope.name());
  const holds = await Promise.all(names.map(async (name) => await holder.getLock(name).acquire()));

  const waits = names.map(async (name) => await client.getLock(name).acquire());
  await eventually(
    () => traffic.proxy.requests().filter(([name]) => name === 'subscribe').length > 0,
  );
  await eventually(async () => {
    const channels = await raw.pubsub('CHANNELS', `*${scope.prefix}*`);
    return (channels as string[]).length >= 50;
  });
  const connections = traffic.proxy.connections().length;
  await Promise.all(holds.map(async (hold) => await hold.release()));
  const granted = await Promise.all(waits);

  expect(connections).toBe(2);
  expect(new Set(granted.map((hold) => hold.isHeld))).toEqual(new Set([true]));
});
