// A world for semaphores that are kept for so long while nobody uses them.

import type { PermitsSetting } from '../../src/index.js';
import type { LuaEngine } from '../../src/testing/server/lua.js';
import type { Kind } from '../integration/told-permits/world.js';
import { steadyWorld, type SteadyWorld } from './steady.js';
import { OBJECT } from './world.js';

export const IDLE_MS = 20_000;

/** A semaphore is kept at least so long, whatever its idleMs: a waiter asks again after 5 s. */
export const KEPT_MIN_MS = 15_000;

/** What a client is told of the semaphore, unless a test says otherwise. */
export const PERMITS: PermitsSetting = { count: 2, idleMs: IDLE_MS };

export interface IdleWorld extends SteadyWorld {
  /** What the first client is told of the semaphore. */
  readonly told: PermitsSetting;
  /** Whether the server has the semaphore. */
  readonly isThere: () => boolean;
  /** All keys of the server but the answers to calls, which are known for half an hour. */
  readonly keys: () => string[];
  readonly passes: (ms: number) => Promise<void>;
  /** The semaphore as a client has it; the first client is told of the idleMs, the others of nothing. */
  readonly semaphore: (client?: number, permits?: PermitsSetting) => ReturnType<Kind['get']>;
  /** Acquires one permit, or fails; the function gives it back. */
  readonly take: (client?: number, permits?: PermitsSetting) => Promise<() => Promise<void>>;
  /** Waits for so many permits at once; the returned function says whether they were granted. */
  readonly waitFor: (permits: number) => () => boolean;
  /** Asks for more permits than there are. */
  readonly askInVain: (client?: number) => Promise<void>;
}

/** Each renewal of a permit comes after a second. */
export async function idleWorld(
  lua: LuaEngine,
  kind: Kind,
  told: PermitsSetting = PERMITS,
): Promise<IdleWorld> {
  const toldOf = (number: number) => (number === 0 ? told : undefined);
  const steady = await steadyWorld(lua, { leaseMs: 3_000 });
  const { world, finish } = steady;
  const clientAt = (number: number) => world.clients[number]!.client;
  const { keyspace } = world.host.server;
  return {
    ...steady,
    told,
    isThere: () => keyspace.has(OBJECT),
    keys: () => keyspace.keys().filter((key) => !key.startsWith('redlatch_requests:')),
    passes: async (ms) => await world.timeline.run(world.timeline.now + ms),
    semaphore: (number = 0, permits = toldOf(number)) =>
      kind.get(clientAt(number), OBJECT, permits),
    take: async (number = 0, permits = toldOf(number)) => {
      const back = await finish(kind.take(clientAt(number), OBJECT, permits));
      if (back === null) {
        throw new Error('there was no permit');
      }
      return async () => await finish(back());
    },
    waitFor: (permits) => {
      const client = clientAt(0);
      let isGranted = false;
      const work =
        kind.kind === 'semaphore'
          ? client.getSemaphore(OBJECT).acquire(permits)
          : client.getPermitExpirableSemaphore(OBJECT).acquireMany(permits);
      void (work as Promise<unknown>).then(() => {
        isGranted = true;
      });
      return () => isGranted;
    },
    askInVain: async (number = 0) => {
      const work =
        kind.kind === 'semaphore'
          ? clientAt(number).getSemaphore(OBJECT).tryAcquire(9)
          : clientAt(number).getPermitExpirableSemaphore(OBJECT).tryAcquireMany(9);
      if ((await finish<unknown>(work)) !== null) {
        throw new Error('there were permits');
      }
    },
  };
}
