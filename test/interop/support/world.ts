// Java and Node beside each other on one Redis: what every interop test stands on.

import type { Redis } from 'ioredis';
import { afterAll, beforeAll, vi, type TestContext } from 'vitest';
import { createClient, type Client, type ClientOptions } from '../../../src/index.js';
import { eventually } from '../../support/eventually.js';
import { keysUnder, randomName, rawClient, redisUrl } from '../../support/redis.js';
import { expectNoChannels, expectNoResidue } from '../../support/residue.js';
import { JavaProgram, type JavaClient, type JavaOptions } from './java.js';

export interface World {
  /** Nobody has used it yet. */
  readonly name: string;
  readonly raw: Redis;
  readonly java: JavaClient;
  readonly node: Client;
  /** More clients of Node, closed with the test. */
  open(options?: ClientOptions): Client;
  /** More clients of Java, in the same program; `url` may be that of a proxy. */
  openJava(options?: JavaOptions & { url?: string }): Promise<JavaClient>;
}

export type OpenWorld = (
  context: Pick<TestContext, 'onTestFinished'>,
  options?: { node?: ClientOptions; java?: JavaOptions },
) => Promise<World>;

/** Private records, which expire by themselves; Java’s own of an unlock among them. */
export const RECORDS: readonly RegExp[] = [
  /^redlatch_(?:cancelled|requests|beats|opened|generation|permits|leases):/,
  /^redisson_unlock_latch:/,
];

/** Java removes its record of an unlock behind the answer; to be closed before takes it 10 s. What a
 * program left that was killed or closed by the test stays for its 20 s. */
async function unlocksForgotten(name: string, raw: Redis): Promise<void> {
  const records = `redisson_unlock_latch:{${name}}`;
  await eventually(async () => (await keysUnder(records, raw)).length === 0, {
    withinMs: 1_000,
  }).catch(() => undefined);
}

/**
 * Called once at the top of a test file. Fails the file if a test has left keys or channels.
 *
 * @param word what the file is about
 */
export function interopWorlds(word: string): OpenWorld {
  const prefix = randomName(word);
  let program: JavaProgram;
  let worlds = 0;

  beforeAll(() => {
    program = JavaProgram.start();
  });
  afterAll(async () => {
    await program.kill();
    await expectNoResidue(prefix, { allow: [...RECORDS] });
    await expectNoChannels(prefix);
  });

  return async ({ onTestFinished }, { node = {}, java = {} } = {}) => {
    worlds += 1;
    const name = `${prefix}-${worlds}`;
    const raw = rawClient();
    const clients: Client[] = [];
    const javas: JavaClient[] = [];
    const open = (options: ClientOptions = {}): Client => {
      const client = createClient({ redis: redisUrl(), ...options });
      clients.push(client);
      return client;
    };
    const openJava: World['openJava'] = async (options = {}) => {
      const client = await program.open({ url: redisUrl(), ...options });
      javas.push(client);
      return client;
    };
    onTestFinished(async () => {
      vi.useRealTimers();
      await Promise.all(clients.map(async (client) => await client.close()));
      await unlocksForgotten(name, raw);
      await Promise.all(javas.map(async (client) => await client.close()));
      // The last token, and permits that nobody owns, stay by design.
      await raw.del(`redisson_lock_token:{${name}}`, name, `{${name}}:timeout`);
    });
    return { name, raw, java: await openJava(java), node: open(node), open, openJava };
  };
}

/**
 * From here to the end of the test no timer of this process comes due: what Node does then, it does
 * because of a message, never because it looks again. Call it before a client is made.
 */
export function stopTimers(): void {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'] });
}
