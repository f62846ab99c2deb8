// Servers of a quorum that are killed, frozen, or forget.

import { expect, test } from 'vitest';
import { CommandTimeoutError, LeaseLostError } from '../../../src/index.js';
import { eventually } from '../../support/eventually.js';
import { expectRefused, startQuorum } from '../../support/quorum.js';

/** These tests wait for leases to end, all at once. */
const SHORT_MS = 4_000;

test.concurrent('with one server dead locks are taken, held and released; with two none is', async () => {
  await using stage = await startQuorum('quorum-servers', SHORT_MS);
  const client = await stage.connected({ commandTimeoutMs: 5_000 });
  const lock = client.getLock(stage.name());
  await (await lock.acquire()).release();
  await stage.servers[2]!.kill();

  const lost = new Promise<LeaseLostError>((resolve) => {
    client.on('lost', ({ error }) => resolve(error));
  });
  const hold = await lock.acquire({ waitMs: 10_000 });
  expect(await lock.isLocked()).toBe(true);
  await stage.servers[1]!.kill();
  const error: unknown = await eventually(
    async () =>
      await lock.tryAcquire().then(
        () => null,
        (thrown: unknown) => thrown,
      ),
    { withinMs: 20_000 },
  );

  expect(error).toBeInstanceOf(CommandTimeoutError);
  expect((error as Error).cause).toBeInstanceOf(AggregateError);
  expect(String(error)).toContain('no majority (2 of 3 servers) has answered');
  expect((await lost).reason).toBe('unproven');
  expect(hold.isHeld).toBe(false);
  await expect(lock.isLocked()).rejects.toBeInstanceOf(CommandTimeoutError);
});

test.concurrent('a server that is frozen costs no more than its time, and what it does later changes nothing', async () => {
  await using stage = await startQuorum('quorum-servers', SHORT_MS);
  const [client, other] = [await stage.connected({ serverTimeoutMs: 50 }), await stage.connected()];
  const lock = client.getLock(stage.name());
  await (await lock.acquire()).release();
  const frozen = stage.servers[0]!;
  frozen.pause();

  const hold = await lock.acquire();
  await expectRefused(other.getLock(lock.name));
  await hold.release();
  frozen.resume();

  // Its copy of the ask runs now, or not at all: it is given back, or does not get it.
  await stage.expectNothingLeft();
  await (await other.getLock(lock.name).acquire()).release();
});

test.concurrent('a server that was restarted does not vote, and the error says for how long', async () => {
  await using stage = await startQuorum('quorum-servers', SHORT_MS);
  const client = await stage.connected({ commandTimeoutMs: 300 });
  // Not by their uptime, but by our own clock: they are younger than this lease.
  const lock = client.getLock(stage.name());
  await (await lock.acquire()).release();
  await stage.servers[1]!.kill();
  await stage.servers[2]!.restart();
  const [, , restarted] = stage.urls;

  const error: unknown = await eventually(
    async () =>
      await lock.tryAcquire().then(
        async (hold) => await hold?.release().then(() => null),
        (thrown: Error) => (thrown.message.includes('votes again') ? thrown : null),
      ),
  );

  expect(error).toBeInstanceOf(CommandTimeoutError);
  const address = restarted?.replace('redis://', '');
  expect(String(error)).toMatch(
    new RegExp(`${address} was started \\d+ s ago and votes again in \\d+ s`, 'u'),
  );
  // A wait goes on until it votes.
  await (await lock.acquire({ waitMs: 10_000 })).release();
});

test.concurrent('nobody else gets in while it is held, though one server of its majority forgets and another comes back', async () => {
  await using stage = await startQuorum('quorum-servers', SHORT_MS);
  const [client, other] = [await stage.connected(), await stage.connected()];
  const lock = client.getLock(stage.name());
  await stage.servers[2]!.kill();
  const hold = await lock.acquire();

  // Only the first server knows of it then, and two know nothing.
  await stage.servers[1]!.restart();
  await stage.servers[2]!.restart();
  const tries: boolean[] = [];
  const theirs = await eventually(
    async () => {
      tries.push(hold.isHeld);
      return await other
        .getLock(lock.name)
        .tryAcquire({ waitMs: 50 })
        .catch(() => null);
    },
    { withinMs: 20_000 },
  );
  const wasHeld = hold.isHeld;

  // It was tried while the hold was held; what it has lost by its restart is over before that server votes.
  expect(tries[0]).toBe(true);
  expect(wasHeld).toBe(false);
  await theirs.release();
  await expect(hold.release()).rejects.toBeInstanceOf(LeaseLostError);
});

test.concurrent('what is written again on a server that forgot is released with the rest', async () => {
  await using stage = await startQuorum('quorum-servers', SHORT_MS);
  const client = await stage.connected();
  const lock = client.getLock(stage.name());
  const hold = await lock.acquire();
  await eventually(async () => (await stage.holders(lock.name)).flat().length === 3);

  await stage.servers[0]!.restart();
  await eventually(async () => (await stage.holders(lock.name))[0]?.[0] === hold.holderId);
  expect(hold.state).toBe('held');
  const until = performance.now() + 2 * SHORT_MS;
  // Two leases pass, in which the restarted server votes again.
  await eventually(() => performance.now() > until, { withinMs: 3 * SHORT_MS });
  await stage.servers[1]!.kill();
  expect(await lock.isLocked()).toBe(true);
  expect(hold.isHeld).toBe(true);
  await hold.release();

  const left = await stage.raw(0).hkeys(lock.name);
  expect(left).toEqual([]);
});

test.concurrent('a majority that is flushed loses the lock, and its owner learns of that', async () => {
  await using stage = await startQuorum('quorum-servers', SHORT_MS);
  const client = await stage.connected();
  const lock = client.getLock(stage.name());
  const hold = await lock.acquire();
  await eventually(async () => (await stage.holders(lock.name)).flat().length === 3);

  await stage.raw(0).flushall();
  await eventually(async () => (await stage.holders(lock.name))[0]?.[0] === hold.holderId);
  expect(hold.isHeld).toBe(true);
  await stage.raw(0).flushall();
  await stage.raw(1).flushall();
  await eventually(() => hold.state === 'lost');

  expect(hold.signal.aborted).toBe(true);
  await expect(hold.release()).rejects.toBeInstanceOf(LeaseLostError);
  await (await lock.acquire()).release();
  await stage.expectNothingLeft();
});
