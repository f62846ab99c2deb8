// Everything that clients let out, and whether a secret is in it. Templates say secrets in every way.

import { Cluster, Redis, type RedisOptions } from 'ioredis';
import { afterAll, beforeAll, expect, vi } from 'vitest';
import { fc } from '../support/fast-check.js';
import { createClient, type ClientOptions } from '../../src/index.js';
import { seeds } from '../property/seeds.js';
import { randomName } from '../support/redis.js';
import { textsIn } from '../support/walk.js';
import { LATER, VERSIONS } from './node-redis-versions.js';

/** In every secret of these tests, and nowhere else. */
export const MARK = 'S3cr3tM4rk';

const around = fc.string({ unit: 'grapheme-composite', maxLength: 5 });
const secret = fc.tuple(around, around).map(([before, after]) => before + MARK + after);
/** The same for the same seed. */
const secrets = fc.sample(secret, { numRuns: 200, seed: seeds.at(-1)! });
export const newSecret = (): string => secrets.pop() ?? MARK;

const printed: unknown[] = [];
const warned = (warning: Error): void => void printed.push(warning);

beforeAll(() => {
  process.on('warning', warned);
  for (const way of ['log', 'info', 'warn', 'error', 'debug', 'trace'] as const) {
    vi.spyOn(console, way).mockImplementation((...args: unknown[]) => void printed.push(args));
  }
});

afterAll(() => {
  process.off('warning', warned);
  vi.restoreAllMocks();
});

/** Everything that comes out of a client while it is used in vain. */
async function outcomesOf(options: ClientOptions, isRefused: boolean): Promise<unknown[]> {
  const outcomes: unknown[] = [];
  const keep = (outcome: unknown): void => void outcomes.push(outcome);
  let client;
  try {
    client = createClient({ commandTimeoutMs: 150, ...options });
  } catch (error) {
    return [error];
  }
  for (const event of ['error', 'suspect', 'lost', 'stalled'] as const) {
    client.on(event, keep);
  }
  // However busy the machine is: what is wrong with the connection is told.
  const troubled = new Promise((resolve) => client.once('error', resolve));
  const name = randomName('secrets');
  const permits = client.getPermitExpirableSemaphore(name);
  await Promise.all([
    client.getLock(name).tryAcquire().catch(keep),
    client.getLock(name).acquire({ waitMs: 100 }).catch(keep),
    client.getReadWriteLock(name).readLock.holders().catch(keep),
    client.getSemaphore(name).release().catch(keep),
    permits.updateLease('0'.repeat(32), 1_000).catch(keep),
    client.getCountDownLatch(name).wait({ waitMs: 100 }).catch(keep),
  ]);
  outcomes.push(client, permits);
  if (isRefused) {
    await troubled;
  }
  const late = client.getFairLock(name).acquire().catch(keep);
  await client.close({ timeoutMs: 50 });
  await late;
  return outcomes;
}

export function instance(options: RedisOptions): Redis {
  return new Redis({ ...options, lazyConnect: true } as object);
}

/** Who a client says it is, in each of the ways in which a template can say it. */
export function templatesFor(host: string, port: number, tls = false): ClientOptions['redis'][] {
  const [user, word, scheme] = [newSecret, newSecret, tls ? 'rediss' : 'redis'];
  const encoded = (): string => encodeURIComponent(word());
  const at = `${host}:${port}`;
  const options = (more: RedisOptions = {}): RedisOptions => ({
    host,
    port,
    ...(tls && { tls: {} }),
    ...more,
  });
  const nodes = [options({ password: word() }), `${scheme}://:${encoded()}@${at}`];
  return [
    `${scheme}://:${encoded()}@${at}`,
    `${scheme}://ann:${encoded()}@${at}/3`,
    `${scheme}://${encodeURIComponent(user())}:${encoded()}@${at}?protocol=2`,
    `${scheme}://${at}?password=${encoded()}&username=ann`,
    options({ password: word() }),
    options({ username: user(), password: word(), protocol: 2 }),
    options({ username: 'ann', password: word(), protocol: 3, connectionName: 'night' }),
    instance(options({ password: word() })),
    new Cluster(nodes, { lazyConnect: true, redisOptions: { username: 'ann' } }),
    new Cluster([nodes[1] as string], {
      lazyConnect: true,
      redisOptions: { password: word(), protocol: 2 },
    }),
    ...nodeRedisFor(host, port, tls),
  ];
}

/** The same of clients and clusters of node-redis. */
function nodeRedisFor(host: string, port: number, tls: boolean): ClientOptions['redis'][] {
  const socket = { host, port, tls };
  const url = (): string =>
    `${tls ? 'rediss' : 'redis'}://ann:${encodeURIComponent(newSecret())}@${host}:${port}`;
  return [
    ...VERSIONS.flatMap(([, nodeRedis]) => [
      nodeRedis.createClient({ socket, username: newSecret(), password: newSecret() }),
      nodeRedis.createClient({ url: url() }),
    ]),
    ...LATER.flatMap(([, { createCluster }]) => [
      createCluster({ rootNodes: [{ url: url() }] }),
      createCluster({ rootNodes: [{ socket }], defaults: { socket, password: newSecret() } }),
    ]),
  ];
}

/** What shows a secret, among what the clients of some templates have let out. */
export async function expectNoSecrets(
  templates: readonly ClientOptions['redis'][],
  { areRefused = false }: { areRefused?: boolean } = {},
): Promise<unknown[]> {
  printed.length = 0;
  const outcomes = await Promise.all(
    templates.map(async (redis) => await outcomesOf({ redis: redis! }, areRefused)),
  );
  // What is printed of a warning is printed a turn later.
  await new Promise((resolve) => setImmediate(resolve));
  const shown = [outcomes, printed].flatMap(textsIn).filter((text) => text.includes(MARK));
  expect(shown).toEqual([]);
  return outcomes.flat();
}

/** The messages of all errors, and of those behind them. */
export function messagesOf(outcomes: readonly unknown[]): string {
  return outcomes.flatMap(textsIn).join('\n');
}
