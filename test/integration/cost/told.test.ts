// What it costs to be told of what others end.

import { expect, test } from 'vitest';
import { createClient } from '../../../src/index.js';
import { eventually } from '../../support/eventually.js';
import { channelsUnder, randomName, rawClient } from '../../support/redis.js';
import { ownServer } from '../../support/server.js';
import { countedTraffic, quiet } from '../../support/traffic.js';

const server = await ownServer();
const raw = rawClient(server.url);

test('a client subscribes once for all that it holds, asks once, and leaves nothing', async () => {
  const traffic = await countedTraffic(server.url);
  const client = createClient({ redis: traffic.url });
  const holds = await Promise.all(
    Array.from({ length: 50 }, async () => await client.getLock(randomName('many')).acquire()),
  );
  await quiet(traffic, client);

  const sent = traffic.names().filter((name) => !name.startsWith('eval'));
  expect(sent).toEqual(['subscribe']);
  // The acquisitions, what was held before the channel was subscribed, and the question of `quiet`.
  expect(traffic.scripts()).toBeLessThanOrEqual(50 + 1 + 1);
  expect(await channelsUnder('redlatch:', raw)).toEqual([`redlatch:${client.id}`]);

  await Promise.all(holds.map(async (hold) => await hold.release()));
  await client.close();
  await eventually(async () => (await channelsUnder('redlatch:', raw)).length === 0);
});

test('a client that forces its own hold out is told nothing, since the answer says it', async () => {
  const traffic = await countedTraffic(server.url);
  await using client = createClient({ redis: traffic.url });
  const lock = client.getLock(randomName('own'));
  await lock.acquire();
  await eventually(async () => (await channelsUnder('redlatch:', raw)).length === 1);
  await quiet(traffic, client);
  const before = traffic.scripts();

  await lock.forceRelease();
  await lock.acquire();
  await quiet(traffic, client);

  // The forced release, the acquisition, and the question of `quiet`.
  expect(traffic.scripts() - before).toBe(3);
  await lock.forceRelease();
});

test('a client is told once of all that it loses with one object, and asks once', async () => {
  const traffic = await countedTraffic(server.url);
  await using client = createClient({ redis: traffic.url });
  await using other = createClient({ redis: server.url });
  const { readLock } = client.getReadWriteLock(randomName('book'));
  const holds = await Promise.all(Array.from({ length: 20 }, async () => await readLock.acquire()));
  await quiet(traffic, client);
  const before = traffic.scripts();

  await other.getReadWriteLock(readLock.name).readLock.forceRelease();
  await eventually(() => holds.every(({ state }) => state === 'lost'));
  await quiet(traffic, client);

  expect(traffic.scripts() - before).toBeLessThanOrEqual(1 + 1);
});
