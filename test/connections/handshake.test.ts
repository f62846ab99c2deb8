// A connection that dies before it is ready: the server has accepted it, and then nothing comes.

import { afterAll, expect, test } from 'vitest';
import { eventually } from '../support/eventually.js';
import { startProxy, type Proxy } from '../support/proxy.js';
import { randomName, redisUrl } from '../support/redis.js';
import { toldOf } from '../support/told.js';
import { expectNoChannels, expectNoResidue } from '../support/residue.js';
import { openClient } from './exercise.js';

const prefix = randomName('handshake');

afterAll(async () => {
  await expectNoResidue(prefix, { allow: [/^redlatch_cancelled:/] });
  await expectNoChannels(prefix);
});

const HANDSHAKE = ['HELLO', 'AUTH', 'INFO'];

/** The next connection that signs in gets no answer, ever; those after it do. */
function loseNextHandshake(proxy: Proxy): { lost: () => Promise<void> } {
  const hold = proxy.holdRequests(([name]) => HANDSHAKE.includes(name?.toUpperCase() ?? ''));
  const lost = async (): Promise<void> => {
    await eventually(() => hold.held.length > 0);
    const newest = proxy.connections().at(-1);
    proxy.halfOpen((connection) => connection === newest);
    hold.release();
  };
  return { lost };
}

test('a command connection that dies in its handshake is replaced', async () => {
  const proxy = await startProxy({ target: redisUrl() });
  const handshake = loseNextHandshake(proxy);
  const client = openClient({ redis: proxy.url, commandTimeoutMs: 500 });
  await handshake.lost();

  const hold = await client.getLock(`${prefix}-1`).acquire({ waitMs: 5_000 });

  expect(hold.isHeld).toBe(true);
  await hold.release();
});

test('a subscriber connection that dies in its handshake is replaced', async () => {
  const proxy = await startProxy({ target: redisUrl() });
  const client = openClient({ redis: proxy.url, commandTimeoutMs: 500 });
  const name = `${prefix}-2`;
  const hold = await openClient({ redis: redisUrl() }).getLock(name).acquire();
  await client.getLock(name).isLocked();
  const handshake = loseNextHandshake(proxy);
  const waiting = client.getLock(name).tryAcquire({ waitMs: 9_000 });
  await handshake.lost();

  await eventually(async () => (await toldOf(name)) > 0, { withinMs: 8_000 });
  await hold.release();
  const next = await waiting;

  expect(next?.isHeld).toBe(true);
  await next?.release();
});
