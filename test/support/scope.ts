// What one test file may touch: its own names, and clients that end with the test that made them.

import { afterEach } from 'vitest';
import { createClientOn } from '../../src/client.js';
import { systemClock, type Clock } from '../../src/core/base/clock.js';
import type { Client, ClientOptions } from '../../src/index.js';
import { expectRightEnds, toldBy, type Told } from './ends.js';
import { randomName, redisUrl } from './redis.js';

export interface Scope {
  /** What every name of the file starts with. */
  readonly prefix: string;
  /** A name nobody has used. */
  name(): string;
  /** A client on the shared Redis, or another one, closed after the test. */
  client(options?: ClientOptions, clock?: Clock): Client;
}

const connectToShared = (options: ClientOptions, clock: Clock = systemClock()): Client =>
  createClientOn({ clock }, { redis: redisUrl(), ...options });

/**
 * Called once at the top of a test file.
 *
 * @param word what the file is about
 * @param connect makes a client
 */
export function testScope(word: string, connect = connectToShared): Scope {
  const prefix = randomName(word);
  const clients = new Map<Client, ReadonlyMap<string, Told>>();
  let names = 0;
  afterEach(async () => {
    const told = [...clients.values()];
    const all = [...clients.keys()];
    clients.clear();
    await Promise.all(all.map(async (client) => await client.close({ timeoutMs: 1_000 })));
    expectRightEnds(told);
  });
  return {
    prefix,
    name: () => {
      names += 1;
      return `${prefix}-${names}`;
    },
    client: (options = {}, clock = systemClock()) => {
      const client = connect(options, clock);
      clients.set(client, toldBy(client));
      return client;
    },
  };
}
