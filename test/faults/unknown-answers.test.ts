// A proxy answers for a server that has run a call, or has not, with an error that says nothing of that.

import { describe, expect, test } from 'vitest';
import { CommandTimeoutError, OutcomeUnknownError, type Client } from '../../src/index.js';
import * as scripts from '../../src/core/wire/scripts.generated.js';
import { eventually } from '../support/eventually.js';
import { rawClient } from '../support/redis.js';
import { titled, type WireScript } from '../support/kinds/kind.js';
import { kinds, leasedKinds } from '../support/kinds/kinds.js';
import { faultWorlds, prepare, rejection, runs, type World } from './world.js';

const open = faultWorlds('unknown-answers');
const raw = rawClient();

const FAILURE = '-upstream failure\r\n';

/** The server runs these scripts, and its answers are lost in a proxy. */
function answerWithErrors({ proxy }: World, ...wanted: readonly WireScript[]): void {
  proxy.rewriteReplies((request, reply) =>
    wanted.some((script) => runs(script)(request)) ? Buffer.from(FAILURE) : reply,
  );
}

describe.concurrent.each(titled(kinds))(
  'a release of a %s whose answer says nothing',
  (_, kind) => {
    test('goes on until it has an answer, and is reported once', async (context) => {
      const world = await open(context, { commandTimeoutMs: 400 });
      const { client, name, proxy } = world;
      const ends: string[] = [];
      client.on('lost', ({ error }) => ends.push(`lost ${error.reason}`));
      client.on('released', () => ends.push('released'));
      client.on('error', () => {});
      await prepare(kind, world);
      const grant = await kind.get(client, name).acquire();
      answerWithErrors(world, kind.scripts.release, scripts.semaphoreReturn);

      const { error } = await rejection(grant.release());
      proxy.rewriteReplies();
      await grant.release();

      expect(error).toBeInstanceOf(OutcomeUnknownError);
      expect(String((error as OutcomeUnknownError).cause)).toContain('upstream failure');
      await eventually(() => ends.length > 0);
      expect(ends).toEqual(['released']);
      await eventually(async () => await kind.isFree(name));
    });
  },
);

describe.concurrent.each(titled(leasedKinds))(
  'a release of a %s that is never answered',
  (_, kind) => {
    test('goes on behind its caller until the lease has ended, and no longer', async (context) => {
      const world = await open(context, { commandTimeoutMs: 400, leaseMs: 900 });
      const { client, name } = world;
      const ends: string[] = [];
      client.on('lost', ({ error }) => ends.push(`lost ${error.reason}`));
      client.on('error', () => {});
      await prepare(kind, world);
      const grant = await kind.get(client, name).acquire();
      answerWithErrors(world, kind.scripts.release);

      const { error } = await rejection(grant.release());
      await eventually(() => ends.length > 0);
      // It waits for all clean-up.
      await client.close({ timeoutMs: 60_000 });

      expect(error).toBeInstanceOf(OutcomeUnknownError);
      expect(ends).toEqual(['lost unproven']);
    });
  },
);

describe.concurrent.each(titled(kinds))(
  'an acquisition of a %s whose answer says nothing',
  (_, kind) => {
    test('rejects, and leaves nothing', async (context) => {
      const world = await open(context, { commandTimeoutMs: 400 });
      const { client, name, proxy } = world;
      client.on('error', () => {});
      await prepare(kind, world);
      answerWithErrors(
        world,
        kind.scripts.acquire,
        ...(kind.enter === undefined ? [] : [kind.enter]),
      );

      const { error } = await rejection(kind.get(client, name).acquire({ waitMs: 1_000 }));
      proxy.rewriteReplies();

      expect(String(error)).toContain('upstream failure');
      await eventually(async () => await kind.isFree(name));
    });
  },
);

test.concurrent('a number that a wait has to agree on is stated a few times a second while its answers show nothing', async (context) => {
  const world = await open(context, { commandTimeoutMs: 800 });
  const { client, name, proxy } = world;
  let stated = 0;
  proxy.rewriteReplies((request, reply) => {
    if (!runs(scripts.expirableSemaphoreConfigure)(request)) {
      return reply;
    }
    stated += 1;
    return Buffer.from(FAILURE);
  });
  const semaphore = client.getPermitExpirableSemaphore(name, {
    permits: { count: 1, onMismatch: 'error' },
  });

  const { error } = await rejection(semaphore.acquire({ waitMs: 2_000 }));
  proxy.rewriteReplies();

  expect(error).toBeInstanceOf(CommandTimeoutError);
  expect(stated).toBeGreaterThan(1);
  expect(stated).toBeLessThan(20);
  await semaphore.delete();
});

interface Counted {
  what: string;
  script: WireScript;
  prepare: (client: Client, name: string) => Promise<unknown>;
  make: (client: Client, name: string) => Promise<unknown>;
  value: (client: Client, name: string) => Promise<unknown>;
  expected: number;
}

const permits: Pick<Counted, 'prepare' | 'value'> = {
  prepare: async (client, name) => await client.getSemaphore(name).trySetPermits(3),
  value: async (client, name) => await client.getSemaphore(name).availablePermits(),
};

const counted: Counted[] = [
  {
    what: 'countDown',
    script: scripts.latchCountDown,
    prepare: async (client, name) => await client.getCountDownLatch(name).trySetCount(3),
    make: async (client, name) => await client.getCountDownLatch(name).countDown(),
    value: async (client, name) => await client.getCountDownLatch(name).count(),
    expected: 2,
  },
  {
    what: 'addPermits',
    script: scripts.semaphoreAddPermits,
    ...permits,
    make: async (client, name) => await client.getSemaphore(name).addPermits(2),
    expected: 5,
  },
  {
    what: 'release of permits by number',
    script: scripts.semaphoreRelease,
    ...permits,
    make: async (client, name) => await client.getSemaphore(name).release(2),
    expected: 5,
  },
];

test.concurrent.for(counted)(
  '$what whose first answer says nothing is sent again under its number',
  async ({ script, prepare: first, make, value, expected }, context) => {
    const world = await open(context);
    const { client, name, proxy } = world;
    await first(client, name);
    const answered: string[] = [];
    proxy.rewriteReplies((request, reply) => {
      if (!runs(script)(request)) {
        return reply;
      }
      answered.push(reply.toString());
      return answered.length === 1 ? Buffer.from(FAILURE) : reply;
    });

    await make(client, name);
    proxy.rewriteReplies();

    expect(answered).toHaveLength(2);
    expect(answered[1]).toBe(answered[0]);
    expect(await value(client, name)).toBe(expected);
    await raw.del(name);
  },
);

test.concurrent.for(counted)(
  '$what whose answer says nothing has an unknown outcome, and is carried out once',
  async ({ script, prepare: first, make, value, expected }, context) => {
    const world = await open(context);
    const { client, name, proxy } = world;
    await first(client, name);
    answerWithErrors(world, script);

    const { error } = await rejection(make(client, name));
    proxy.rewriteReplies();
    await client.getLock(`${name}:behind`).using(() => {});

    expect(error).toBeInstanceOf(OutcomeUnknownError);
    expect(await value(client, name)).toBe(expected);
    await raw.del(name);
  },
);
