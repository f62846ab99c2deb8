// A client that waits, with credentials that run out.

import { expect } from 'vitest';
import type { Client, Credentials, Hold } from '../../src/index.js';
import { eventually } from '../support/eventually.js';
import { startProxy, type Proxy, type ProxyConnection } from '../support/proxy.js';
import { randomName } from '../support/redis.js';
import { toldOf } from '../support/told.js';
import { guardedServer, Source } from './credential-source.js';
import { openClient } from './exercise.js';

export const { server, operator } = await guardedServer('first');
export const direct = { host: server.host, port: server.port, password: 'first' };

/** Gives credentials that run out. */
export function lasting(ms: number, password = 'first'): () => Credentials {
  return () => ({ password, expiresAtMs: Date.now() + ms });
}

const named =
  (name: string) =>
  ([command = '']: string[]): boolean =>
    command.toLowerCase() === name;
export const [isAuth, isSubscribe, isPing] = [named('auth'), named('subscribe'), named('ping')];
export const isWait = named('wait');
export const isSignIn = (command: string[]): boolean => isAuth(command) || named('hello')(command);
export const isScript = ([command = '']: string[]): boolean => /^eval(?:sha)?$/iu.test(command);

/** The open connections that listen, or those that send. */
export function opened(proxy: Proxy, listens: boolean): ProxyConnection[] {
  return proxy.connections().filter((each) => each.isSubscriber === listens);
}

export interface Stage {
  readonly proxy: Proxy;
  readonly source: Source;
  readonly client: Client;
  readonly name: string;
  /** The hold of another client, for which the client waits. */
  readonly hold: Hold;
  readonly waiting: Promise<Hold>;
  readonly told: string[];
  /** The connection that listens. */
  readonly first: ProxyConnection;
}

/** A client that waits, behind a proxy, whose credentials run out soon; the next ones do not. */
export async function waitingStage(
  ms: number,
  next = 'first',
  protocol: 2 | 3 = 3,
): Promise<Stage> {
  const proxy = await startProxy({ target: server.url });
  const source = new Source('first');
  source.give = lasting(ms);
  const redis = { host: '127.0.0.1', port: proxy.port, protocol };
  const client = openClient({ redis, credentials: source.ask });
  const told: string[] = [];
  client.on('error', ({ error }) => told.push(error.message));
  client.on('suspect', ({ resource }) => told.push(`suspect: ${resource}`));
  client.on('lost', ({ resource }) => told.push(`lost: ${resource}`));
  const name = randomName();
  const hold = await openClient({ redis: direct }).getLock(name).acquire();
  const waiting = client.getLock(name).acquire({ waitMs: 12_000 });
  await eventually(async () => (await toldOf(name, operator)) > 0);
  source.give = () => ({ password: next });
  const [first] = opened(proxy, true);
  if (first === undefined) {
    throw new Error('nothing listens');
  }
  return { proxy, source, client, name, hold, waiting, told, first };
}

/** The wait ends within so many milliseconds of the release. */
export async function expectEnds({ hold, waiting, told }: Stage, withinMs: number): Promise<void> {
  const releasedAt = performance.now();
  await hold.release();
  const next = await waiting;
  expect(performance.now() - releasedAt).toBeLessThan(withinMs);
  await next.release();
  expect(told).toEqual([]);
}
