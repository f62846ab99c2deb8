// A wait that runs out while the server answers and refuses does not say that somebody else has it.

import { describe, expect, test } from 'vitest';
import type { Redis } from 'ioredis';
import { CommandTimeoutError } from '../../src/index.js';
import { eventually } from '../support/eventually.js';
import { kinds } from '../support/kinds/kinds.js';
import { rawClient } from '../support/redis.js';
import { ownServer } from '../support/server.js';
import { faultWorlds, take } from './world.js';

const open = faultWorlds('refused-waits');

/** Longer than the longest time between two asks of a wait. */
const WAIT_MS = 5_800;

interface Refusal {
  readonly error: string;
  /** Reads are carried out. */
  readonly reads: boolean;
  readonly begin: (raw: Redis) => Promise<unknown>;
  readonly end: (raw: Redis) => Promise<unknown>;
}

const refusals: Refusal[] = [
  {
    error: 'NOPERM',
    reads: false,
    begin: async (raw) => await raw.acl('SETUSER', 'default', '-evalsha', '-eval'),
    end: async (raw) => await raw.acl('SETUSER', 'default', '+@all'),
  },
  {
    error: 'NOREPLICAS',
    reads: true,
    begin: async (raw) => await raw.config('SET', 'min-replicas-to-write', 1),
    end: async (raw) => await raw.config('SET', 'min-replicas-to-write', 0),
  },
  {
    error: 'READONLY',
    reads: true,
    begin: async (raw) => await raw.call('REPLICAOF', '127.0.0.1', '1'),
    end: async (raw) => await raw.call('REPLICAOF', 'NO', 'ONE'),
  },
];

const outcomeOf = async (wait: Promise<unknown>): Promise<unknown> =>
  await wait.catch((error: unknown) => error);

/** Waits until a short wait ends as contention: the server has answered that others have it. */
async function answered(isContention: () => Promise<boolean>): Promise<void> {
  await eventually(async () => await isContention().catch(() => false));
}

describe.concurrent.each(refusals)('$error', ({ error, reads, begin, end }) => {
  test('a wait of any kind that runs out says what Redis refuses', async (context) => {
    const server = await ownServer();
    const { client, other, name } = await open(context, {}, server.url);
    const raw = rawClient(server.url);
    const latch = client.getCountDownLatch(`${name}-latch`);
    await other.getCountDownLatch(`${name}-latch`).trySetCount(1, { ttlMs: 60_000 });
    const faces = await Promise.all(
      kinds.map(async (kind) => {
        const id = `${name}-${kind.what}`;
        if (kind.isSemaphore) {
          await raw.set(id, 1);
        }
        const rival = await take(kind.rival(other, id));
        return { what: kind.what, face: kind.get(client, id), rival };
      }),
    );
    const waits: [string, Promise<unknown>][] = [
      ['latch', outcomeOf(latch.wait({ waitMs: WAIT_MS }))],
      ...faces.flatMap(({ what, face }): [string, Promise<unknown>][] => [
        [`acquire of a ${what}`, outcomeOf(face.acquire({ waitMs: WAIT_MS }))],
        [`tryAcquire of a ${what}`, outcomeOf(face.tryAcquire({ waitMs: WAIT_MS }))],
      ]),
    ];
    await Promise.all([
      answered(async () => !(await latch.wait({ waitMs: 50 }))),
      ...faces.map(async ({ face }) => {
        await answered(async () => (await face.tryAcquire({ waitMs: 50 })) === null);
      }),
    ]);

    await begin(raw);
    const ended = await Promise.all(
      waits.map(async ([what, wait]): Promise<[string, unknown]> => [what, await wait]),
    );

    await end(raw);
    // A read proves that a latch is set.
    const wrong = ended.filter(([what, found]) =>
      what === 'latch' && reads
        ? found !== false
        : !(found instanceof CommandTimeoutError) || !found.message.includes(error),
    );
    expect(wrong.map(([what, found]) => `${what}: ${String(found)}`)).toEqual([]);
    await Promise.all(faces.map(async ({ rival }) => await rival.release()));
  });
});
