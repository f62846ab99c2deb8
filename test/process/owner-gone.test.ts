// What a killed process leaves: nothing for ever where there is a lease, and its permits taken where
// nobody owns them.

import { afterAll, expect, test } from 'vitest';
import { redisUrl } from '../support/redis.js';
import { expectNoChannels, expectNoResidue } from '../support/residue.js';
import { runNode } from '../support/run-node.js';
import { testScope } from '../support/scope.js';

const scope = testScope('gone');

afterAll(async () => {
  await expectNoResidue(scope.prefix, { allow: [/^redlatch_requests:/] });
  await expectNoChannels(scope.prefix);
});

/** Runs a program that has `client` and `name`, and kills itself at its end. */
async function runAndDie(name: string, program: string): Promise<void> {
  const source = `
    import { createClient } from 'redlatch';
    const client = createClient({ redis: '${redisUrl()}', leaseMs: 500 });
    const name = '${name}';
    ${program}
    process.kill(process.pid, 'SIGKILL');
    setInterval(() => {}, 1_000);
  `;
  const { stderr } = await runNode(['--input-type=module', '-e', source]);
  expect(stderr).toBe('');
}

test('permits of a counting semaphore stay taken when their process is killed', async () => {
  const semaphore = scope.client().getSemaphore(scope.name());
  await semaphore.trySetPermits(2);

  await runAndDie(semaphore.name, 'await client.getSemaphore(name).acquire();');
  const inVain = await semaphore.tryAcquire(2, { waitMs: 700 });
  await semaphore.addPermits(1);
  const again = await semaphore.tryAcquire(2);

  expect(inVain).toBeNull();
  expect(again?.count).toBe(2);
  await semaphore.delete();
});

test('permits with a lease come back when their process is killed', async () => {
  const semaphore = scope.client().getPermitExpirableSemaphore(scope.name());
  await semaphore.trySetPermits(2);

  await runAndDie(semaphore.name, 'await client.getPermitExpirableSemaphore(name).acquireMany(2);');
  const permits = await semaphore.acquireMany(2, { waitMs: 5_000 });

  expect(permits.map(({ isHeld }) => isHeld)).toEqual([true, true]);
  await semaphore.delete();
});

test.each(['readLock', 'writeLock'] as const)(
  'a %s is free when its process was killed and the lease has ended',
  async (side) => {
    const { name, writeLock } = scope.client().getReadWriteLock(scope.name());

    await runAndDie(name, `await client.getReadWriteLock(name).${side}.acquire();`);
    const write = await writeLock.acquire({ waitMs: 5_000 });

    expect(write.isHeld).toBe(true);
    await write.release();
  },
);
