// A world in which nothing goes wrong by itself and everything takes as long each time: what is sent,
// and when, can be said to the millisecond.

import type { Client } from '../../src/index.js';
import * as scripts from '../../src/core/wire/scripts.generated.js';
import type { LuaEngine } from '../../src/testing/server/lua.js';
import { controlPlan } from './control.js';
import { World, type WorldTerms } from './world.js';

/** What the server ran. */
interface Ran {
  readonly at: number;
  /** The name of the script, or of another command. */
  readonly name: string;
  readonly argv: readonly string[];
}

/** Each way to the server, and each back, takes half a millisecond. */
const STEADY = { latencyMinMs: 0.5, latencyMaxMs: 0.5, latenessMs: 0, leaseMs: 3_000 };

const names = new Map(
  Object.values(scripts).flatMap(({ sha1, source, name }) => [
    [sha1, name],
    [source, name],
  ]),
);

export interface SteadyWorld {
  readonly world: World;
  /** All that the server ran since the clients have connected. */
  readonly ran: Ran[];
  /** The scripts among it since an instant, in order, by name. */
  readonly scriptsSince: (from: number) => string[];
  /** From now on each way, and each way back, takes so long. */
  readonly setLatency: (ms: number) => void;
  /** Lets time pass until the work is done, and returns what came of it. */
  readonly finish: <T>(work: Promise<T>) => Promise<T>;
}

/** @param more what is different from four clients of one server */
export async function steadyWorld(
  lua: LuaEngine,
  more: Partial<WorldTerms> = {},
): Promise<SteadyWorld> {
  const ran: Ran[] = [];
  const terms = { ...controlPlan(1).terms, ...STEADY, ...more };
  const world = new World(lua, 1, terms, (at, argv) => {
    ran.push({ at, name: names.get(argv[1] ?? '') ?? argv[0]!, argv });
  });
  await world.timeline.run(1_000);
  ran.length = 0;
  return {
    world,
    ran,
    scriptsSince: (from) =>
      ran.filter(({ at, name }) => at >= from && name.includes('/')).map(({ name }) => name),
    setLatency: (ms) => {
      Object.assign(terms, { latencyMinMs: ms, latencyMaxMs: ms });
    },
    finish: async (work) => {
      let isOver = false;
      const over = work.finally(() => {
        isOver = true;
      });
      over.catch(() => {});
      await world.timeline.run(world.timeline.now + 120_000, () => isOver);
      return await over;
    },
  };
}

/** Acquires and releases a lock over and over. A caller whose time is up asks again. */
export async function again(client: Client, name: string, over: AbortSignal): Promise<void> {
  while (!over.aborted) {
    await client
      .getLock(name)
      .using(() => {})
      .catch(() => {});
  }
}
