// The server answers, but says "not now": a script blocks it, it loads, or it became a replica.
// Nothing was run then, and the call is sent again until its time is up.

import { afterEach, beforeAll, describe, expect, inject, test as anyServer } from 'vitest';
import type { Redis } from 'ioredis';
import { CommandTimeoutError, type Client } from '../../src/index.js';
import { eventually } from '../support/eventually.js';
import { rawClient } from '../support/redis.js';
import { expectNoChannels, expectNoResidue } from '../support/residue.js';
import { testScope } from '../support/scope.js';
import { ownServer, type OwnServer } from '../support/server.js';
import { rejection } from './world.js';
import { kinds } from '../support/kinds/kinds.js';

const TIMEOUT_MS = 400;

const scope = testScope('not-now');
let server: OwnServer;
let source: OwnServer;
let raw: Redis;

beforeAll(async () => {
  const args = ['--repl-diskless-sync-delay', '0'];
  [server, source] = await Promise.all([ownServer(), ownServer({ args })]);
  raw = rawClient(server.url);
  await raw.config('SET', 'lua-time-limit', '20');
});

interface State {
  readonly error: string;
  readonly begin: () => Promise<void>;
  readonly end: () => Promise<void>;
}

const mastered = async (): Promise<void> => {
  await raw.call('REPLICAOF', 'NO', 'ONE');
};

async function probe(): Promise<string> {
  return await raw.eval('return redis.call("SET", KEYS[1], "1", "PX", 1)', 1, scope.prefix).then(
    () => 'works',
    (error: Error) => error.message,
  );
}

const states: State[] = [
  {
    error: 'BUSY',
    begin: async () => {
      rawClient(server.url)
        .eval('while true do end', 0)
        .catch(() => undefined);
      await Promise.resolve();
    },
    end: async () => {
      await raw.script('KILL');
    },
  },
  {
    error: 'READONLY',
    begin: async () => {
      await raw.call('REPLICAOF', source.host, source.port);
    },
    end: mastered,
  },
  {
    error: 'LOADING',
    begin: async () => {
      // A full copy of the other server, made slow: 200 keys of 50 ms.
      const filler = rawClient(source.url).pipeline();
      for (let i = 0; i < 200; i += 1) {
        filler.set(`filler-${i}`, 'x'.repeat(2_000));
      }
      await filler.exec();
      await raw.config('SET', 'loading-process-events-interval-bytes', '1024');
      await raw.config('SET', 'key-load-delay', '50000');
      await raw.call('REPLICAOF', source.host, source.port);
    },
    end: async () => {
      await raw.config('SET', 'key-load-delay', '0');
      await eventually(async () => (await raw.info('replication')).includes('link_status:up'));
      await mastered();
    },
  },
];

async function connected(): Promise<Client> {
  const client = scope.client({ redis: server.url, commandTimeoutMs: TIMEOUT_MS });
  await eventually(async () => !(await client.getLock(scope.prefix).isLocked()));
  return client;
}

describe.each(states)('$error', ({ error, begin, end }) => {
  // Redis 6.2 answers nothing while it loads less than 2 MB, however slowly it does.
  const test = anyServer.skipIf(
    error === 'LOADING' && inject('redisVersion').startsWith('redis 6.'),
  );
  let over = true;

  async function start(): Promise<void> {
    over = false;
    await begin();
    await eventually(async () => (await probe()).includes(error));
  }

  async function stop(): Promise<void> {
    if (!over) {
      over = true;
      await end();
      await eventually(async () => (await probe()) === 'works', { withinMs: 10_000 });
    }
  }

  afterEach(stop);

  test('acquisitions without limit get in when it is over', async () => {
    const [client, fresh] = [await connected(), scope.name()];
    await start();

    const waits = kinds.map((kind) => {
      const entrance = kind.get(client, scope.name());
      return { kind, name: entrance.name, acquiring: entrance.acquire() };
    });
    // Another one that even its connection finds the server so.
    const late = scope
      .client({ redis: server.url, commandTimeoutMs: TIMEOUT_MS })
      .getLock(fresh)
      .acquire();
    const given = await rejection(client.getLock(scope.name()).tryAcquire());
    await stop();
    for (const { name } of waits.filter(({ kind }) => kind.isSemaphore)) {
      await raw.set(name, 1);
      await raw.publish(`redisson_sc:{${name}}`, '1');
    }

    expect(given.error).toBeInstanceOf(CommandTimeoutError);
    await (await late).release();
    for (const { kind, name, acquiring } of waits) {
      const grant = await acquiring;
      await kind.expectIn(name, grant, server.url);
      await grant.release();
      expect(await kind.isFree(name, server.url)).toBe(true);
      // What has no TTL by design.
      await raw.del(name, `redisson_lock_token:{${name}}`);
    }
  });

  test('a call settles in its time, and what it asked for is not done later', async () => {
    const [client, name] = [await connected(), scope.name()];
    const latch = client.getCountDownLatch(`${name}-latch`);
    await start();

    const acquiring = await rejection(client.getLock(name).tryAcquire());
    const [counting, setting] = await Promise.all([
      rejection(latch.trySetCount(1)),
      rejection(client.getSemaphore(`${name}-semaphore`).addPermits(1)),
    ]);
    await stop();
    // Sent behind them on the same connection: whatever they left under way comes before it.
    await client.getLock(`${name}-later`).using(() => undefined);

    expect(acquiring.error).toBeInstanceOf(CommandTimeoutError);
    expect(acquiring.afterMs).toBeLessThan(TIMEOUT_MS + 2_000);
    for (const { error: why } of [counting, setting]) {
      expect((why as { code: string }).code).toMatch(/OUTCOME_UNKNOWN|COMMAND_TIMEOUT/);
    }
    const asked = [name, latch.name, `${name}-semaphore`];
    await eventually(async () => (await raw.exists(...asked)) === 0);
  });
});

anyServer(
  'a call made while earlier ones wait to be sent again does not overtake them',
  async () => {
    const client = scope.client({ redis: server.url });
    const latch = client.getCountDownLatch(scope.name());
    await latch.count();
    const [{ begin, end }] = states as [State];
    await begin();
    await eventually(async () => (await probe()).includes('BUSY'));
    let answered = false;
    const first = latch.trySetCount(1).finally(() => {
      answered = true;
    });
    const later: Promise<boolean>[] = [];
    // Three answers later the client has read the refusal of its call, too, on the other connection:
    // only from then on does that call wait. What was sent before then may be carried out first.
    for (let i = 0; i < 3; i += 1) {
      expect(await probe()).toContain('BUSY');
    }
    expect(answered).toBe(false);

    await end();
    await eventually(
      () => {
        later.push(latch.trySetCount(2));
        return answered;
      },
      { everyMs: 1 },
    );

    expect(await first).toBe(true);
    expect((await Promise.all(later)).includes(true)).toBe(false);
    await latch.delete();
  },
);

anyServer('a demoted master is not connected to, nor told of, over and over', async () => {
  const client = await connected();
  let told = 0;
  client.on('error', () => {
    told += 1;
  });
  const connections = async (): Promise<number> => {
    const [, received] = /total_connections_received:(\d+)/.exec(await raw.info('stats')) ?? [];
    return Number(received);
  };
  await raw.call('REPLICAOF', source.host, source.port);
  await eventually(async () => (await probe()).includes('READONLY'));
  const before = await connections();

  const given = await rejection(client.getLock(scope.name()).acquire({ waitMs: 2_500 }));
  const made = (await connections()) - before;
  await mastered();
  await eventually(async () => (await probe()) === 'works', { withinMs: 10_000 });

  expect(given.error).toBeInstanceOf(CommandTimeoutError);
  expect(made).toBeGreaterThan(0);
  expect(made).toBeLessThan(10);
  expect(told).toBeLessThan(5);
});

anyServer('nothing is left on the server', async () => {
  const allow = [/^redlatch_(?:cancelled|requests):/];
  await expectNoResidue(scope.prefix, { allow, client: raw });
  await expectNoChannels(scope.prefix, { client: raw });
});
