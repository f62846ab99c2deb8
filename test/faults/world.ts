// A client behind a proxy, other clients that the faults do not reach, and ways to hit one command.

import { afterAll, expect, type TestContext } from 'vitest';
import { createClientOn } from '../../src/client.js';
import { systemClock, type Clock } from '../../src/core/base/clock.js';
import type { Client, ClientOptions, Hold } from '../../src/index.js';
import { expectRightEnds, toldBy, type Told } from '../support/ends.js';
import { eventually } from '../support/eventually.js';
import { startProxy, type Proxy, type ProxyConnection } from '../support/proxy.js';
import { keysUnder, randomName, rawClient, redisUrl } from '../support/redis.js';
import type { Kind, WireScript } from '../support/kinds/kind.js';
import { onlyAsks, scriptOf } from '../support/scripts.js';
import { stored } from '../support/kinds/locks.js';
import { expectNoChannels, expectNoResidue, untilGone } from '../support/residue.js';
import { toldOf } from '../support/told.js';

export interface World {
  readonly proxy: Proxy;
  /** An object name of this test. */
  readonly name: string;
  /** A client whose every byte passes the proxy, connected when this returns. */
  readonly client: Client;
  /** A client that reaches the server directly. */
  readonly other: Client;
  /** Another client behind the proxy. */
  readonly open: (options?: ClientOptions, clock?: Clock) => Client;
  /** Makes a semaphore of either sort, which is removed in the end. */
  readonly setPermits: (permits: number, name?: string) => Promise<void>;
  /** Redis is unreachable for whoever is behind the proxy. */
  readonly down: () => void;
  /** Redis is reachable again. */
  readonly up: () => Promise<void>;
}

/** What must hold under a fault, and what shows it. */
export interface Case {
  readonly fact: string;
  readonly run: (world: World) => Promise<void>;
}

export type Finishing = Pick<TestContext, 'onTestFinished'>;

/** Redis records of ours that outlive their object on purpose, with a TTL. */
const records = [
  /redlatch_(cancelled|requests|opened|generation|permits|statements|leases|tickets):/,
];

/**
 * Called once at the top of a file: its names start alike, and nothing of them stays behind.
 *
 * @returns opens the world of one test, closed when the test has finished
 */
export function faultWorlds(
  word: string,
): (context: Finishing, options?: ClientOptions, target?: string) => Promise<World> {
  const prefix = randomName(`faults-${word}`);
  const semaphores = new Set<string>();
  let worlds = 0;

  afterAll(async () => {
    const raw = rawClient();
    for (const name of semaphores) {
      const timeouts = `{${name}}:timeout`;
      await untilGone(async () => {
        expect(await raw.zcount(timeouts, Date.now(), '+inf'), 'permits that are held').toBe(0);
      });
      await raw.del(name, timeouts);
    }
    // Fencing counters have no TTL by design.
    const counters = await keysUnder(`redisson_lock_token:{${prefix}`, raw);
    await Promise.all(counters.map(async (key) => await raw.del(key)));
    await expectNoResidue(prefix, { allow: records });
    await expectNoChannels(prefix);
  });

  return async ({ onTestFinished }, options = {}, target = redisUrl()) => {
    worlds += 1;
    const name = `${prefix}-${worlds}`;
    const proxy = await startProxy({ target });
    const clients = new Map<Client, ReadonlyMap<string, Told>>();
    const start = (redis: string, given: ClientOptions, clock = systemClock()): Client => {
      const client = createClientOn({ clock }, { redis, ...given });
      clients.set(client, toldBy(client));
      return client;
    };
    onTestFinished(async () => {
      await proxy.accept();
      // After an outage the next attempt to connect may be a second away, and the clean-up behind it.
      const timeoutMs = 3_000;
      await Promise.all(
        [...clients.keys()].map(async (client) => await client.close({ timeoutMs })),
      );
      await proxy.close();
      expectRightEnds(clients.values());
    });
    const client = start(proxy.url, options);
    await eventually(async () => !(await client.getLock(`${prefix}-warm-up`).isLocked()));
    return {
      proxy,
      name,
      client,
      other: start(target, {}),
      open: (given = {}, clock) => start(proxy.url, given, clock),
      setPermits: async (permits, semaphore = name) => {
        semaphores.add(semaphore);
        await rawClient(target).set(semaphore, permits);
      },
      down: () => {
        proxy.refuse();
        proxy.cutAll();
      },
      up: async () => {
        await proxy.accept();
      },
    };
  };
}

/** Whether a request runs one of the scripts, and does more than ask about leases. */
export function runs(...scripts: readonly WireScript[]): (command: string[]) => boolean {
  return (words) => {
    const script = scriptOf(words, scripts);
    return script !== undefined && !onlyAsks(words);
  };
}

export const isSubscriber = (connection: ProxyConnection): boolean => connection.isSubscriber;
export const sendsCommands = (connection: ProxyConnection): boolean => !connection.isSubscriber;

export interface CutReply {
  /** Waits until the server has run the command and its answer is cut off. */
  readonly ran: () => Promise<void>;
  /** Waits until the copy was sent that follows, and lets it through: it was held till now. */
  readonly replay: () => Promise<void>;
}

/** Which of the calls of a script is meant. */
type Which = (command: string[]) => boolean;

const any: Which = () => true;

/** Calls with which somebody takes a place in a line on the server. */
export const queues: Which = (command) =>
  ['queue', 'join'].some((place) => command.includes(place));

/** The answer to the next call of a script is cut off, and its copy held back. */
export function cutReply(proxy: Proxy, script: WireScript, which: Which = any): CutReply {
  const matches: Which = (command) => runs(script)(command) && which(command);
  const { cut } = proxy.cutReplyAfter(matches);
  const copy = proxy.holdRequests((command) => cut.length > 0 && matches(command));
  return {
    ran: async () => {
      await eventually(() => cut.length === 1);
    },
    replay: async () => {
      await eventually(() => copy.held.length > 0);
      copy.release();
    },
  };
}

export interface LateBytes {
  /** Waits until the command was sent; the server has not got it. */
  readonly sent: () => Promise<void>;
  /** Lets the server have it after all, and waits until it has run. */
  readonly deliver: () => Promise<void>;
}

/** The bytes of the next call of a script stay under way, whatever becomes of its connection. */
export function keepUnderWay(proxy: Proxy, script: WireScript, which: Which = any): LateBytes {
  const matches: Which = (command) => runs(script)(command) && which(command);
  let chosen: string[] | undefined;
  const isChosen = (command: string[]): boolean => {
    chosen ??= matches(command) ? command : undefined;
    return chosen === command;
  };
  const hold = proxy.holdRequests(isChosen);
  // Its answer is observed, not missed: the client has left this connection by then.
  const { cut } = proxy.cutReplyAfter(isChosen);
  return {
    sent: async () => {
      await eventually(() => hold.held.length === 1);
    },
    deliver: async () => {
      hold.release();
      await eventually(() => cut.length === 1);
    },
  };
}

/** Waits until so many will be told when an object can be had. */
export async function listening(name: string, count = 1, url?: string): Promise<void> {
  const raw = rawClient(url);
  await eventually(async () => (await toldOf(name, raw)) === count);
}

/** Waits until nobody asks about an object any more: all have looked again, and wait. */
export async function settledRequests(proxy: Proxy, name: string): Promise<void> {
  let asked = -1;
  await eventually(
    () => {
      const before = asked;
      asked = proxy.requests().filter((command) => command.includes(name)).length;
      return asked === before;
    },
    { everyMs: 100 },
  );
}

/** Fails if anybody but this hold, so many times, has the lock. */
export async function expectHolder(name: string, hold: Hold, count = 1): Promise<void> {
  expect(await stored(name)).toEqual({ [hold.holderId]: String(count) });
}

/** Acquires at once, or fails. */
export async function take<G, O>(
  from: { readonly name: string; tryAcquire(options?: O): Promise<G | null> },
  options?: O,
): Promise<G> {
  const grant = await from.tryAcquire(options);
  if (grant === null) {
    throw new Error(`"${from.name}" is held by somebody else`);
  }
  return grant;
}

/** The reason a promise is rejected with, and how long that took. */
export async function rejection(
  work: Promise<unknown>,
): Promise<{ error: unknown; afterMs: number }> {
  const startedAt = performance.now();
  const error = await work.then(
    (value) => {
      throw new Error(`expected a rejection, got ${String(value)}`);
    },
    (reason: unknown) => reason,
  );
  return { error, afterMs: performance.now() - startedAt };
}

/** Makes sure that somebody can get in. */
export async function prepare(kind: Kind, world: World, name: string = world.name): Promise<void> {
  if (kind.isSemaphore) {
    await world.setPermits(1, name);
  }
}
