import { afterAll, expect, test } from 'vitest';
import type { Client } from '../../src/index.js';
import { eventually } from '../support/eventually.js';
import { startWorker, type Worker, type WorkerMessage } from '../support/processes.js';
import { rawClient, redisUrl } from '../support/redis.js';
import { expectNoChannels, expectNoResidue } from '../support/residue.js';
import { testScope } from '../support/scope.js';

const scope = testScope('frozen');
const raw = rawClient();
const gone = {
  isHeld: false,
  aborted: true,
  reason: 'ERR_LEASE_LOST',
  state: 'lost',
  remainingMs: 0,
};

afterAll(async () => {
  await expectNoResidue(scope.prefix, { allow: [/^latchkey_(?:cancelled|requests):/] });
  await expectNoChannels(scope.prefix);
});

interface Grant {
  readonly isHeld: boolean;
  release(): Promise<void>;
}

/** What a process holds while it is frozen, and who gets in meanwhile. */
interface Kind {
  readonly kind: string;
  /** Ids of those who hold it now, as the server has them. */
  readonly holders: (client: Client, name: string) => Promise<string[]>;
  /** Gets in only when the other is out. */
  readonly succeed: (client: Client, name: string) => Promise<Grant & { holderId: string }>;
}

const idsOf = (holders: readonly { holderId: string }[]): string[] =>
  holders.map(({ holderId }) => holderId);

const writers: Omit<Kind, 'kind'> = {
  async holders(client, name) {
    const { readLock, writeLock } = client.getReadWriteLock(name);
    return idsOf([...(await readLock.holders()), ...(await writeLock.holders())]);
  },
  succeed: async (client, name) => await client.getReadWriteLock(name).writeLock.acquire(),
};

const kinds: readonly Kind[] = [
  {
    kind: 'fair lock',
    holders: async (client, name) => idsOf(await client.getFairLock(name).holders()),
    succeed: async (client, name) => await client.getFairLock(name).acquire(),
  },
  { kind: 'write lock', ...writers },
  { kind: 'read lock', ...writers },
  {
    kind: 'permit',
    holders: async (_, name) => {
      const ids = await raw.zrangeBuffer(`{${name}}:timeout`, '0', '-1');
      return ids.map((id) => id.toString('hex'));
    },
    async succeed(client, name) {
      const permit = await client.getPermitExpirableSemaphore(name).acquire();
      return Object.assign(permit, { holderId: permit.id });
    },
  },
];

/** A process that holds something by a lease, which it renews. */
async function startHolder(name: string, kind: string, leaseMs: number): Promise<Worker> {
  if (kind === 'permit') {
    await scope.client().getPermitExpirableSemaphore(name).trySetPermits(1);
  }
  const worker = startWorker('holder', { args: [redisUrl(), name, String(leaseMs), kind] });
  await worker.message('held');
  return worker;
}

/** Lets a frozen process go on; what it says of its hold on the first lines that it runs. */
async function thaw(worker: Worker): Promise<{ looks: unknown[]; released: WorkerMessage }> {
  worker.send({ type: 'look' });
  worker.send({ type: 'release' });
  worker.signal('SIGCONT');
  const looks: unknown[] = [await worker.message('looked')];
  const released = await worker.message('released');
  looks.push(worker.messages.find(({ type }) => type === 'timer-after-pause'));
  return { looks, released };
}

test.each(kinds)(
  'a holder frozen past its lease knows at once that another got in ($kind)',
  async ({ kind, holders, succeed }) => {
    const name = scope.name();
    const client = scope.client();
    const worker = await startHolder(name, kind, 500);

    worker.signal('SIGSTOP');
    const stoppedAt = performance.now();
    const successor = await succeed(client, name);
    // What was left of its lease may have been less than the whole.
    await eventually(() => performance.now() - stoppedAt > 600);
    const { looks, released } = await thaw(worker);
    const stillHeld = successor.isHeld;
    const after = await holders(client, name);
    await worker.kill();
    const afterIts = await holders(client, name);
    await successor.release();
    await client.getPermitExpirableSemaphore(name).delete();

    expect(looks).toMatchObject([gone, gone]);
    expect(released).toMatchObject({ error: 'LeaseLostError', lostEvents: 1 });
    expect(stillHeld).toBe(true);
    expect([after, afterIts]).toEqual([[successor.holderId], [successor.holderId]]);
  },
);

test('holders frozen for less than their lease still hold, and nobody else gets in', async () => {
  const leaseMs = 1_500;
  const stories = kinds.map(async ({ kind, holders, succeed }) => {
    const name = scope.name();
    const client = scope.client();
    const worker = await startHolder(name, kind, leaseMs);
    const before = await holders(client, name);
    const successors: Grant[] = [];
    const succeeding = succeed(client, name).then((grant) => successors.push(grant));

    worker.signal('SIGSTOP');
    const from = performance.now();
    await eventually(() => performance.now() - from > leaseMs / 3);
    worker.send({ type: 'look' });
    worker.signal('SIGCONT');
    const look = await worker.message('looked');
    await eventually(() => performance.now() - from > leaseMs);
    const during = await holders(client, name);
    const early = successors.length;
    worker.send({ type: 'release' });
    const released = await worker.message('released');
    await succeeding;
    await Promise.all(successors.map(async (grant) => await grant.release()));
    await worker.kill();
    await client.getPermitExpirableSemaphore(name).delete();
    return { kind, look, early, isSame: during.join() === before.join(), released };
  });

  const told = await Promise.all(stories);

  expect(told).toMatchObject(
    kinds.map(({ kind }) => ({
      kind,
      look: { isHeld: true, aborted: false },
      early: 0,
      isSame: true,
      released: { error: 'none', lostEvents: 0 },
    })),
  );
});
