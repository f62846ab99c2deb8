// A lock of a quorum while one of its servers stands still, or lets nobody listen.

import { expect, test } from 'vitest';
import type { QuorumClient } from '../../src/index.js';
import { eventually } from '../support/eventually.js';
import { startProxy, type Proxy } from '../support/proxy.js';
import { quorumOfFile } from '../support/quorum.js';

const stage = await quorumOfFile('quorum-faults');

interface World {
  /** In front of one of the servers, for both clients. */
  readonly proxy: Proxy;
  readonly name: string;
  readonly client: QuorumClient;
  readonly other: QuorumClient;
}

/** @param place of the server behind the proxy; the first one is asked first */
async function world(place: number): Promise<World> {
  const proxy = await startProxy({ target: stage.urls[place]! });
  const servers = stage.urls.with(place, proxy.url);
  const options = { servers, serverTimeoutMs: 300 };
  const [client, other] = [await stage.connected(options), await stage.connected(options)];
  return { proxy, name: stage.name(), client, other };
}

/** Two clients take the lock by turns. */
async function takeTurns({ name, client, other }: World): Promise<number> {
  let [inside, most, turns] = [0, 0, 0];
  await Promise.all(
    [client, other].flatMap((each) =>
      Array.from({ length: 5 }, async () => {
        await each.getLock(name).using(async () => {
          inside += 1;
          most = Math.max(most, inside);
          await Promise.resolve();
          turns += 1;
          inside -= 1;
        });
      }),
    ),
  );
  expect(most).toBe(1);
  return turns;
}

test.each([0, 2])(
  'all get in while server %i stands still, and it loses no hold',
  async (place) => {
    const here = await world(place);
    const { proxy, client, name } = here;
    const losses: string[] = [];
    client.on('lost', ({ resource }) => losses.push(resource));
    const kept = await client.getLock(`${name}-kept`).acquire({ leaseMs: 2_500 });

    proxy.pauseUpstream();
    proxy.pauseDownstream();
    expect(await takeTurns(here)).toBe(10);
    expect(kept.isHeld).toBe(true);
    await kept.release();
    proxy.resumeUpstream();
    proxy.resumeDownstream();

    expect(losses).toEqual([]);
    await stage.expectNothingLeft();
  },
);

test.each([0, 2])(
  'a waiter hears of a release while server %i lets nobody listen',
  async (place) => {
    const here = await world(place);
    const { proxy, client, other, name } = here;
    const hold = await client.getLock(name).acquire();
    const waiting = other.getLock(name).acquire();
    await eventually(() => proxy.connections().some(({ isSubscriber }) => isSubscriber));

    proxy.holdRequests(([command = '']) => /^s?subscribe$/iu.test(command));
    expect(proxy.cutAll(({ isSubscriber }) => isSubscriber)).toBeGreaterThan(0);
    await hold.release();
    const next = await waiting;

    expect(next.isHeld).toBe(true);
    await next.release();
    expect(await takeTurns(here)).toBe(10);
    await stage.expectNothingLeft();
  },
);
