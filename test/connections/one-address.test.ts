// Behind one address there is another master all of a sudden: a connection that stands leads to the one before,
// which answers, and hears nothing of what is published on the new one.

import type { Redis, RedisOptions } from 'ioredis';
import { expect, test } from 'vitest';
import { eventually } from '../support/eventually.js';
import { startProxy, type Proxy, type ProxyConnection } from '../support/proxy.js';
import { randomName, rawClient } from '../support/redis.js';
import { ownServer } from '../support/server.js';
import { openClient } from './exercise.js';

interface World {
  readonly proxy: Proxy;
  /** Plain connections to the master before, and to the new one. */
  readonly old: Redis;
  readonly next: Redis;
  readonly errors: string[];
  /** Fulfilled when the client has got the permit that it waits for. */
  readonly waiting: Promise<void>;
  /** A call that writes. */
  readonly write: () => Promise<unknown>;
  /** Whether the client hears of the semaphore on this server. */
  readonly isHeardOn: (server: Redis) => Promise<boolean>;
  /** Gives a permit back on the new master, as Redisson does. */
  readonly giveBack: () => Promise<void>;
}

/** A client that waits for a permit on the old master, and a new one with the same data. */
async function world(options: RedisOptions = {}, rights = '+info'): Promise<World> {
  const [old, next] = (await Promise.all([ownServer(), ownServer()])).map(({ url }) =>
    rawClient(url),
  ) as [Redis, Redis];
  const name = randomName();
  for (const raw of [old, next]) {
    await raw.call('ACL', 'SETUSER', 'jo', 'on', '>x', '~*', '&*', '+@all', rights);
    await raw.set(name, 0);
  }
  const proxy = await startProxy({ target: `redis://127.0.0.1:${old.options.port}` });
  const redis = { port: proxy.port, username: 'jo', password: 'x', ...options };
  const client = openClient({ redis, commandTimeoutMs: 3_000 });
  const errors: string[] = [];
  client.on('error', ({ error }) => errors.push(error.message));
  const channel = `redisson_sc:{${name}}`;
  const isHeardOn = async (server: Redis): Promise<boolean> =>
    Number((await server.pubsub('NUMSUB', channel))[1]) > 0;
  const waiting = client
    .getSemaphore(name)
    .acquire()
    .then(async (permits) => await permits.release());
  waiting.catch(() => {});
  await eventually(async () => await isHeardOn(old));
  return {
    proxy,
    old,
    next,
    errors,
    waiting,
    isHeardOn,
    write: async () => await client.getLock(randomName()).tryAcquire({ leaseMs: 1_000 }),
    giveBack: async () => {
      await next.multi().incr(name).publish(channel, '1').exec();
    },
  };
}

const carriesCommands = ({ isSubscriber }: ProxyConnection): boolean => !isSubscriber;

/** The waiter of a semaphore polls after 5 s: only a message lets it in sooner. */
async function expectPromptly(work: Promise<unknown>): Promise<void> {
  const startedAt = performance.now();
  await work;
  expect(performance.now() - startedAt).toBeLessThan(2_000);
}

test.each([
  { may: 'may', rights: '+info' },
  { may: 'may not', rights: '-info' },
])(
  'the subscriber follows commands that the old master refuses, of a user who $may read INFO',
  async ({ rights }) => {
    const options = { enableReadyCheck: rights === '+info' };
    const { proxy, old, next, write, isHeardOn, giveBack, waiting } = await world(options, rights);

    proxy.leadTo(() => `redis://127.0.0.1:${next.options.port}`);
    // It does not get what the new master publishes.
    await old.call('REPLICAOF', '127.0.0.1', '1');
    await write();

    await eventually(async () => await isHeardOn(next), { withinMs: 2_000 });
    await giveBack();
    await expectPromptly(waiting);
  },
);

test('the subscriber follows commands whose connection was cut', async () => {
  const { proxy, next, write, isHeardOn, giveBack, waiting, errors } = await world();

  proxy.leadTo(() => `redis://127.0.0.1:${next.options.port}`);
  proxy.cutAll(carriesCommands);
  await write();

  await eventually(async () => await isHeardOn(next), { withinMs: 2_000 });
  await giveBack();
  await expectPromptly(waiting);
  expect(errors.join('\n')).toMatch(
    /connections to localhost:\d+ lead to different servers: \w+ and \w+/u,
  );
});

test('where INFO is hidden, it follows since it does not hear itself', async () => {
  const options = { enableReadyCheck: false };
  const { proxy, next, write, isHeardOn, giveBack, waiting, errors } = await world(
    options,
    '-info',
  );

  proxy.leadTo(() => `redis://127.0.0.1:${next.options.port}`);
  proxy.cutAll(carriesCommands);
  await write();

  // A message is sent at once, and the end of a period of 2.5 s finds that it was not heard.
  await eventually(async () => await isHeardOn(next), { withinMs: 10_000 });
  await giveBack();
  await expectPromptly(waiting);
  expect(errors.join('\n')).toContain('the subscriber connection hears no messages');
});

test('behind a balancer with two masters the connections stay, which is reported once', async () => {
  const { proxy, old, next, errors } = await world();
  const [one, other] = [old, next].map(({ options }) => `redis://127.0.0.1:${options.port}`);
  let made = 0;
  const report = (): string[] => errors.filter((each) => each.includes('different servers'));

  // Commands to the one and messages from the other, whichever is made anew.
  proxy.leadTo(() => {
    made += 1;
    return (made % 2 === 0 ? one : other) ?? '';
  });
  proxy.cutAll(carriesCommands);
  const ids = await Promise.all(
    [old, next].map(async (raw) => /run_id:(\w+)/u.exec(await raw.info('server'))?.[1] ?? ''),
  );
  await eventually(() => made === 3, { withinMs: 4_000 });
  await eventually(() => report().length > 0);

  const [text = ''] = report();
  expect(ids.filter((id) => text.includes(id))).toEqual(ids);
  expect(proxy.connections()).toHaveLength(2);
});
