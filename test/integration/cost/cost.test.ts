import { afterAll, describe, expect, test } from 'vitest';
import { eventually } from '../../support/eventually.js';
import { listening } from '../../support/latch-channel.js';
import { keysUnder, rawClient } from '../../support/redis.js';
import { expectNoChannels, expectNoResidue } from '../../support/residue.js';
import { testScope } from '../../support/scope.js';
import { ownServer } from '../../support/server.js';
import { countedTraffic } from '../../support/traffic.js';
import type { Entrance, Kind } from '../../support/kinds/kind.js';
import { allKinds, allLasting, exclusiveKinds, lockKinds } from '../../support/kinds/kinds.js';
import { objectKinds } from '../../support/kinds/objects.js';

const scope = testScope('cost');
const server = await ownServer();
const raw = rawClient(server.url);

afterAll(async () => {
  for (const key of await keysUnder(scope.prefix, raw)) {
    // Semaphores and fencing counters stay by design; the hash of a lock does not.
    if (allLasting.some((rule) => rule.test(key)) && (await raw.type(key)) !== 'hash') {
      await raw.del(key);
    }
  }
  const allow = [/^redlatch_(?:cancelled|requests|opened|beats|generation|permits):/];
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

/** An object that is there already, over a connection on which commands are counted. */
async function counted(kind: Kind): Promise<{ one: Entrance; sent: () => string[]; name: string }> {
  const object = scope.name();
  await kind.create(scope.client({ redis: server.url }), object);
  const traffic = await countedTraffic(server.url);
  const one = await kind.create(scope.client({ redis: traffic.url }), object);
  // Making sure that a semaphore has its permits is not what is measured.
  const before = traffic.names().length;
  return { one, sent: () => traffic.names().slice(before), name: object };
}

describe.each(allKinds)('$what', (kind) => {
  test('the very first acquire and release on a fresh server are two commands', async () => {
    const { one, sent } = await counted(kind);
    await raw.script('FLUSH');
    const before = await scriptsRun();

    const grant = await one.acquire();
    await grant.release();

    expect(sent()).toEqual([script, script]);
    expect(await scriptsRun()).toBe(before + 2);
  });

  test('every later acquire and release are two commands, too', async () => {
    const { one, sent } = await counted(kind);

    for (let i = 0; i < 50; i += 1) {
      await one.using(() => undefined);
    }

    expect(sent()).toEqual(Array.from({ length: 100 }, () => script));
  });
});

test.each(lockKinds)('a re-entry of a $what and its release are two commands', async (kind) => {
  const traffic = await countedTraffic(server.url);
  const lock = kind.create(scope.client({ redis: traffic.url }), scope.name());

  await lock.using(async () => {
    await lock.using(() => undefined);
  });

  expect(traffic.names()).toHaveLength(4);
});

test.each(exclusiveKinds)(
  'asking for a busy $what is one command, and nothing is subscribed',
  async (kind) => {
    const { one, sent, name } = await counted(kind);
    const theirs = await kind.create(scope.client({ redis: server.url }), name);
    const grant = await theirs.acquire();

    const answer = await one.tryAcquire();

    expect(answer).toBeNull();
    expect(sent()).toEqual([script]);
    await grant.release();
  },
);

test.each(allKinds)('releases that nobody waits for subscribe nothing: $what', async (kind) => {
  const traffic = await countedTraffic(server.url);
  const client = scope.client({ redis: traffic.url });
  const all = await Promise.all(
    Array.from({ length: 40 }, async () => await kind.create(client, scope.name())),
  );
  const before = traffic.names().length;

  await Promise.all(all.map(async (one) => await one.using(() => undefined)));

  expect(traffic.names().slice(before)).toHaveLength(80);
  expect(traffic.proxy.connections()).toHaveLength(1);
});

test.each(exclusiveKinds)(
  'a hand-over of a $what inside one client costs a fixed number of scripts',
  async (kind) => {
    const { one, sent } = await counted(kind);
    const cycles = 200;
    let inside = 0;
    let most = 0;

    await Promise.all(
      Array.from({ length: cycles }, async () => {
        await one.using(() => {
          inside += 1;
          most = Math.max(most, inside);
          inside -= 1;
        });
      }),
    );

    const scripts = sent().filter((command) => command.startsWith('eval')).length;
    // Each waiter of a fair lock asks for its own place, that of a multi-lock for all its names; three of four releases of a counting
    // semaphore serve the next waiter.
    const perCycle = { 'fair-lock': 3, 'multi-lock': 3, semaphore: 1.5 }[kind.id] ?? 2;
    expect(most).toBe(1);
    expect(scripts).toBeLessThanOrEqual(perCycle * cycles + 6);
  },
);

test('the waiters of a lock subscribe once, and never again while it is handed over', async () => {
  const traffic = await countedTraffic(server.url);
  const lock = scope.client({ redis: traffic.url }).getLock(scope.name());

  await Promise.all(Array.from({ length: 200 }, async () => await lock.using(() => undefined)));

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

test('waits on seventy objects of all kinds share one subscriber connection', async () => {
  const traffic = await countedTraffic(server.url);
  const client = scope.client({ redis: traffic.url });
  const holder = scope.client({ redis: server.url });
  const objects = objectKinds.flatMap((kind) =>
    Array.from({ length: 10 }, () => ({ kind, name: scope.name() })),
  );
  const taken = await Promise.all(
    objects.map(async ({ kind, name }) => await kind.take(holder, name)),
  );

  const waits = objects.map(async ({ kind, name }) => await kind.wait(client, name));
  await eventually(async () => {
    const channels = await raw.pubsub('CHANNELS', `*${scope.prefix}*`);
    return (channels as string[]).length >= objects.length;
  });
  const connections = traffic.proxy.connections().length;
  await Promise.all(taken.map(async (each) => await each.free()));
  await Promise.all(waits);

  expect(connections).toBe(2);
  await Promise.all(taken.map(async (each) => await each.remove()));
});
