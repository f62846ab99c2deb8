// What waiting for each kind of object costs. This test watches for ten seconds, all kinds side by side.

import { setMaxListeners } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { createClient } from '../../../src/index.js';
import { objectKinds, type ObjectKind } from '../../support/kinds/objects.js';
import { randomName } from '../../support/redis.js';
import { ownServer } from '../../support/server.js';
import { countedTraffic, quiet } from '../../support/traffic.js';

const windowMs = 10_000;
const server = await ownServer();

/** Commands in ten seconds: a re-check every 5 s, or for who stands in a line every 1.3 s. */
function allowed({ id }: ObjectKind): number {
  // Readers and writers wait each by themselves.
  return id === 'read-write-lock' ? 20 : 10;
}

/** What two hundred waiters of one process send in ten seconds. */
async function costOfWaiting(kind: ObjectKind): Promise<number> {
  const name = randomName('herd');
  const traffic = await countedTraffic(server.url);
  await using client = createClient({ redis: traffic.url });
  await using holder = createClient({ redis: server.url });
  const taken = await kind.take(holder, name);
  const abort = new AbortController();
  setMaxListeners(0, abort.signal);
  const waits = Array.from(
    { length: 200 },
    async () => await kind.wait(client, name, { signal: abort.signal }).catch(() => 'aborted'),
  );
  await quiet(traffic, client);
  const before = traffic.names().length;

  await delay(windowMs);

  const sent = traffic.names().length - before;
  abort.abort();
  expect(new Set(await Promise.all(waits))).toEqual(new Set(['aborted']));
  await taken.remove();
  return sent;
}

test('two hundred waiters for one object of any kind send next to nothing', async () => {
  const costs = await Promise.all(
    objectKinds.map(async (kind) => ({ kind, sent: await costOfWaiting(kind) })),
  );

  const tooMuch = costs.filter(({ kind, sent }) => sent > allowed(kind));
  expect(tooMuch.map(({ kind, sent }) => `${kind.id}: ${sent}`)).toEqual([]);
});
