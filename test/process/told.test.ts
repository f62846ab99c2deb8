// A process that is killed, frozen or blocked just before it is told that it was handed a lock, or just
// after that, before it confirms the grant.

import { afterAll, describe, expect, test, type TestContext } from 'vitest';
import { createClient, type Client, type Hold } from '../../src/index.js';
import { privateKey } from '../../src/core/base/key-names.js';
import { eventually } from '../support/eventually.js';
import type { ExclusiveLock } from '../support/kinds/kind.js';
import { fairLock, fencedLock, lock, stored, writeLock } from '../support/kinds/locks.js';
import { startWorker, type Worker, type WorkerMessage } from '../support/processes.js';
import { rawClient, redisUrl } from '../support/redis.js';
import { expectNoChannels, expectNoResidue, RECORDS_OF_LINES } from '../support/residue.js';
import { testScope } from '../support/scope.js';

const scope = testScope('told');
const raw = rawClient();
/** So long is a grant that nobody confirms, too. */
const LEASE_MS = 1_000;

afterAll(async () => {
  await expectNoResidue(scope.prefix, { allow: [RECORDS_OF_LINES] });
  await expectNoChannels(scope.prefix);
});

type Told = WorkerMessage & { readonly isHeld: boolean; readonly state: string };

/** So many stand in the line, and their clients listen. */
async function tellable(name: string, count: number): Promise<void> {
  await eventually(
    async () => {
      const tickets = Object.entries(await raw.hgetall(privateKey('tickets', name)));
      const listening = await Promise.all(
        tickets.map(async ([holderId, ticket]) => {
          const [, listeners] = await raw.pubsub('NUMSUB', `redlatch:${holderId.slice(0, 36)}`);
          // A waiter of a fair lock that is not the first of its client asks once.
          return listeners === 1 && /^\d+ (?:[01]|\d+ 1 [01])$/.test(ticket);
        }),
      );
      return listening.filter(Boolean).length === count;
    },
    { withinMs: 10_000 },
  );
}

interface Scene {
  readonly name: string;
  readonly worker: Worker;
  /** What the worker waits for. */
  readonly held: Hold;
  /** A waiter behind it. */
  readonly next: Promise<Hold>;
}

async function scene(
  { onTestFinished }: TestContext,
  kind: ExclusiveLock,
  act: string,
  leaseMs = LEASE_MS,
): Promise<Scene> {
  const name = scope.name();
  // A scope ends its clients with each test, and here tests run side by side.
  const open = (): Client => {
    const client = createClient({ redis: redisUrl(), handOff: 'strict' });
    onTestFinished(async () => await client.close({ timeoutMs: 1_000 }));
    return client;
  };
  const held = await kind.get(open(), name).acquire({ leaseMs: 60_000 });
  const worker = startWorker('told', { args: [redisUrl(), name, `${leaseMs}`, kind.what, act] });
  await tellable(name, 1);
  const next = kind.get(open(), name).acquire();
  next.catch(() => undefined);
  await tellable(name, 2);
  return { name, worker, held, next };
}

/** The next one has it alone, and gives it back. */
async function expectNext({ name, next }: Scene): Promise<void> {
  const hold = await next;
  expect(await stored(name)).toEqual({ [hold.holderId]: '1' });
  await hold.release();
  await raw.del(`redisson_lock_token:{${name}}`);
}

describe.concurrent.each([lock, fencedLock, fairLock, writeLock])('of a $what', (kind) => {
  test('who is frozen before it is told is not in beside the next one, and gets its turn', async (context) => {
    const all = await scene(context, kind, 'none');

    all.worker.signal('SIGSTOP');
    await all.held.release();
    const hold = await all.next;
    all.worker.send({ type: 'look' });
    all.worker.signal('SIGCONT');
    await all.worker.message('looked');
    expect(all.worker.messages.map(({ type }) => type)).toEqual(['looked']);
    expect(await stored(all.name)).toEqual({ [hold.holderId]: '1' });
    await hold.release();

    const told = await all.worker.message<Told>('told');
    expect(told).toMatchObject({ isHeld: true, state: 'held' });
    all.worker.send({ type: 'release' });
    expect(await all.worker.message('over')).toMatchObject({ outcome: 'released' });
    expect(await all.worker.exited).toEqual({ code: 0, signal: null });
    await raw.del(`redisson_lock_token:{${all.name}}`);
  });

  test('who is killed before it is told is passed over', async (context) => {
    const all = await scene(context, kind, 'none');

    await all.worker.kill();
    await all.held.release();

    await expectNext(all);
  });

  test('who is frozen when it has just been told has lost it, and knows', async (context) => {
    const all = await scene(context, kind, 'stop');

    await all.held.release();
    const hold = await all.next;
    all.worker.signal('SIGCONT');
    const told = await all.worker.message<Told>('told');
    expect(told.isHeld).toBe(false);
    expect(await stored(all.name)).toEqual({ [hold.holderId]: '1' });
    all.worker.send({ type: 'release' });
    expect(await all.worker.message('over')).toMatchObject({ outcome: 'ERR_LEASE_LOST' });
    expect(hold.isHeld).toBe(true);

    await expectNext(all);
    await all.worker.exited;
  });

  test('who is killed when it has just been told costs the next one a lease', async (context) => {
    const all = await scene(context, kind, 'kill');

    await all.held.release();

    await expectNext(all);
    expect(await all.worker.exited).toMatchObject({ signal: 'SIGKILL' });
  });
});

// The default lease, of which a grant has a third until it is confirmed: what a user of a plain client
// can rely on, so it is not tested with a shorter one.
test.concurrent('an event loop that is blocked for 8 s right after it was told keeps a lock', async (context) => {
  const all = await scene(context, lock, '8000', 30_000);

  await all.held.release();
  const told = await all.worker.message<Told & { holderId: string }>('told', {
    withinMs: 20_000,
  });

  expect(told).toMatchObject({ isHeld: true, state: 'held' });
  expect(await stored(all.name)).toEqual({ [told.holderId]: '1' });
  all.worker.send({ type: 'release' });
  expect(await all.worker.message('over')).toMatchObject({ outcome: 'released' });
  await expectNext(all);
});
