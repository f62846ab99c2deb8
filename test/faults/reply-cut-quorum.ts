// What must hold of a lock of a quorum when the answer of one of its servers is cut off.

import { expect } from 'vitest';
import {
  lockAcquire,
  lockRelease,
  quorumRaiseTokens,
} from '../../src/core/wire/scripts.generated.js';
import { createQuorumClient, type QuorumClient } from '../../src/index.js';
import { eventually } from '../support/eventually.js';
import { rawClient } from '../support/redis.js';
import { ownServer } from '../support/server.js';
import { cutReply, type Case, type World } from './world.js';

/** The other two servers: what happens, happens to the first. */
const [one, two, frozen] = await Promise.all([ownServer(), ownServer(), ownServer()]);

/** Runs `act` with a client that all three servers vote for. */
async function withQuorum(
  { proxy, name }: World,
  act: (client: QuorumClient) => Promise<void>,
  third = two,
): Promise<void> {
  const servers = [proxy.url, one.url, third.url];
  await using client = createQuorumClient({ servers, leaseMs: 3_000, serverTimeoutMs: 300 });
  await eventually(async () => {
    await using hold = await client.getLock(`${name}-votes`).acquire();
    return hold.isHeld && (await rawClient().exists(`${name}-votes`)) === 1;
  });
  await eventually(async () => (await rawClient().exists(`${name}-votes`)) === 0);
  await act(client);
}

export const quorumCases: Readonly<Record<string, readonly Case[]>> = {
  'lock/acquire': [
    {
      fact: 'of a quorum: the others give the lock, and what the server has taken is released with it',
      run: async (world) =>
        await withQuorum(world, async (client) => {
          const fault = cutReply(world.proxy, lockAcquire);

          const hold = await client.getLock(world.name).acquire();
          await fault.ran();
          expect(await rawClient().hkeys(world.name)).toEqual([hold.holderId]);
          // The ask was given up with that: there is no copy of it.
          await hold.release();

          await eventually(async () => (await rawClient().exists(world.name)) === 0);
          await (await client.getLock(world.name).acquire()).release();
        }),
    },
  ],
  'lock/release': [
    {
      fact: 'of a quorum: the others have released it, and it is free there, too',
      run: async (world) =>
        await withQuorum(world, async (client) => {
          const hold = await client.getLock(world.name).acquire();
          const raws = [rawClient(), rawClient(one.url), rawClient(two.url)];
          await eventually(async () => {
            const found = await Promise.all(raws.map(async (raw) => await raw.exists(world.name)));
            return found.every((count) => count === 1);
          });
          const fault = cutReply(world.proxy, lockRelease);

          await hold.release();
          await fault.ran();
          const next = await client.getLock(world.name).acquire();
          await fault.replay();

          await eventually(async () => (await rawClient().hkeys(world.name))[0] === next.holderId);
          expect(next.isHeld).toBe(true);
          await next.release();
        }),
    },
  ],
  'quorum/raise-tokens': [
    {
      fact: 'the hold is given when its copy was answered, and the server has the token',
      run: async (world) => {
        const raised = async (client: QuorumClient): Promise<void> => {
          // A majority is this server and one other.
          frozen.pause();
          // The other one's counter is the larger, so that this server has to be written.
          await rawClient(one.url).set(
            `redisson_lock_token:{${world.name}}`,
            '9000000000000000000',
          );
          const fault = cutReply(world.proxy, quorumRaiseTokens);
          const lock = client.getFencedLock(world.name);

          let isGiven = false;
          const acquiring = lock.acquire().then((hold) => {
            isGiven = true;
            return hold;
          });
          await fault.ran();
          const wasGiven = isGiven;
          const counter = await rawClient().get(`redisson_lock_token:{${world.name}}`);
          await fault.replay();
          const hold = await acquiring;

          expect(wasGiven).toBe(false);
          expect(BigInt(counter ?? 0)).toBeGreaterThanOrEqual(hold.fencingToken);
          await hold.release();
          await using next = await lock.acquire();
          expect(next.fencingToken).toBeGreaterThan(hold.fencingToken);
        };
        try {
          await withQuorum(world, raised, frozen);
        } finally {
          frozen.resume();
        }
      },
    },
  ],
};
