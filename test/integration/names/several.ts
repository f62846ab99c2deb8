import type { Redis } from 'ioredis';
import { createQuorumClient, type Client, type Lock } from '../../../src/index.js';
import { expirableSemaphoreAdopt, lockAdopt } from '../../../src/core/wire/scripts.generated.js';
import { eventually } from '../../support/eventually.js';
import type { Proxy } from '../../support/proxy.js';
import { scriptOf } from '../../support/scripts.js';

/** Several names, of which one is busy. */
export async function useSeveral(
  { client, other }: { readonly client: Client; readonly other: Client },
  names: readonly string[],
  raw: Redis,
): Promise<void> {
  for (const fenced of [false, true]) {
    const lock = client.getMultiLock(names, { fenced });
    const last = lock.names.at(-1) ?? '';
    const single = fenced ? other.getFencedLock(last) : other.getLock(last);
    const held = await single.acquire();
    const waiting = lock.acquire({ leaseMs: 60_000 });
    await eventually(async () => (await raw.exists(`${lock.names[0]}`)) === 1);
    await held.release();
    await (await waiting).release();
  }
}

const adopts = (command: string[]): boolean =>
  scriptOf(command, [lockAdopt, expirableSemaphoreAdopt]) !== undefined;

/** Holds and permits go to another client; an adoption before that is given up, and taken back. */
export async function useHandedOver(
  { proxy, client, other }: { proxy: Proxy; client: Client; other: Client },
  name: string,
): Promise<void> {
  await other.getPermitExpirableSemaphore(`${name}5`).trySetPermits(1);
  for (const object of [
    other.getLock(`${name}1`),
    other.getFencedLock(`${name}2`),
    other.getFairLock(`${name}3`),
    other.getReadWriteLock(`${name}4`).writeLock,
    other.getPermitExpirableSemaphore(`${name}5`),
  ]) {
    const detached = await (await object.acquire()).detach();
    const { cut } = proxy.cutReplyAfter(adopts);
    const held = proxy.holdRequests((command) => cut.length > 0 && adopts(command));
    await client.adopt(detached).catch(() => undefined);
    held.release();
    await eventually(async () => await (await other.adopt(detached)).release());
  }
  await other.getPermitExpirableSemaphore(`${name}5`).delete();
}

/** Names that a majority of servers holds. */
export async function useQuorum(
  servers: readonly string[],
  names: readonly string[],
): Promise<void> {
  await using client = createQuorumClient({ servers, leaseMs: 300 });
  const [name = ''] = names;
  const locks: Lock[] = [client.getFencedLock(name), client.getMultiLock(names, { fenced: true })];
  for (const lock of locks) {
    await lock.using(async (outer) => {
      await lock.using(async () => await lock.holders());
      await outer.extend(300);
      await lock.isLocked();
    });
    await lock.acquire();
    await lock.forceRelease();
  }
}

const permits = { count: 3, idleMs: 60_000 };

/** Semaphores that go when nobody uses them, each with a name. */
export async function useIdle(client: Client, name: string, leasedName: string): Promise<void> {
  const semaphore = client.getSemaphore(name, { permits });
  await (await semaphore.acquire()).release();
  await semaphore.tryAcquire(9);
  await semaphore.drainPermits();
  await semaphore.release();
  await semaphore.delete();
  await semaphore.trySetPermits(2);
  await semaphore.delete();
  const leased = client.getPermitExpirableSemaphore(leasedName, { permits });
  const permit = await leased.acquire();
  await permit.extend(5_000);
  await leased.updateLease(permit.id, 10_000);
  await permit.release();
  await leased.tryAcquireMany(9);
  await leased.setPermits(4);
  await leased.delete();
  await leased.trySetPermits(2);
  await leased.delete();
}
