// Whoever makes a semaphore notifies its waiters, whatever is left of it: they know then that there is one.

import { describe, expect, test } from 'vitest';
import type { Client } from '../../../src/index.js';
import { fixture, rejection } from '../../contract/fixture.js';
import { eventually } from '../../support/eventually.js';
import { messagesOn } from '../../support/messages.js';
import { startProxy, type Proxy } from '../../support/proxy.js';
import { redisUrl } from '../../support/redis.js';
import { kinds, lasting, left, scriptsAbout, type Kind } from './world.js';

const { client, name, raw } = fixture('made-empty', lasting);

type Make = (maker: Client, id: string) => Promise<unknown>;

/** Each way to make a semaphore so that nobody gets a permit of it, how many are left, and the message that makes it
 * known: a number that an object declares is stated before it takes any. */
const ways: Record<Kind['kind'], readonly [string, number, Make, string?][]> = {
  semaphore: [
    [
      'a first acquire takes all',
      0,
      (own, id) => own.getSemaphore(id, { permits: 2 }).acquire(2),
      '2',
    ],
    [
      'a first look finds 0',
      0,
      (own, id) => own.getSemaphore(id, { permits: 0 }).availablePermits(),
    ],
    ['all are drained', 0, (own, id) => own.getSemaphore(id, { permits: 2 }).drainPermits(), '2'],
    ['0 are set', 0, (own, id) => own.getSemaphore(id).trySetPermits(0)],
    ['0 are added', 0, (own, id) => own.getSemaphore(id).addPermits(0)],
    ['1 is taken away', -1, (own, id) => own.getSemaphore(id).addPermits(-1)],
  ],
  'permit-expirable-semaphore': [
    [
      'a first acquire takes all',
      0,
      (own, id) => own.getPermitExpirableSemaphore(id, { permits: 1 }).acquire(),
      '1',
    ],
    [
      'a first look finds 0',
      0,
      (own, id) => own.getPermitExpirableSemaphore(id, { permits: 0 }).totalPermits(),
    ],
    ['0 are set if none are', 0, (own, id) => own.getPermitExpirableSemaphore(id).trySetPermits(0)],
    ['0 are set', 0, (own, id) => own.getPermitExpirableSemaphore(id).setPermits(0)],
    ['0 are added', 0, (own, id) => own.getPermitExpirableSemaphore(id).addPermits(0)],
    ['1 is taken away', -1, (own, id) => own.getPermitExpirableSemaphore(id).addPermits(-1)],
  ],
};

async function listening(id: string): Promise<void> {
  await eventually(async () => {
    const [, listeners] = (await raw.pubsub('NUMSUB', `redisson_sc:{${id}}`)) as [string, number];
    return listeners === 1;
  });
}

/** A client that waits, and has asked whether it can get in since it listens. */
async function waiter(kind: Kind, id: string, waitMs?: number) {
  const proxy = await startProxy({ target: redisUrl() });
  const own = client({ redis: proxy.url });
  const ended = rejection(kind.wait(own, id, waitMs));
  await listening(id);
  // The first time when it joined, the second time once it listened.
  await eventually(() => asks(proxy, id) === 2);
  await own.getLock(name()).isLocked();
  return { proxy, own, ended };
}

const asks = (proxy: Proxy, id: string): number =>
  scriptsAbout(proxy, id).filter((script) => script.toLowerCase() !== 'subscribe').length;

describe.each(kinds)('$kind', (kind) => {
  test.each(ways[kind.kind])(
    'waiters elsewhere are notified when %s',
    async (_, count, make, message = '0') => {
      const id = name();
      const { proxy, own, ended } = await waiter(kind, id);
      const messages = await messagesOn(`redisson_sc:{${id}}`);
      const before = asks(proxy, id);

      await make(client(), id);

      // Without a message they would ask again after five seconds.
      await eventually(() => asks(proxy, id) === before + 1, { withinMs: 3_000 });
      await eventually(() => messages.length > 0);
      expect(messages).toEqual([message]);
      expect(await left(id)).toBe(count);
      await own.close();
      await ended;
    },
  );

  test('a wait for one whose maker took all does not say that nobody has set the number', async () => {
    const id = name();
    const { ended } = await waiter(kind, id, 1_000);

    await kind.take(client(), id, 1);

    const error = (await ended) as Error;
    expect(error).toMatchObject({ code: 'ERR_ACQUIRE_TIMEOUT' });
    expect(error.message).not.toContain('has no permits');
  });

  test('a message that comes before an answer which knows of no semaphore is asked after', async () => {
    const id = name();
    const { proxy, own, ended } = await waiter(kind, id);
    const before = asks(proxy, id);
    const [commands] = proxy
      .connections()
      .filter((connection) => connection.commands.some(([word]) => /^eval/i.test(word ?? '')));

    commands?.down.stop('paused');
    await raw.publish(`redisson_sc:{${id}}`, '');
    await eventually(() => asks(proxy, id) > before);
    const asked = asks(proxy, id);
    // The server runs what was sent before this.
    await raw.ping();
    await kind.get(client(), id).trySetPermits(0);
    commands?.down.go('paused');

    await eventually(() => asks(proxy, id) > asked, { withinMs: 3_000 });
    await own.close();
    await ended;
  });
});

test('a release that makes a semaphore for its own waiters notifies those elsewhere', async () => {
  const id = name();
  const { proxy, own, ended } = await waiter(kinds[0]!, id);
  const maker = client().getSemaphore(id);
  const waiting = maker.acquire(3);
  await eventually(async () => {
    const [, listeners] = (await raw.pubsub('NUMSUB', `redisson_sc:{${id}}`)) as [string, number];
    return listeners === 2;
  });
  const messages = await messagesOn(`redisson_sc:{${id}}`);
  const before = asks(proxy, id);

  await maker.release(3);
  await waiting;

  await eventually(() => asks(proxy, id) > before, { withinMs: 3_000 });
  expect(['0', '3']).toContain(messages[0]);
  await own.close();
  await ended;
});
