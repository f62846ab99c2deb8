import { expect, test } from 'vitest';
import { ClusterRouter } from '../../src/core/connection/cluster-router.js';
import { fakeClock } from '../support/fake-clock.js';

test('a call that comes after the end of a cluster client fails, after its caller went on', async () => {
  const router = new ClusterRouter(
    { options: {}, seeds: [], readyLimitMs: 1_000, shardedSubscriptionMode: 'off' } as never,
    { clock: fakeClock() } as never,
    {} as never,
  );
  const told: unknown[] = [];
  const call = { routingKey: 'key', fail: (error: Error) => told.push(error) } as never;
  const closed = new Error('closed');
  router.close(closed);

  router.send(call);
  expect(told).toEqual([]);
  await Promise.resolve();

  expect(told).toEqual([closed]);
});
