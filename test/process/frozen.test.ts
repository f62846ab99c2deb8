import { afterAll, expect, test } from 'vitest';
import { eventually } from '../support/eventually.js';
import type { LeasedGrant, LeasedKind } from '../support/kinds/kind.js';
import { fairLock, readLock, writeLock } from '../support/kinds/locks.js';
import { permit } from '../support/kinds/permits.js';
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
  await expectNoResidue(scope.prefix, { allow: [/^redlatch_(?:cancelled|requests):/] });
  await expectNoChannels(scope.prefix);
});

/** What a process holds while it is frozen. */
const kinds: readonly LeasedKind[] = [fairLock, writeLock, readLock, permit];

/** Gets in only when whoever is in is out. */
async function succeed(kind: LeasedKind, name: string): Promise<LeasedGrant> {
  return await kind.rival(scope.client(), name).acquire();
}

/** A process that holds something by a lease, which it renews. */
async function startHolder(name: string, kind: LeasedKind, leaseMs: number): Promise<Worker> {
  await kind.create(scope.client(), name);
  const worker = startWorker('holder', { args: [redisUrl(), name, String(leaseMs), kind.what] });
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
  const timerLook = (): WorkerMessage | undefined =>
    worker.messages.find(({ type }) => type === 'timer-after-pause');
  // Its timer may come after the messages.
  await eventually(() => timerLook() !== undefined);
  looks.push(timerLook());
  return { looks, released };
}

test.each(kinds)(
  'a holder frozen past its lease knows at once that another got in ($what)',
  async (kind) => {
    const name = scope.name();
    const worker = await startHolder(name, kind, 500);

    worker.signal('SIGSTOP');
    const stoppedAt = performance.now();
    const successor = await succeed(kind, name);
    // What was left of its lease may have been less than the whole.
    await eventually(() => performance.now() - stoppedAt > 600);
    const { looks, released } = await thaw(worker);
    const stillHeld = successor.isHeld;
    const after = await kind.inside(name);
    await worker.kill();
    const afterIts = await kind.inside(name);
    await successor.release();
    await raw.del(name, `{${name}}:timeout`);

    expect(looks).toMatchObject([gone, gone]);
    expect(released).toMatchObject({ error: 'LeaseLostError', lostEvents: 1 });
    expect(stillHeld).toBe(true);
    expect([after, afterIts]).toEqual([[kind.idOf(successor)], [kind.idOf(successor)]]);
  },
);

test('holders frozen for less than their lease still hold, and nobody else gets in', async () => {
  const leaseMs = 1_500;
  const stories = kinds.map(async (kind) => {
    const name = scope.name();
    const worker = await startHolder(name, kind, leaseMs);
    const before = await kind.inside(name);
    const successors: LeasedGrant[] = [];
    const succeeding = succeed(kind, name).then((grant) => successors.push(grant));

    worker.signal('SIGSTOP');
    const from = performance.now();
    await eventually(() => performance.now() - from > leaseMs / 3);
    worker.send({ type: 'look' });
    worker.signal('SIGCONT');
    const look = await worker.message('looked');
    await eventually(() => performance.now() - from > leaseMs);
    const during = await kind.inside(name);
    const early = successors.length;
    worker.send({ type: 'release' });
    const released = await worker.message('released');
    await succeeding;
    await Promise.all(successors.map(async (grant) => await grant.release()));
    await worker.kill();
    await raw.del(name, `{${name}}:timeout`);
    return { kind: kind.what, look, early, isSame: during.join() === before.join(), released };
  });

  const told = await Promise.all(stories);

  expect(told).toMatchObject(
    kinds.map(({ what }) => ({
      kind: what,
      look: { isHeld: true, aborted: false },
      early: 0,
      isSame: true,
      released: { error: 'none', lostEvents: 0 },
    })),
  );
});
