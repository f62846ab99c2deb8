// Credentials that run out: connections sign in again, or are replaced, before that.

import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { describe, expect, test } from 'vitest';
import { createQuorumClient } from '../../src/index.js';
import { eventually } from '../support/eventually.js';
import { startProxy } from '../support/proxy.js';
import { randomName } from '../support/redis.js';
import { toldOf } from '../support/told.js';
import { clusterWorld } from './cluster-world.js';
import { eachWithPassword, guardedServer, operatorOf, Source } from './credential-source.js';
import {
  direct,
  expectEnds,
  isAuth,
  isScript,
  isSignIn,
  isSubscribe,
  lasting,
  opened,
  operator,
  server,
  waitingStage,
} from './credential-stage.js';
import { openClient } from './exercise.js';

eachWithPassword(operator, 'first');

describe('before credentials run out', () => {
  test('a connection that sends signs in with others, and stays', async () => {
    const proxy = await startProxy({ target: server.url });
    const source = new Source('first');
    source.give = lasting(2_000);
    const client = openClient({ redis: proxy.url, credentials: source.ask });
    const hold = await client.getLock(randomName()).acquire();
    await operator.call('ACL', 'SETUSER', 'default', '>second');
    source.give = () => ({ username: 'default', password: 'second' });

    const startedAt = performance.now();
    const [first] = opened(proxy, false);
    const auths = (): string[][] => first?.commands.filter(isAuth) ?? [];
    await eventually(() => auths().length === 2);
    const tookMs = performance.now() - startedAt;

    expect(auths()[1]?.slice(1)).toEqual(['default', 'second']);
    expect(first?.isOpen).toBe(true);
    // A quarter of their time before.
    expect(tookMs).toBeLessThan(2_000);
    expect(tookMs).toBeGreaterThan(1_200);
    await hold.release();
  });

  test.each([2, 3] as const)(
    'one that listens is replaced, with RESP%i: its successor has confirmed all before it is closed',
    async (protocol) => {
      const stage = await waitingStage(1_000, 'second', protocol);
      const { proxy, first, client, source } = stage;
      await operator.call('ACL', 'SETUSER', 'default', '>second');
      const held = proxy.holdRequests((command, from) => isSubscribe(command) && from !== first);

      await eventually(() => held.held.length === 1);
      // The one before is heard meanwhile, and hears of one more.
      expect(first.isOpen).toBe(true);
      const other = randomName();
      const otherHold = await openClient({ redis: direct }).getLock(other).acquire();
      const otherWait = client.getLock(other).acquire({ waitMs: 4_000 });
      await eventually(async () => (await toldOf(other, operator)) > 0);
      await otherHold.release();
      await (await otherWait).release();
      const scripts = proxy.requests().filter(isScript).length;
      held.release();
      await eventually(() => !first.isOpen);

      const [successor] = opened(proxy, true);
      expect(opened(proxy, true).length).toBe(1);
      const commands = successor?.commands ?? [];
      expect(commands.find(isSignIn)?.at(-1)).toBe('second');
      const channels = new Set(commands.filter(isSubscribe).flatMap((command) => command.slice(1)));
      expect([...channels].some((channel) => channel.includes(stage.name))).toBe(true);
      expect(first.commands.filter(isSignIn).length).toBe(1);
      expect(source.asked.length).toBe(4);
      // Nothing is doubtful, so nothing is asked again.
      expect(proxy.requests().filter(isScript).length).toBe(scripts);
      await expectEnds(stage, 1_000);
    },
  );

  test('what is subscribed to meanwhile is heard by the successor, and what is left is not', async () => {
    const stage = await waitingStage(1_000);
    const { proxy, first, client } = stage;
    const held = proxy.holdRequests((command, from) => isSubscribe(command) && from !== first);
    await eventually(() => held.held.length === 1);
    const [later, left] = [randomName(), randomName()];
    const holder = openClient({ redis: direct });
    const holds = [await holder.getLock(later).acquire(), await holder.getLock(left).acquire()];
    const laterWait = client.getLock(later).acquire({ waitMs: 4_000 });
    await client.getLock(left).tryAcquire({ waitMs: 200 });

    await eventually(async () => (await toldOf(later, operator)) > 0);
    held.release();
    await eventually(() => !first.isOpen);
    await Promise.all(holds.map(async (hold) => await hold.release()));
    await (await laterWait).release();

    await expectEnds(stage, 1_000);
    await eventually(async () => (await toldOf(left, operator)) === 0);
  });

  test('no message is lost while two clients give a lock to and fro, and both are replaced all the time', async () => {
    const sources = [new Source('first'), new Source('first')];
    const proxies = [
      await startProxy({ target: server.url }),
      await startProxy({ target: server.url }),
    ];
    const clients = sources.map((source, i) => {
      source.give = lasting(200);
      return openClient({ redis: proxies[i]?.url, credentials: source.ask, handOff: 'strict' });
    });
    const name = randomName();
    const waits: number[] = [];
    const endsAt = performance.now() + 4_000;
    const listened = (): number =>
      proxies.flatMap((proxy) => proxy.everyConnection()).filter((each) => each.isSubscriber)
        .length;

    await Promise.all(
      clients.map(async (client) => {
        while (performance.now() < endsAt || listened() < 12) {
          const startedAt = performance.now();
          const hold = await client.getLock(name).acquire({ waitMs: 10_000 });
          waits.push(performance.now() - startedAt);
          await hold.release();
        }
      }),
    );

    expect(waits.length).toBeGreaterThan(100);
    // A wait whose message is lost ends with a poll, after 5 s.
    expect(Math.max(...waits)).toBeLessThan(2_000);
  });

  test('in a cluster, whose messages are sharded', async () => {
    const world = await clusterWorld({ masters: 2 });
    for (const each of world.servers) {
      const raw = await operatorOf(each.url);
      await raw.config('SET', 'requirepass', 'first');
    }
    const source = new Source('first');
    source.give = lasting(1_000);
    const clients = [0, 1].map(() =>
      openClient({
        redis: world.template(),
        credentials: source.ask,
        shardedSubscriptionMode: 'on',
      }),
    );
    const name = world.nameOn(1);
    const hold = await clients[0]?.getLock(name).acquire();
    const waiting = clients[1]?.getLock(name).acquire({ waitMs: 4_500 });

    await eventually(() => source.asked.length >= 16);
    const releasedAt = performance.now();
    await hold?.release();
    const next = await waiting;

    expect(performance.now() - releasedAt).toBeLessThan(1_000);
    await next?.release();
  });

  test('at the servers of a quorum', async () => {
    const others = await Promise.all([guardedServer('first'), guardedServer('first')]);
    const proxies = await Promise.all(
      [server, ...others.map((each) => each.server)].map(
        async ({ url }) => await startProxy({ target: url }),
      ),
    );
    const source = new Source('first');
    source.give = lasting(1_000);
    await using client = createQuorumClient({
      servers: proxies.map(({ url }) => url),
      leaseMs: 1_000,
      credentials: source.ask,
    });
    const hold = await client.getLock(randomName()).acquire({ waitMs: 10_000 });

    await eventually(() =>
      proxies.every((proxy) =>
        opened(proxy, false).some(({ commands }) => commands.filter(isAuth).length > 2),
      ),
    );

    expect(hold.isHeld).toBe(true);
    await hold.release();
  });
});

test('a channel that the user may not hear is reported once, not with each replacement', async () => {
  const source = new Source('first');
  const rights = ['on', '>first', '~*', '+@all', 'resetchannels', '&redisson*'];
  await operator.call('ACL', 'SETUSER', 'deaf', ...rights);
  source.give = () => ({ username: 'deaf', ...lasting(400)() });
  const proxy = await startProxy({ target: server.url });
  const client = openClient({ redis: proxy.url, credentials: source.ask });
  const errors: string[] = [];
  client.on('error', ({ error }) => errors.push(error.message));
  const name = randomName();
  const hold = await openClient({ redis: direct }).getLock(name).acquire();
  const waiting = client.getLock(name).acquire({ waitMs: 12_000 });
  const replaced = (): number =>
    proxy.everyConnection().filter((each) => each.isSubscriber && !each.isOpen).length;
  await eventually(() => errors.length > 0 && replaced() > 0);

  const before = errors.length;
  const count = replaced();
  await eventually(() => replaced() > count + 1);

  expect(errors.length).toBe(before);
  await hold.release();
  await (await waiting).release();
});

test('an end that has passed by the clock of this machine is no error: others are asked for', async () => {
  const source = new Source('first');
  source.give = lasting(-60_000);
  const client = openClient({ redis: direct, credentials: source.ask });
  const errors: string[] = [];
  client.on('error', ({ error }) => errors.push(error.message));
  const hold = await client.getLock(randomName()).acquire();

  const before = source.asked.length;
  await eventually(() => source.asked.length > before);

  expect(errors).toEqual([]);
  await hold.release();
});

test('tracers are not shown with what a connection signs in again', async () => {
  const seen: string[] = [];
  const trace = (message: unknown): void => void seen.push(JSON.stringify(message));
  const proxy = await startProxy({ target: server.url });
  const source = new Source('first');
  const password = 'never to be seen';
  await operator.call('ACL', 'SETUSER', 'default', `>${password}`);
  source.give = lasting(500, password);
  subscribe('tracing:ioredis:command:start', trace);
  const client = openClient({ redis: proxy.url, credentials: source.ask });
  const hold = await client.getLock(randomName()).acquire();
  await eventually(() => proxy.requests().filter(isAuth).length > 2);
  await hold.release();
  unsubscribe('tracing:ioredis:command:start', trace);

  expect(seen.some((message) => /evalsha|eval/iu.test(message))).toBe(true);
  expect(seen.filter((message) => message.includes(password))).toEqual([]);
});
