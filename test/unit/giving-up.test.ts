// What it costs to give up, or to go on, when tens of thousands wait: the same for each.

import { expect, test } from 'vitest';
import { Call, type PendingCall } from '../../src/core/wire/call.js';
import { ClusterRouter } from '../../src/core/connection/cluster-router.js';
import { CommandConnection } from '../../src/core/connection/command-connection.js';
import { BranchMutex } from '../../src/core/locks/branch-mutex.js';
import { WaitLimit, Waits } from '../../src/core/waiting/wait-limit.js';
import { Linked, LinkedList } from '../../src/core/base/linked-list.js';
import { Requests } from '../../src/core/delivery/requests.js';
import { OneServer } from '../../src/core/connection/one-server.js';
import type { RouterOwner } from '../../src/core/connection/router.js';
import { systemEnvironment } from '../../src/core/connection/environment.js';
import { fakeClock } from '../support/fake-clock.js';

const COUNT = 120_000;

/** For all of them, where some 15 ms are needed. To look for each among all takes over a second. */
const LIMIT_MS = 400;

/** Prepares for so many; the returned function is what is measured. */
type Work = (count: number) => () => void;

function cpuMs(work: () => void): number {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
}

const clock = fakeClock();
const environment = { ...systemEnvironment(), clock };
const nothing = (): void => {};

function fault(error: Error): void {
  throw error;
}

const script = { name: 'any', sha1: '', source: '', decode: String };
const receiver = { answered: nothing, failed: nothing };
const server = { options: {}, readyLimitMs: 1_000 };
const owner: RouterOwner = {
  answerLimitMs: 1_000,
  leaseMs: 30_000,
  maxPauseMs: 1_000,
  up: nothing,
  down: nothing,
  message: nothing,
  confirmed: nothing,
  refused: nothing,
  trouble: nothing,
  fault,
  examined: nothing,
  access: { signedIn: true, served: true },
  health: { down: nothing, up: nothing, shown: nothing },
};

const watch = { failed: fault, unheard: nothing };

function calls(count: number, send: (call: PendingCall) => void): PendingCall[] {
  return Array.from({ length: count }, () => {
    const call = new Call({ script, operands: [1, 'key'] }, receiver, true, watch);
    send(call);
    return call;
  });
}

function translate<T>(address: T): T {
  return address;
}

const ofLink = (count: number): PendingCall[] => {
  // Never opened: whatever is sent waits.
  const link = new CommandConnection(server, environment, {
    ...owner,
    redirected: () => false,
    isNode: false,
    oneServer: new OneServer('', nothing),
  });
  return calls(count, (call) => link.send(call));
};

const ofCluster = (count: number): PendingCall[] => {
  // Nobody to ask who serves which slot.
  const endpoint = { ...server, seeds: [], translate, shardedSubscriptionMode: 'auto' } as const;
  const router = new ClusterRouter(endpoint, environment, owner);
  return calls(count, (call) => router.send(call));
};

const abandon = (sent: readonly PendingCall[]) => (): void => {
  for (const call of sent) {
    call.abandon();
  }
};

class Waiter extends Linked {}

const leaving =
  (order: (waiters: Waiter[]) => Waiter[]): Work =>
  (count) => {
    const queue = new LinkedList<Waiter>();
    const waiters = Array.from({ length: count }, () => new Waiter());
    waiters.forEach((waiter) => queue.push(waiter));
    return () => {
      for (const waiter of order(waiters)) {
        queue.delete(waiter);
      }
    };
  };

const mutexOf = (count: number): { mutex: BranchMutex; patiences: WaitLimit[] } => {
  const waits = new Waits({ ref: nothing, unref: nothing });
  const mutex = new BranchMutex();
  mutex.tryTake();
  const patiences = Array.from({ length: count }, () => {
    const patience = new WaitLimit(clock, waits, {});
    void mutex.take(patience);
    return patience;
  });
  return { mutex, patiences };
};

const cases: [string, Work][] = [
  ['calls that wait for a connection, the first first', (count) => abandon(ofLink(count))],
  [
    'calls that wait for a connection, the last first',
    (count) => abandon(ofLink(count).toReversed()),
  ],
  ['calls without a master in a cluster', (count) => abandon(ofCluster(count))],
  [
    'calls without a master in a cluster, the last first',
    (count) => abandon(ofCluster(count).toReversed()),
  ],
  ['waiters for a lock, the first first', leaving((waiters) => waiters)],
  ['waiters for a lock, the last first', leaving((waiters) => waiters.toReversed())],
  [
    'waiters for a re-entry',
    (count) => {
      const { patiences } = mutexOf(count);
      return () => {
        patiences.forEach((patience) => patience.end({ why: 'timeout' }));
      };
    },
  ],
  [
    'waiters for a re-entry that get in one by one',
    (count) => {
      const { mutex } = mutexOf(count);
      return () => {
        for (let i = 0; i < count; i += 1) {
          mutex.free();
        }
      };
    },
  ],
  [
    'requests under way',
    (count) => {
      const requests = new Requests();
      const open = Array.from({ length: count }, () => requests.open('key'));
      return () => {
        for (const request of open) {
          requests.settle('key', request);
          requests.lowWater('key');
        }
      };
    },
  ],
];

test.each(cases)('120,000 %s end in next to no time', (_, work) => {
  // The first run compiles it.
  work(COUNT / 8)();

  expect(cpuMs(work(COUNT))).toBeLessThan(LIMIT_MS);
});
