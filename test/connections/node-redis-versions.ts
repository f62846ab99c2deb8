// The three majors of node-redis, whose types differ too much for one table, and the user that they sign in as.

import * as redis6 from '@redis/client';
import * as redis4 from 'redis-4';
import * as redis5 from 'redis-5';
import type { Redis } from 'ioredis';
import { afterEach } from 'vitest';
import type { NodeRedisClient, NodeRedisCluster } from '../../src/index.js';

/** An instance as a program uses it beside a lock. */
export interface Used {
  readonly isOpen: boolean;
  on(event: 'error', listener: () => void): unknown;
  connect(): Promise<unknown>;
  quit(): Promise<unknown>;
  set(key: string, value: string): Promise<unknown>;
  get(key: string): Promise<unknown>;
  sendCommand(args: readonly string[]): Promise<unknown>;
}

type Make<T> = (options?: object) => T;

/** What all three export, the way they are called. */
export interface NodeRedis {
  readonly createClient: Make<NodeRedisClient & Used>;
  readonly createCluster: Make<NodeRedisCluster & Used>;
}

const of = (exported: unknown): NodeRedis => exported as NodeRedis;

export const VERSIONS: readonly (readonly [number, NodeRedis])[] = [
  [4, of(redis4)],
  [5, of(redis5)],
  [6, of(redis6)],
];

/** Those with clusters that can be read, and with providers of credentials. */
export const LATER = VERSIONS.filter(([version]) => version > 4);

export const PASSWORD = 'p@ss:w/rd';
export const AGENT = { username: 'jo', password: PASSWORD };

/** Makes the server know the user. */
export async function allowAgent(raw: Redis): Promise<void> {
  await raw.call('ACL', 'SETUSER', 'jo', 'reset', 'on', `>${PASSWORD}`, '~*', '&*', '+@all');
}

const connected = new Set<Used>();

afterEach(async () => {
  const open = [...connected].filter((used) => used.isOpen);
  connected.clear();
  await Promise.all(open.map(async (used) => await used.quit()));
});

/** An instance that a program has connected, until the end of the test. */
export async function inUse<T extends Used>(used: T): Promise<T> {
  used.on('error', () => {});
  await used.connect();
  connected.add(used);
  return used;
}

/** A copy, since version 4 writes to the options that it is given. Functions stand for themselves. */
export function copyOf<T>(value: T): T {
  if (Array.isArray(value)) {
    return value.map(copyOf) as T;
  }
  return typeof value === 'object' && value !== null
    ? (Object.fromEntries(Object.entries(value).map(([k, each]) => [k, copyOf(each)])) as T)
    : value;
}
