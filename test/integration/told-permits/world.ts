// What the tests of `permits` at construction share: both kinds of semaphore, and what their client
// sends and tells.

import type { Redis } from 'ioredis';
import { expect } from 'vitest';
import type {
  Client,
  ClientEvents,
  PermitExpirableSemaphore,
  PermitsSetting,
  Semaphore,
} from '../../../src/index.js';
import { eventually } from '../../support/eventually.js';
import type { Proxy } from '../../support/proxy.js';
import { sharedClient } from '../../support/redis.js';

/** Keys without a TTL: the semaphores themselves. */
export const lasting = [/^redlatch-test:/, /^\{redlatch-test:[^}]*\}:timeout$/];

type Configured = Parameters<ClientEvents['configured']>[0];

/** The events `configured` of a client, from now on. */
export function configured(client: Client): Configured[] {
  const events: Configured[] = [];
  client.on('configured', (event) => events.push(event));
  return events;
}

/** The scripts that went through a proxy about a name, in order, by name. */
export function scriptsAbout(proxy: Proxy, name: string): string[] {
  return proxy
    .requests()
    .filter((command) => command.some((part) => part.includes(name)))
    .map(([command = '', source = '']) =>
      /^eval$/iu.test(command) ? (/^-- (\S+)/u.exec(source)?.[1] ?? command) : command,
    );
}

/** Either semaphore, as far as both do the same. */
export interface Kind {
  readonly kind: 'semaphore' | 'permit-expirable-semaphore';
  get(
    client: Client,
    name: string,
    permits?: number | PermitsSetting,
  ): Semaphore | PermitExpirableSemaphore;
  /** Acquires one without waiting; the function gives it back. */
  take(client: Client, name: string, permits?: number | PermitsSetting): Promise<Take>;
  /** A wait for one permit. */
  wait(
    client: Client,
    name: string,
    waitMs?: number,
    permits?: number | PermitsSetting,
  ): Promise<unknown>;
}

type Take = (() => Promise<void>) | null;

export const kinds: readonly Kind[] = [
  {
    kind: 'semaphore',
    get: (client, name, permits) => client.getSemaphore(name, { permits }),
    async take(client, name, permits) {
      const taken = await client.getSemaphore(name, { permits }).tryAcquire();
      return taken === null ? null : async () => await taken.release();
    },
    wait: async (client, name, waitMs, permits) =>
      await client.getSemaphore(name, { permits }).acquire(1, { waitMs }),
  },
  {
    kind: 'permit-expirable-semaphore',
    get: (client, name, permits) => client.getPermitExpirableSemaphore(name, { permits }),
    async take(client, name, permits) {
      const taken = await client.getPermitExpirableSemaphore(name, { permits }).tryAcquire();
      return taken === null ? null : async () => await taken.release();
    },
    wait: async (client, name, waitMs, permits) =>
      await client.getPermitExpirableSemaphore(name, { permits }).acquire({ waitMs }),
  },
];

/** Takes one permit; fails when there is none. */
export async function takes(
  kind: Kind,
  client: Client,
  name: string,
  permits?: number | PermitsSetting,
): Promise<() => Promise<void>> {
  const back = await kind.take(client, name, permits);
  expect(back).not.toBeNull();
  return back ?? (async () => {});
}

/** The number that is left, as Java reads it; null when there is no semaphore. */
export async function left(name: string): Promise<number | null> {
  const value = await sharedClient().get(name);
  return value === null ? null : Number(value);
}

/** All keys of a name are gone, as after a flush or a restart without data. */
export async function flush(raw: Redis, name: string): Promise<void> {
  await raw.del(...(await raw.keys(`*${name}*`)));
}

/** Waits until somebody waits for the semaphore. */
export async function isListening(raw: Redis, name: string): Promise<void> {
  await eventually(async () => {
    const [, listeners] = (await raw.pubsub('NUMSUB', `redisson_sc:{${name}}`)) as [string, number];
    return listeners === 1;
  });
}

/** A client that has stated five permits, and has used them. */
export async function stated(kind: Kind, client: Client, name: string): Promise<Client> {
  await (
    await takes(kind, client, name, 5)
  )();
  return client;
}
