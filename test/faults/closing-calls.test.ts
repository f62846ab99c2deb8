// A client that is closed does not know what became of the changes that it had sent.

import { describe, expect, test } from 'vitest';
import {
  ClosedError,
  OutcomeUnknownError,
  type Client,
  type PermitExpirableSemaphore,
  type Semaphore,
} from '../../src/index.js';
import * as scripts from '../../src/core/wire/scripts.generated.js';
import { eventually } from '../support/eventually.js';
import { faultWorlds, runs, take, type World } from './world.js';
import { leasedKinds, lockKinds } from '../support/kinds/kinds.js';
import { lock, readLock } from '../support/kinds/locks.js';
import type { WireScript } from '../support/kinds/kind.js';
import { NO_PERMIT } from '../support/kinds/objects.js';
import { partError } from '../support/parts.js';

const open = faultWorlds('closing');

interface Case {
  readonly what: string;
  readonly script: WireScript;
  /** Makes the call, on what it prepares while answers still come. */
  readonly prepare: (client: Client, name: string) => Promise<() => Promise<unknown>>;
}

const latchCall =
  (call: (latch: ReturnType<Client['getCountDownLatch']>) => Promise<unknown>): Case['prepare'] =>
  async (client, name) => {
    const latch = client.getCountDownLatch(`${name}-latch`);
    await latch.count();
    return async () => await call(latch);
  };

const semaphoreCall =
  (call: (semaphore: Semaphore) => Promise<unknown>): Case['prepare'] =>
  async (client, name) => {
    const semaphore = client.getSemaphore(name);
    await semaphore.availablePermits();
    return async () => await call(semaphore);
  };

const permitCall =
  (call: (semaphore: PermitExpirableSemaphore) => Promise<unknown>): Case['prepare'] =>
  async (client, name) => {
    const semaphore = client.getPermitExpirableSemaphore(name);
    await semaphore.availablePermits();
    return async () => await call(semaphore);
  };

const changes: Case[] = [
  ...leasedKinds.flatMap((kind) => [
    {
      what: `the release of a ${kind.what}`,
      script: kind.scripts.release,
      prepare: async (client: Client, name: string) => {
        const grant = await take(kind.get(client, name));
        return async () => await grant.release();
      },
    },
    {
      what: `the extension of a ${kind.what}`,
      script: kind.scripts.renew,
      prepare: async (client: Client, name: string) => {
        const grant = await take(kind.get(client, name));
        return async () => await grant.extend(60_000);
      },
    },
  ]),
  ...lockKinds.map((kind) => ({
    what: `the forced release of a ${kind.what}`,
    script: kind.scripts.forceRelease,
    prepare: async (client: Client, name: string) => {
      const held = kind.get(client, name);
      await held.isLocked();
      return async () => await held.forceRelease();
    },
  })),
  {
    what: 'the release of counted permits',
    script: scripts.semaphoreRelease,
    prepare: async (client, name) => {
      const permits = await client.getSemaphore(name).acquire();
      return async () => await permits.release();
    },
  },
  {
    what: 'a release by number',
    script: scripts.semaphoreRelease,
    prepare: semaphoreCall(async (semaphore) => await semaphore.release(2)),
  },
  {
    what: 'adding counted permits',
    script: scripts.semaphoreAddPermits,
    prepare: semaphoreCall(async (semaphore) => await semaphore.addPermits(2)),
  },
  {
    what: 'draining permits',
    script: scripts.semaphoreDrainPermits,
    prepare: semaphoreCall(async (semaphore) => await semaphore.drainPermits()),
  },
  {
    what: 'setting counted permits',
    script: scripts.semaphoreTrySetPermits,
    prepare: semaphoreCall(async (semaphore) => await semaphore.trySetPermits(2)),
  },
  {
    what: 'deleting a semaphore',
    script: scripts.semaphoreDelete,
    prepare: semaphoreCall(async (semaphore) => await semaphore.delete()),
  },
  {
    what: 'a release by id',
    script: scripts.expirableSemaphoreReleaseAny,
    prepare: permitCall(async (semaphore) => await semaphore.release(NO_PERMIT)),
  },
  {
    what: 'the update of a lease',
    script: scripts.expirableSemaphoreUpdateLease,
    prepare: permitCall(async (semaphore) => await semaphore.updateLease(NO_PERMIT, 1_000)),
  },
  {
    what: 'adding permits',
    script: scripts.expirableSemaphoreResize,
    prepare: permitCall(async (semaphore) => await semaphore.addPermits(2)),
  },
  {
    what: 'setting permits',
    script: scripts.expirableSemaphoreTrySet,
    prepare: permitCall(async (semaphore) => await semaphore.trySetPermits(2)),
  },
  {
    what: 'deleting a permit-expirable semaphore',
    script: scripts.expirableSemaphoreDelete,
    prepare: permitCall(async (semaphore) => await semaphore.delete()),
  },
  {
    what: 'a count-down',
    script: scripts.latchCountDown,
    prepare: latchCall(async (latch) => {
      await latch.countDown();
    }),
  },
  {
    what: 'setting a count',
    script: scripts.latchTrySetCount,
    prepare: latchCall(async (latch) => await latch.trySetCount(1, { ttlMs: 1_000 })),
  },
  {
    what: 'deleting a latch',
    script: scripts.latchDelete,
    prepare: latchCall(async (latch) => await latch.delete()),
  },
];

const reads: Case[] = [
  ...[
    { kind: lock, script: scripts.lockLease },
    { kind: readLock, script: scripts.rwlockLease },
  ].map(({ kind, script }) => ({
    what: `whether a ${kind.what} is locked`,
    script,
    prepare: (client: Client, name: string) =>
      Promise.resolve(async () => await kind.get(client, name).isLocked()),
  })),
  {
    what: 'the permits of a semaphore',
    script: scripts.semaphoreInspect,
    prepare: semaphoreCall(async (semaphore) => await semaphore.availablePermits()),
  },
  {
    what: 'the permits of a permit-expirable semaphore',
    script: scripts.expirableSemaphoreInspect,
    prepare: permitCall(async (semaphore) => await semaphore.totalPermits()),
  },
  {
    what: 'the count of a latch',
    script: scripts.latchInspect,
    prepare: latchCall(async (latch) => await latch.count()),
  },
];

/** What the call rejects with when its client is closed before the answer. */
async function cutOffByClosing(world: World, those: Case): Promise<unknown> {
  const { proxy, client, name } = world;
  if (/^(?:expirable-)?semaphore/.test(those.script.name)) {
    await world.setPermits(1);
  }
  const call = await those.prepare(client, name);
  const asked = (): number => proxy.requests().filter(runs(those.script)).length;
  const before = asked();
  proxy.pauseDownstream();
  const outcome = call().then(
    (value) => ({ value }),
    (error: unknown) => error,
  );
  await eventually(() => asked() > before);
  await client.close({ timeoutMs: 50 });
  const error = await outcome;
  proxy.resumeDownstream();
  return error;
}

describe.concurrent('cut off by close() after it was sent', () => {
  for (const those of changes) {
    test(`${those.what} has an unknown outcome`, async (context) => {
      const error = await cutOffByClosing(await open(context), those);

      expect(error).toBeInstanceOf(OutcomeUnknownError);
      expect((partError(error) as Error).cause).toBeInstanceOf(ClosedError);
    });
  }

  for (const those of reads) {
    test(`asking for ${those.what} fails with ClosedError`, async (context) => {
      const error = await cutOffByClosing(await open(context), those);

      expect(error).toBeInstanceOf(ClosedError);
    });
  }
});
