import { Redis } from 'ioredis';
import { afterAll, expect, test } from 'vitest';
import { ClosedError, createClient, NotHeldError } from '../../../src/index.js';
import { eventually } from '../../support/eventually.js';
import { startProxy } from '../../support/proxy.js';
import { channelsUnder, keysUnder, rawClient, redisUrl } from '../../support/redis.js';
import { expectNoChannels, expectNoResidue } from '../../support/residue.js';
import { testScope } from '../../support/scope.js';
import { ownServer } from '../../support/server.js';
import { objectKinds } from '../../support/kinds/objects.js';

const scope = testScope('close');
const raw = rawClient();
const isScript = ([name = '']: string[]): boolean => /^eval/i.test(name);

afterAll(async () => {
  // Fencing counters have no TTL by design.
  const counters = await keysUnder(`redisson_lock_token:{${scope.prefix}`, raw);
  await Promise.all(counters.map(async (key) => await raw.del(key)));
  await expectNoResidue(scope.prefix, {
    allow: [/^redlatch_(?:cancelled|requests|opened|beats):/],
  });
  await expectNoChannels(scope.prefix);
});

test('closing ends every hold in this process before anything is sent', async () => {
  const client = scope.client();
  const names = Array.from({ length: 250 }, () => scope.name());
  const holds = await Promise.all(names.map(async (name) => await client.getLock(name).acquire()));

  const closing = client.close();
  const held = holds.filter((hold) => hold.isHeld || hold.remainingMs > 0).length;
  await closing;

  expect(held).toBe(0);
  expect(await raw.exists(...names)).toBe(0);
  expect(new Set(holds.map((hold) => hold.state))).toEqual(new Set(['released']));
});

test('closing twice, or from two places at once, is one closing', async () => {
  const client = scope.client();
  const name = scope.name();
  await client.getLock(name).acquire();

  await Promise.all([client.close(), client.close({ timeoutMs: 50 }), client.close()]);
  await client.close();
  await client[Symbol.asyncDispose]();

  expect(await raw.exists(name)).toBe(0);
});

test('a client in an await using block is closed at its end', async () => {
  const name = scope.name();

  {
    await using client = createClient({ redis: redisUrl() });
    await client.getLock(name).acquire();
    expect(await raw.exists(name)).toBe(1);
  }

  expect(await raw.exists(name)).toBe(0);
});

test('a hold of a closed client is released: nothing more can be done with it', async () => {
  const client = scope.client();
  const hold = await client.getLock(scope.name()).acquire();
  await client.close();

  await hold.release();

  expect(hold.isHeld).toBe(false);
  expect(() => {
    hold.assertHeld();
  }).toThrow(NotHeldError);
  await expect(hold.extend(1_000)).rejects.toThrow(NotHeldError);
  await expect(hold.run(() => 'never')).rejects.toThrow(NotHeldError);
});

test('closing ends the waits for objects of every kind and leaves nothing of them', async () => {
  const [client, holder] = [scope.client(), scope.client()];
  const objects = objectKinds.map((kind) => ({ kind, name: scope.name() }));
  const taken = await Promise.all(
    objects.map(async ({ kind, name }) => await kind.take(holder, name)),
  );
  const waits = objects.flatMap(({ kind, name }) => [
    kind.wait(client, name),
    kind.wait(client, name, { waitMs: 20_000 }),
  ]);
  const settled = Promise.allSettled(waits);
  await Promise.all(
    objects.map(async ({ name }) => {
      await eventually(async () => (await channelsUnder(`{${name}}`, raw)).length > 0);
    }),
  );

  await client.close();

  const reasons = (await settled).map((result) => 'reason' in result && (result.reason as unknown));
  expect(reasons.filter((reason) => reason instanceof ClosedError)).toHaveLength(waits.length);
  await expectNoChannels(scope.prefix);
  await Promise.all(taken.map(async (each) => await each.remove()));
  const names = objects.map(({ name }) => name);
  await eventually(async () => (await raw.exists(...names)) === 0);
});

test('an acquisition under way when the client closes leaves nothing', async () => {
  const client = scope.client();
  const name = scope.name();
  await client.getLock(name).isLocked();
  const acquiring = client.getLock(name).acquire();
  const caught = expect(acquiring).rejects.toThrow(ClosedError);

  await client.close();

  await caught;
  expect(await raw.exists(name)).toBe(0);
});

test('an acquisition whose answer is late when the client closes is taken back', async () => {
  const proxy = await startProxy({ target: redisUrl() });
  const client = scope.client({ redis: proxy.url });
  const name = scope.name();
  await client.getLock(name).isLocked();
  proxy.pauseDownstream();
  const acquiring = client.getLock(name).acquire();
  const caught = expect(acquiring).rejects.toThrow(ClosedError);
  await eventually(async () => (await raw.exists(name)) === 1);

  const closing = client.close();
  await eventually(async () => (await raw.exists(name)) === 0);
  proxy.resumeDownstream();
  await closing;

  await caught;
});

test('a release under way when the client closes is done', async () => {
  const client = scope.client();
  const name = scope.name();
  const hold = await client.getLock(name).acquire();

  const releasing = hold.release();
  await client.close();

  await expect(releasing).resolves.toBeUndefined();
  expect(await raw.exists(name)).toBe(0);
});

test('a release whose answer is late when the client closes is waited for', async () => {
  const proxy = await startProxy({ target: redisUrl() });
  const client = scope.client({ redis: proxy.url });
  const name = scope.name();
  const hold = await client.getLock(name).acquire();
  const held = proxy.holdRequests(isScript);
  const releasing = hold.release();
  await eventually(() => held.held.length === 1);

  const closing = client.close();
  held.release();
  await closing;

  await expect(releasing).resolves.toBeUndefined();
  expect(await raw.exists(name)).toBe(0);
});

test('a release that waits for its connection when the client closes is still brought', async () => {
  const proxy = await startProxy({ target: redisUrl() });
  const client = scope.client({ redis: proxy.url });
  const name = scope.name();
  const hold = await client.getLock(name).acquire();
  proxy.refuse();
  proxy.cutAll();
  await eventually(() => hold.state === 'suspect');

  const releasing = hold.release();
  const closing = client.close();
  await proxy.accept();
  await closing;

  await expect(releasing).resolves.toBeUndefined();
  expect(await raw.exists(name)).toBe(0);
});

test('a count-down under way when the client closes tells the truth about itself', async () => {
  const client = scope.client();
  const name = scope.name();
  await client.getCountDownLatch(name).trySetCount(5);

  const counting = client.getCountDownLatch(name).countDown();
  const [outcome] = await Promise.allSettled([counting, client.close()]);

  const told = outcome.status === 'fulfilled' ? 'done' : (outcome.reason as Error).name;
  const left = await raw.getdel(name);
  const truths = ['done 4', 'ClosedError 5', 'OutcomeUnknownError 4', 'OutcomeUnknownError 5'];
  expect(truths).toContain(`${told} ${left}`);
});

test('closing inside a task that holds the lock lets the task finish', async () => {
  const client = scope.client();
  const name = scope.name();

  const result = await client.getLock(name).using(async (hold) => {
    await client.close();
    return hold.isHeld;
  });

  expect(result).toBe(false);
  expect(await raw.exists(name)).toBe(0);
});

test('closing does not wait longer than its time for a Redis that does not answer', async () => {
  const server = await ownServer();
  const client = createClient({ redis: server.url, leaseMs: 1_000 });
  const hold = await client.getLock(scope.name()).acquire();
  server.pause();
  const startedAt = performance.now();

  await client.close({ timeoutMs: 200 });

  expect(performance.now() - startedAt).toBeLessThan(2_000);
  expect(hold.isHeld).toBe(false);
  server.resume();
});

test('a client that never got a connection closes at once', async () => {
  const proxy = await startProxy({ target: redisUrl() });
  proxy.refuse();
  const client = createClient({ redis: proxy.url });
  const acquiring = client.getLock(scope.name()).acquire();
  const caught = expect(acquiring).rejects.toThrow(ClosedError);
  const startedAt = performance.now();

  await client.close();

  await caught;
  expect(performance.now() - startedAt).toBeLessThan(2_000);
});

test('closing ends the connections it made, and not the one it was made from', async () => {
  const connectionName = `close-${process.pid}`;
  const template = new Redis(redisUrl(), { connectionName });
  await template.ping();
  const client = createClient({ redis: template });
  const holder = scope.client();
  const name = scope.name();
  const hold = await holder.getLock(name).acquire();
  await client.getLock(name).tryAcquire({ waitMs: 100 });
  const count = async (): Promise<number> =>
    String(await raw.client('LIST')).split(`name=${connectionName} `).length - 1;
  const before = await count();

  await client.close();

  expect(before).toBe(3);
  await eventually(async () => (await count()) === 1);
  expect(await template.ping()).toBe('PONG');
  template.disconnect();
  await hold.release();
});

test.each([
  [-1, RangeError],
  ['1', TypeError],
] as const)('a timeoutMs of %j is refused, and the client stays open', async (timeoutMs, kind) => {
  const client = scope.client();

  const closing = client.close({ timeoutMs: timeoutMs as number });

  await expect(closing).rejects.toThrow(kind);
  expect(await client.getLock(scope.name()).isLocked()).toBe(false);
});
