// Whatever the network does, a call counts once (S9, L20), and nothing that was given up counts.

import { expect, test } from 'vitest';
import type { Semaphore } from '../../../src/index.js';
import { fixture, rejection } from '../../contract/fixture.js';
import { eventually } from '../../support/eventually.js';
import { startProxy, type Proxy } from '../../support/proxy.js';
import { keysUnder, redisUrl } from '../../support/redis.js';
import { expectAvailable, lastScript } from './world.js';

const { client, name, raw } = fixture('sem-once', [/^redlatch-test:/]);

async function stage(
  permits: number,
  commandTimeoutMs = 5_000,
): Promise<{ semaphore: Semaphore; direct: Semaphore; proxy: Proxy }> {
  const proxy = await startProxy({ target: redisUrl() });
  const own = client({ redis: proxy.url, commandTimeoutMs });
  const semaphore = own.getSemaphore(name());
  await semaphore.trySetPermits(permits);
  return { semaphore, direct: client().getSemaphore(semaphore.name), proxy };
}

const about =
  (object: Semaphore) =>
  (command: string[]): boolean =>
    command.includes(object.name);

/** Lets what settles a call pass that was given up, so that it runs before the call itself. */
const firstOnly =
  (object: Semaphore) =>
  (command: string[]): boolean =>
    command.includes(object.name) && command[1]?.startsWith('-- semaphore/give-back') !== true;

/** Waits until the server knows of a call that it must not run any more. */
async function burnt(semaphore: Semaphore): Promise<void> {
  await eventually(async () => {
    const keys = await keysUnder(semaphore.name, raw);
    const records = keys.filter((key) => key.startsWith('redlatch_requests:'));
    const lists = await Promise.all(records.map(async (key) => await raw.zrange(key, '0', '-1')));
    return lists.flat().some((member) => member.endsWith(':cancelled'));
  });
}

const changes: [string, (semaphore: Semaphore) => Promise<unknown>, number][] = [
  ['an acquisition', async (semaphore) => await semaphore.acquire(3), 7],
  ['a release', async (semaphore) => await semaphore.release(3), 13],
  ['an addition', async (semaphore) => await semaphore.addPermits(5), 15],
  ['a drain', async (semaphore) => await semaphore.drainPermits(), 0],
];

test.each(changes)('S9: %s that arrives three times counts once', async (_, change, left) => {
  const { semaphore, proxy } = await stage(10);
  await change(semaphore);

  const command = lastScript(proxy);
  const answers = [await raw.call(...command), await raw.call(...command)];

  expect(answers[0]).toBe(answers[1]);
  expect(await semaphore.availablePermits()).toBe(left);
});

test.each(changes)('L20: %s whose answer is lost twice counts once', async (_, change, left) => {
  const { semaphore, proxy } = await stage(10);
  const cut = proxy.cutReplyAfter(about(semaphore), { times: 2 });

  await change(semaphore);

  expect(cut.cut).toHaveLength(2);
  expect(await semaphore.availablePermits()).toBe(left);
});

test.each(changes)(
  '%s that arrives long after it was settled changes nothing',
  async (_, change) => {
    const { semaphore, proxy } = await stage(10);
    await change(semaphore);
    const command = lastScript(proxy);
    for (let i = 0; i < 10; i += 1) {
      await semaphore.release();
    }
    const before = await semaphore.availablePermits();

    await raw.call(...command);

    expect(await semaphore.availablePermits()).toBe(before);
  },
);

test('a set or a deletion that arrives again changes nothing', async () => {
  const { semaphore, direct, proxy } = await stage(4);
  const set = lastScript(proxy);
  await semaphore.delete();
  const deletion = lastScript(proxy);

  const again = await raw.call(...set);
  await direct.trySetPermits(9);
  const deletedAgain = await raw.call(...deletion);

  expect([again, deletedAgain]).toEqual(['late', '1']);
  expect(await raw.get(semaphore.name)).toBe('9');
});

test('S9: an acquisition given up before it arrives never takes permits', async () => {
  const { semaphore, direct, proxy } = await stage(3);
  const held = proxy.holdRequests(about(semaphore));

  const error = await rejection(semaphore.acquire(2, { waitMs: 50 }));
  held.release();

  expect(error).toMatchObject({ code: 'ERR_COMMAND_TIMEOUT' });
  await semaphore.availablePermits();
  await expectAvailable(direct, 3);
});

test('L10: an acquisition given up after it was granted gives its permits back', async () => {
  const { semaphore, direct, proxy } = await stage(3);
  const abort = new AbortController();
  proxy.pauseDownstream();
  const caught = rejection(semaphore.acquire(2, { signal: abort.signal }));
  await expectAvailable(direct, 1);

  abort.abort(new Error('enough'));
  const error = await caught;
  proxy.resumeDownstream();

  expect(error).toMatchObject({ message: 'enough' });
  await expectAvailable(direct, 3);
});

test('a grant to one that has left is given back, and the others keep theirs', async () => {
  const { semaphore, direct, proxy } = await stage(3);
  const abort = new AbortController();
  proxy.pauseDownstream();
  const leaving = rejection(semaphore.acquire(2, { signal: abort.signal }));
  const staying = semaphore.acquire(1);
  await expectAvailable(direct, 0);

  abort.abort(new Error('enough'));
  await leaving;
  proxy.resumeDownstream();
  const permits = await staying;

  await expectAvailable(direct, 2);
  await permits.release();
  expect(await direct.availablePermits()).toBe(3);
});

test('a refusal whose answer is lost leaves no copy that takes permits later', async () => {
  const { semaphore, direct, proxy } = await stage(0);
  const cut = proxy.cutReplyAfter(about(semaphore));

  const refused = await semaphore.tryAcquire();
  await direct.addPermits(5);
  const [copy] = cut.cut;
  const [command = '', ...args] = copy ?? [];
  await eventually(async () => {
    expect(await raw.call(command, ...args)).toBe('cancelled');
  });

  expect(refused).toBeNull();
  expect(await direct.availablePermits()).toBe(5);
});

test('Semaphore.release that cannot be settled in time is not done later', async () => {
  const { semaphore, direct, proxy } = await stage(1, 150);
  const held = proxy.holdRequests(firstOnly(semaphore));

  const error = await rejection(semaphore.release(4));
  await burnt(semaphore);
  held.release();

  expect(error).toMatchObject({ code: 'ERR_OUTCOME_UNKNOWN', resource: semaphore.name });
  await eventually(async () => await semaphore.availablePermits());
  expect(await direct.availablePermits()).toBe(1);
});

test('Permits.release that cannot be settled in time is done later, once', async () => {
  const { semaphore, direct, proxy } = await stage(4, 150);
  const permits = await semaphore.acquire(3);
  const held = proxy.holdRequests(firstOnly(semaphore));

  const error = await rejection(permits.release());
  // Another call rejects until it is done.
  await eventually(async () => await permits.release());
  expect(await direct.availablePermits()).toBe(4);
  held.release();

  expect(error).toMatchObject({ code: 'ERR_OUTCOME_UNKNOWN', resource: semaphore.name });
  await eventually(async () => await semaphore.availablePermits());
  expect(await direct.availablePermits()).toBe(4);
});

test('Permits.release without a connection is done when there is one again', async () => {
  const { semaphore, direct, proxy } = await stage(4, 150);
  const permits = await semaphore.acquire(3);
  proxy.refuse();
  proxy.cutAll();

  const error = await rejection(permits.release());
  await proxy.accept();

  expect(error).toMatchObject({ code: expect.stringMatching(/TIMEOUT|UNKNOWN/) as string });
  await expectAvailable(direct, 4);
});

test('a release that serves the next waiter does both once, however its answer is lost', async () => {
  const { semaphore, direct, proxy } = await stage(2);
  const permits = await semaphore.acquire(2);
  const waits = [semaphore.acquire(1), semaphore.acquire(1)];
  await semaphore.addPermits(0);
  const cut = proxy.cutReplyAfter(about(semaphore), { times: 2 });

  await permits.release();
  const granted = await Promise.all(waits);

  expect(cut.cut.length).toBeGreaterThan(0);
  expect(await direct.availablePermits()).toBe(0);
  await Promise.all(granted.map(async (each) => await each.release()));
  expect(await direct.availablePermits()).toBe(2);
});

test('a release that was to serve waiters and is late is done once, and they get in', async () => {
  const { semaphore, direct, proxy } = await stage(1, 150);
  const permits = await semaphore.acquire();
  const waiting = semaphore.acquire();
  await semaphore.addPermits(0);
  const held = proxy.holdRequests(about(semaphore));

  const error = await rejection(permits.release());
  held.release();
  await (await waiting).release();

  expect(error).toMatchObject({ code: 'ERR_OUTCOME_UNKNOWN' });
  await expectAvailable(direct, 1);
});

test('a thousand calls in flight count a thousand, and leave a small record', async () => {
  const semaphore = client().getSemaphore(name());
  await semaphore.trySetPermits(1_000);

  const granted = await Promise.all(
    Array.from({ length: 1_000 }, async () => await semaphore.acquire()),
  );
  const left = await semaphore.availablePermits();
  await Promise.all(granted.map(async (permits) => await permits.release()));

  expect([left, await semaphore.availablePermits()]).toEqual([0, 1_000]);
  await semaphore.delete();
  const [record = ''] = (await keysUnder(semaphore.name, raw)).filter((key) =>
    key.startsWith('redlatch_requests:'),
  );
  expect(await raw.zcard(record)).toBeLessThan(20);
});
