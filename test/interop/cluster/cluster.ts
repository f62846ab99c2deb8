// Java and Node beside each other on a cluster of three masters.

import type { Redis } from 'ioredis';
import { afterAll, beforeAll, vi, type TestContext } from 'vitest';
import { createClient, type Client, type ClientOptions } from '../../../src/index.js';
import { clusterWorld } from '../../connections/cluster-world.js';
import { expectNoChannels, expectNoResidue } from '../../support/residue.js';
import { JavaProgram, type JavaClient, type JavaOptions } from '../support/java.js';
import { RECORDS } from '../support/world.js';

/** What both sides are told about the messages of a cluster. */
export type Mode = 'auto' | 'on' | 'off';

export interface Sides {
  readonly java: JavaClient;
  readonly node: Client;
}

export interface InteropCluster {
  /** Addresses of the masters. */
  readonly urls: readonly string[];
  /** A plain connection to a master. */
  master(index: number): Redis;
  /** A new name that one master is responsible for. */
  nameOn(master: number): string;
  /** A client of either side, closed with the test. */
  open(context: Closing, java: Mode, node?: Mode, options?: ClientOptions): Promise<Sides>;
  openNode(context: Closing, mode: Mode, options?: ClientOptions): Promise<Client>;
  openJava(context: Closing, mode: Mode, options?: JavaOptions): Promise<JavaClient>;
  /** Removes what stays of an object by design: the last token, and permits that nobody has. */
  forget(master: number, name: string): Promise<void>;
}

type Closing = Pick<TestContext, 'onTestFinished'>;

/** Masters of the cluster. */
export const MASTERS: readonly number[] = [0, 1, 2];

/** Called once at the top of a test file. Fails the file if a test has left keys or channels. */
export async function interopCluster(): Promise<InteropCluster> {
  const world = await clusterWorld({ masters: MASTERS.length });
  const urls = world.servers.map(({ url }) => url);
  let program: JavaProgram;

  beforeAll(() => {
    program = JavaProgram.start();
  });
  afterAll(async () => {
    await program.kill();
    for (const master of MASTERS) {
      const client = world.node(master);
      // All that is there is of this file.
      await expectNoResidue('', { allow: [...RECORDS], client });
      await expectNoChannels('', { client });
    }
  });

  const openNode: InteropCluster['openNode'] = async ({ onTestFinished }, mode, options = {}) => {
    const redis = world.template();
    const client = createClient({ redis, shardedSubscriptionMode: mode, ...options });
    onTestFinished(async () => {
      vi.useRealTimers();
      await client.close();
    });
    // A connection that comes up later would have all holds renewed.
    const everywhere = MASTERS.map((master) => client.getLock(world.nameOn(master)));
    await Promise.all(everywhere.map(async (lock) => await lock.isLocked()));
    return client;
  };
  const openJava: InteropCluster['openJava'] = async ({ onTestFinished }, mode, options = {}) => {
    const sharded = ({ auto: 'AUTO', on: 'ON', off: 'OFF' } as const)[mode];
    const client = await program.open({ nodes: urls, sharded, ...options });
    onTestFinished(async () => {
      await client.close();
    });
    return client;
  };
  return {
    urls,
    master: (index) => world.node(index),
    nameOn: (master) => world.nameOn(master),
    openNode,
    openJava,
    forget: async (master, name) => {
      const keys = [name, `{${name}}:timeout`, `redisson_lock_token:{${name}}`];
      await world.node(master).del(...keys);
    },
    open: async (context, java, node = java, options = {}) => ({
      java: await openJava(context, java),
      node: await openNode(context, node, options),
    }),
  };
}
