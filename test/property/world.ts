// Three clients of one object on a server of their own, each on a route of its own.

import type { Redis } from 'ioredis';
import { afterAll } from 'vitest';
import { createClient, type Client } from '../../src/index.js';
import { eventually } from '../support/eventually.js';
import { keysUnder, randomName, rawClient } from '../support/redis.js';
import { expectNoChannels, expectNoResidue } from '../support/residue.js';
import { ownServer } from '../support/server.js';
import { startRoute, type Route } from './route.js';

export const CLIENTS = 3;

/** What the real side of every model stands on. */
export interface World {
  readonly name: string;
  readonly raw: Redis;
  readonly clients: readonly Client[];
  /** At the index of their client. */
  readonly routes: readonly Route[];
  /** How many holds the clients have told to be lost. */
  lostEvents: number;
  /** The server has forgotten its scripts: a call that it did not know is sent again, after later ones. */
  hasForgottenScripts: boolean;
}

/** True when calls of a client may have run in another order than they were made. */
export function isReordered({ routes, hasForgottenScripts }: World, client: number): boolean {
  return routes[client]!.wasCut || hasForgottenScripts;
}

export interface Worlds {
  /** Fresh clients, for an object that nobody has used. */
  create(): World;
  /** Closes everything; what a run that `failed` has left is no news. */
  end(world: World, failed: boolean): Promise<void>;
}

/** Private records that live for ten minutes by design. */
const RECORDS = [/^redlatch_(?:cancelled|requests|beats):/];

/** Of the holds that are renewed. */
const leaseMs = 2_000;

/**
 * Called once at the top of a test file.
 *
 * @param word what the file is about
 * @param lasting keys that stay by design and have no TTL
 */
export async function worlds(word: string, lasting: readonly RegExp[] = []): Promise<Worlds> {
  const prefix = randomName(word);
  const server = await ownServer();
  const raw = rawClient(server.url);
  const starting = Array.from({ length: CLIENTS }, async () => await startRoute(server));
  const routes = await Promise.all(starting);
  let runs = 0;

  const forget = async (text: string, which: (key: string) => boolean): Promise<void> => {
    const keys = await keysUnder(text, raw);
    const chosen = keys.filter((key) => which(key));
    if (chosen.length > 0) {
      await raw.del(...chosen);
    }
  };

  afterAll(async () => {
    await forget(prefix, (key) => lasting.some((rule) => rule.test(key)));
    await expectNoResidue(prefix, { allow: RECORDS, client: raw, withinMs: 5_000 });
    await expectNoChannels(prefix, { client: raw });
  });

  return {
    create: () => {
      runs += 1;
      for (const route of routes) {
        route.renew();
      }
      const clients = routes.map(({ url }) =>
        createClient({
          redis: url,
          leaseMs,
          // In a run the loss of a hold is told of those released before it too, which the models count.
          handOff: 'strict',
        }),
      );
      const name = `${prefix}-${runs}`;
      const news = { lostEvents: 0, hasForgottenScripts: false };
      const world: World = { name, raw, clients, routes, ...news };
      for (const client of clients) {
        client.on('lost', () => {
          world.lostEvents += 1;
        });
      }
      return world;
    },
    end: async ({ name, clients }, failed) => {
      await Promise.all(routes.map(async (route) => await route.mend()));
      await Promise.all(clients.map(async (client) => await client.close()));
      if (failed) {
        await forget(`${name}}`, () => true);
        await raw.del(name);
      }
    },
  };
}

/** Notes which clients whose messages were cut listen again. */
async function noteListeners({ raw, clients, routes }: World): Promise<void> {
  const gone = routes.filter(({ isCutOff, cutReachedServer }) => isCutOff && cutReachedServer);
  if (gone.length === 0) {
    return;
  }
  // By the time of its answer the server has noticed that they are gone.
  await raw.ping();
  const channels = gone.map((route) => `redlatch:${clients[routes.indexOf(route)]!.id}`);
  const counts = (await raw.pubsub('NUMSUB', ...channels)) as (string | number)[];
  gone.forEach((route, i) => {
    if (Number(counts[2 * i + 1]) > 0) {
      route.seenListening();
    }
  });
}

/**
 * Waits until model and server agree.
 *
 * @param look looks at the server; returns what notes the grants that came meanwhile, which must be right
 * the first time, and what compares the two, which may take its time to come true
 */
export async function settled(
  world: World,
  look: () => Promise<[note: () => void, compare: () => void]>,
): Promise<void> {
  const violations: unknown[] = [];
  await eventually(
    async () => {
      const [note, compare] = await look();
      try {
        note();
      } catch (error) {
        violations.push(error);
        return;
      }
      compare();
    },
    { withinMs: 8_000, everyMs: 2 },
  );
  if (violations.length > 0) {
    throw violations[0];
  }
  await noteListeners(world);
}
