import { expect, test } from 'vitest';
import { ClusterRouter } from '../../src/core/connection/cluster-router.js';
import { CommandConnection } from '../../src/core/connection/command-connection.js';
import { Lanes } from '../../src/core/connection/lanes.js';
import { OneServer } from '../../src/core/connection/one-server.js';
import { fakeClock } from '../support/fake-clock.js';

const environment = { clock: fakeClock() } as never;

const owner = {
  answerLimitMs: 1_000,
  leaseMs: 30_000,
  maxPauseMs: 1_000,
  health: { up: () => {} },
  oneServer: new OneServer('', () => {}),
};

const makers = {
  'a connection': () =>
    new CommandConnection({ options: {}, readyLimitMs: 1_000 }, environment, owner as never),
  'a connection beside it': () => {
    const server = { options: {}, readyLimitMs: 1_000 };
    const ordinary = new CommandConnection(server, environment, owner as never);
    return new Lanes(ordinary, server, environment, owner as never);
  },
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
    const call = { routingKey: 'key', lane: 1, fail: (error: Error) => told.push(error) } as never;
    const closed = new Error('closed');
    ended.close(closed);

    ended.send(call);
    expect(told).toEqual([]);
    await Promise.resolve();

    expect(told).toEqual([closed]);
  },
);
