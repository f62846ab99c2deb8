// A client that is closed does not know what became of the changes that it had sent.

import { describe, expect, test } from 'vitest';
import { ClosedError, OutcomeUnknownError, type Client } from '../../src/index.js';
import * as scripts from '../../src/core/scripts.generated.js';
import { eventually } from '../support/eventually.js';
import { faultWorlds, runs, take, type WireScript, type World } from './world.js';

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

const changes: Case[] = [
  {
    what: 'a release',
    script: scripts.lockRelease,
    prepare: async (client, name) => {
      const hold = await take(client.getLock(name));
      return async () => await hold.release();
    },
  },
  {
    what: 'an extension',
    script: scripts.lockRenew,
    prepare: async (client, name) => {
      const hold = await take(client.getLock(name));
      return async () => await hold.extend(60_000);
    },
  },
  {
    what: 'a forced release',
    script: scripts.lockForceRelease,
    prepare: async (client, name) => {
      const lock = client.getLock(name);
      await lock.isLocked();
      return async () => await lock.forceRelease();
    },
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
  {
    what: 'whether it is locked',
    script: scripts.lockInspect,
    prepare: (client, name) => Promise.resolve(async () => await client.getLock(name).isLocked()),
  },
  {
    what: 'the count of a latch',
    script: scripts.latchInspect,
    prepare: latchCall(async (latch) => await latch.count()),
  },
];

/** What the call rejects with when its client is closed before the answer. */
async function cutOffByClosing({ proxy, client, name }: World, those: Case): Promise<unknown> {
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
      expect((error as Error).cause).toBeInstanceOf(ClosedError);
    });
  }

  for (const those of reads) {
    test(`asking for ${those.what} fails with ClosedError`, async (context) => {
      const error = await cutOffByClosing(await open(context), those);

      expect(error).toBeInstanceOf(ClosedError);
    });
  }
});
