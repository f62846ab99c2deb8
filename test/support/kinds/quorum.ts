// Locks that a majority of three servers holds, for the suites that every lock passes.

import type { Client, ClientOptions } from '../../../src/index.js';
import type { Clock } from '../../../src/core/base/clock.js';
import { createQuorumClientOn } from '../../../src/quorum/client.js';
import { allVote } from '../quorum.js';
import { randomName, rawClient, redisUrl } from '../redis.js';
import { ownServer } from '../server.js';
import type { ExclusiveLock } from './kind.js';
import { fencedLock, lock, multiLock } from './locks.js';

/** No lease of these suites is longer: a server does not vote before it has been up for so long. */
const LEASE_MAX_MS = 3_000;

/** The locks of a quorum of the shared server and two more, which vote. What suites do to the server itself, they do
 * to the shared one. */
export async function quorumLocks(): Promise<readonly ExclusiveLock[]> {
  const others = await Promise.all([ownServer(), ownServer()]);
  const urls = [redisUrl(), ...others.map(({ url }) => url)];
  const connect = (options: ClientOptions, clock?: Clock): Client => {
    const { redis: _one, ...settings } = options;
    const client = createQuorumClientOn(clock === undefined ? {} : { clock }, {
      servers: urls,
      leaseMs: LEASE_MAX_MS,
      maxLeaseMs: LEASE_MAX_MS,
      // A tenth of the lease, which a busy machine needs.
      serverTimeoutMs: LEASE_MAX_MS,
      ...settings,
    });
    // It has plain locks, fenced locks and multi-locks only.
    return client as unknown as Client;
  };
  const raws = urls.map((url) => rawClient(url));
  const first = connect({});
  const probe = randomName('voting');
  await allVote(
    first.getLock(probe),
    async () => await Promise.all(raws.map(async (raw) => await raw.hkeys(probe))),
    10_000,
  );
  await first.close();
  const isTaken = async (name: string): Promise<boolean> => {
    const found = await Promise.all(raws.map(async (raw) => await raw.exists(name)));
    return found.every((count) => count === 1);
  };
  const own = {
    id: 'quorum-lock',
    isHandedOn: false,
    hasHeartbeat: false,
    isHeldOnce: true,
    connect,
    isTaken,
  };
  return [
    { ...lock, ...own, what: 'quorum lock' },
    { ...fencedLock, ...own, what: 'fenced quorum lock' },
    { ...multiLock, ...own, what: 'multi-lock of a quorum' },
  ];
}
