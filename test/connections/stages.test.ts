// A server that goes bad at any step of connecting costs a client no socket that stays, and a client that is
// closed none at all.

import { Cluster } from 'ioredis';
import { beforeAll, expect, onTestFinished, test } from 'vitest';
import { startSentinels } from '../../scripts/redis/sentinel.mjs';
import { createClientOn } from '../../src/client.js';
import { systemClock, type Clock } from '../../src/core/base/clock.js';
import type { ClientOptions } from '../../src/index.js';
import { startBadRelay, type BadRelay, type Step, type Way } from '../support/bad-relay.js';
import { eventually } from '../support/eventually.js';
import { startWorker, type Worker } from '../support/processes.js';
import { randomName, rawClient } from '../support/redis.js';
import { ownServer, type OwnServer } from '../support/server.js';
import { openClient } from './exercise.js';

const ATTEMPTS = 20;
/** One for commands and one for messages, each beside the one that it replaces, and one that asks why. The ends of
 * some more are seen late here: the relay shares its thread with all clients. */
const SOCKETS_MAX = ATTEMPTS / 2;
const lock = randomName();
const ways: readonly Way[] = ['mute', 'reset', 'garbage'];

/** Where a client connects to by way of a port: a server by options, or a cluster by its nodes. */
type Address = object & { readonly nodes?: readonly { readonly port: number }[] };

interface Stage {
  readonly step: Step;
  address(this: void, port: number): Address;
  readonly isCluster?: boolean;
}

const user = { username: 'default', password: 'open sesame' };
const stages: Record<string, Stage> = {
  TCP: { step: 'accept', address: (port) => ({ port }) },
  TLS: { step: 'bytes', address: (port) => ({ port, tls: {} }) },
  'HELLO or AUTH': { step: /^(?:hello|auth)\b/iu, address: (port) => ({ port, ...user }) },
  SELECT: { step: /^select\b/iu, address: (port) => ({ port, db: 3 }) },
  INFO: { step: /^info\b/iu, address: (port) => ({ port }) },
  PING: { step: /^ping\b/iu, address: (port) => ({ port }) },
  SUBSCRIBE: { step: /^subscribe\b/iu, address: (port) => ({ port }) },
  'CLUSTER SLOTS': {
    step: /^cluster slots\b/iu,
    address: (port) => ({ nodes: [{ port }] }),
    isCluster: true,
  },
  'TCP to a Sentinel': {
    step: 'accept',
    address: (port) => ({ name: 'mymaster', sentinels: [{ host: '127.0.0.1', port }] }),
  },
  SENTINEL: {
    step: /^sentinel\b/iu,
    address: (port) => ({ name: 'mymaster', sentinels: [{ host: '127.0.0.1', port }] }),
  },
};
const cases = Object.entries(stages).flatMap(([what, stage]) =>
  ways.map((way) => ({ title: `${what}, ${way}`, stage, way })),
);

let server: OwnServer;
let node: OwnServer;

beforeAll(async () => {
  [server, node] = await Promise.all([
    ownServer(),
    ownServer({ args: ['--cluster-enabled', 'yes'], cluster: true }),
  ]);
  // Held by somebody else: the client has to listen.
  const raw = rawClient(server.url);
  await raw.multi().hset(lock, `${crypto.randomUUID()}:1`, 1).pexpire(lock, 600_000).exec();
});

/** A machine on which each pause and each limit of the library is over in a fortieth of the time. */
function hurriedClock(): Clock {
  const clock = systemClock();
  return {
    ...clock,
    now: () => clock.now() * 40,
    after: (delayMs, task) => clock.after(delayMs / 40, task),
  };
}

function templateOf({ nodes, ...options }: Address): Exclude<ClientOptions['redis'], undefined> {
  return nodes === undefined ? options : new Cluster([...nodes], { lazyConnect: true });
}

const relayFor = async ({ step, isCluster }: Stage, way: Way): Promise<BadRelay> =>
  await startBadRelay(isCluster === true ? node : server, step, way);

test.concurrent.for(cases)('after 20 attempts: $title', async ({ stage, way }, context) => {
  const relay = await relayFor(stage, way);
  const redis = templateOf(stage.address(relay.port));
  const client = createClientOn({ clock: hurriedClock() }, { redis, commandTimeoutMs: 2_000 });
  context.onTestFinished(async () => await client.close());

  const waiting = client
    .getLock(lock)
    .acquire()
    .catch((error: unknown) => error);
  await eventually(() => relay.hits >= ATTEMPTS, { withinMs: 20_000 });
  await client.close();
  await eventually(() => relay.open === 0);

  expect(await waiting).toMatchObject({ code: 'ERR_CLOSED' });
  expect(relay.most).toBeLessThanOrEqual(SOCKETS_MAX);
});

/** A process with a client for each of these cases, all of which have come to their step. */
async function startClients(
  how: 'closed' | 'abandoned',
  chosen: typeof cases,
): Promise<{ worker: Worker; open: () => string[] }> {
  const relays = await Promise.all(
    chosen.map(async ({ title, stage, way }) => {
      const relay = await relayFor(stage, way);
      return { title, relay, address: stage.address(relay.port) };
    }),
  );
  const addresses = JSON.stringify(relays.map(({ address }) => address));
  const worker = startWorker('connecting', { args: [lock, how, addresses] });
  await eventually(() => relays.every(({ relay }) => relay.hits > 0), { withinMs: 20_000 });
  return {
    worker,
    open: () => relays.filter(({ relay }) => relay.open > 0).map(({ title }) => title),
  };
}

test.each([
  ['closed', 'at any step', cases],
  // They wait for nothing any more; and where TLS is mute, a process lives until the attempt is over.
  ['abandoned', 'at a mute Sentinel', cases.filter(({ title }) => title === 'SENTINEL, mute')],
] as const)('a process ends by itself once its clients are %s %s', async (how, _, chosen) => {
  const { worker, open } = await startClients(how, [...chosen]);

  worker.send({ type: 'end' });
  const ended = worker.exited.then(() => []);
  const late = eventually(() => open().length === 0, { withinMs: 8_000 }).then(
    async () => await ended,
    // Here the process is still connected.
    () => open(),
  );

  expect(await Promise.race([ended, late])).toEqual([]);
  expect(await worker.exited).toEqual({ code: 0, signal: null });
});

test('a Sentinel that is mute keeps nobody from the next one', async () => {
  const mute = await startBadRelay(server, 'accept', 'mute');
  const group = await startSentinels({ replicas: 0, sentinels: 1 });
  onTestFinished(async () => await group.stop());
  const sentinels = [mute, ...group.sentinels].map(({ port }) => ({ host: '127.0.0.1', port }));
  const client = openClient({ redis: { name: group.name, sentinels } });

  const hold = await client.getLock(lock).acquire({ waitMs: 8_000 });

  expect(hold.isHeld).toBe(true);
  expect(mute.hits).toBeGreaterThan(0);
  await hold.release();
});
