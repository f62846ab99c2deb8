import { expect, test } from 'vitest';
import { ClusterRouter } from '../../src/core/connection/cluster-router.js';
import { CommandConnection } from '../../src/core/connection/command-connection.js';
import { OneServer } from '../../src/core/connection/one-server.js';
import { fakeClock } from '../support/fake-clock.js';

const environment = { clock: fakeClock() } as never;

const makers = {
  'a connection': () =>
    new CommandConnection({ options: {}, readyLimitMs: 1_000 }, environment, {
      answerLimitMs: 1_000,
      wayMs: 500,
      health: { up: () => {} },
      oneServer: new OneServer('', () => {}),
    } as never),
  'a cluster client': () => {
    const options = { options: {}, seeds: [], readyLimitMs: 1_000 };
    return new ClusterRouter(
      { ...options, shardedSubscriptionMode: 'off' } as never,
      environment,
      {} as never,
    );
  },
};

test.each(Object.entries(makers))(
  'a call that comes after the end of %s fails, after its caller went on',
  async (_, make) => {
    const ended = make();
    const told: unknown[] = [];
    const call = { routingKey: 'key', fail: (error: Error) => told.push(error) } as never;
    const closed = new Error('closed');
    ended.close(closed);

    ended.send(call);
    expect(told).toEqual([]);
    await Promise.resolve();

    expect(told).toEqual([closed]);
  },
);
