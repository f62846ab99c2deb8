// More calls at once than a busy server answers soon: it answers one after the other all the while.

import { describe, expect, test } from 'vitest';
import * as scripts from '../../src/core/wire/scripts.generated.js';
import { eventually } from '../support/eventually.js';
import { faultWorlds, runs, sendsCommands, take } from './world.js';

const open = faultWorlds('burst');

const LEASE_MS = 3_000;

/** All of them together take twice as long as a lease. */
const CALLS = 900;
const PER_SECOND = 150;

describe.concurrent('a server that is busy, and answers all the while', () => {
  test('is not taken for one that is silent', async (context) => {
    const { proxy, name, client } = await open(context, { leaseMs: 3_000 });
    const before = proxy.everyConnection().filter(sendsCommands).length;

    // Those that are sent at once take more than the limit of 500 ms.
    proxy.pace(40);
    const reads = Array.from({ length: 80 }, (_, i) => client.getLock(`${name}-${i}`).isLocked());
    const answers = await Promise.all(reads);

    expect(answers).not.toContain(true);
    expect(proxy.everyConnection().filter(sendsCommands)).toHaveLength(before);
  });

  test('grants a burst of free locks, each with one ask, and none is lost', async (context) => {
    const { proxy, name, client } = await open(context, { leaseMs: LEASE_MS });
    const lost: string[] = [];
    client.on('lost', ({ resource }) => lost.push(resource));
    const requests = proxy.requests().length;

    proxy.pace(PER_SECOND);
    const locks = Array.from({ length: CALLS }, (_, i) => client.getLock(`${name}-${i}`));
    const holds = await Promise.all(
      locks.map(async (lock) => await take(lock, { waitMs: 30_000 })),
    );
    const sent = proxy.requests().length - requests;
    proxy.pace(0);

    expect(lost).toEqual([]);
    expect(sent).toBeLessThan(1.5 * CALLS);
    await Promise.all(holds.map(async (hold) => await hold.release()));
  });

  test('gets renewals, extensions and releases before the calls of a burst', async (context) => {
    const { proxy, name, client } = await open(context, {
      leaseMs: 2 * LEASE_MS,
      commandTimeoutMs: 30_000,
    });
    const hold = await take(client.getLock(name));
    const lost: string[] = [];
    client.on('lost', ({ resource }) => lost.push(resource));

    proxy.pace(PER_SECOND);
    let answered = 0;
    const reads = Array.from({ length: CALLS }, async (_, i) => {
      await client.getLock(`${name}-${i}`).isLocked();
      answered += 1;
    });
    await eventually(() => answered > (CALLS * 2) / 3, { withinMs: 15_000 });
    await hold.extend(3 * LEASE_MS);
    await hold.release();
    const left = CALLS - answered;
    proxy.pace(0);

    expect(lost).toEqual([]);
    // Behind the others they would be answered last.
    expect(left).toBeGreaterThan(20);
    await Promise.all(reads);
  });

  test('gets what was not sent yet on the next connection', async (context) => {
    const { proxy, name, client } = await open(context, { leaseMs: LEASE_MS });
    const locks = Array.from({ length: 300 }, (_, i) => client.getLock(`${name}-${i}`));

    proxy.pace(PER_SECOND);
    const granted = locks.map(async (lock) => await take(lock, { waitMs: 30_000 }));
    await granted[20];
    proxy.cutAll();
    const holds = await Promise.all(granted);
    proxy.pace(0);

    expect(holds.filter(({ isHeld }) => !isHeld)).toEqual([]);
    await Promise.all(holds.map(async (hold) => await hold.release()));
  });

  test('is left by a client that is closed, and every call has ended', async (context) => {
    const { proxy, name, client } = await open(context, { leaseMs: LEASE_MS });
    const locks = Array.from({ length: 300 }, (_, i) => client.getLock(`${name}-${i}`));

    proxy.pace(PER_SECOND);
    const reads = locks.map(async (lock) => await lock.isLocked());
    const outcomes = Promise.allSettled(reads);
    await reads[20];
    await client.close({ timeoutMs: 0 });
    proxy.pace(0);

    const errors = (await outcomes).flatMap((each) =>
      each.status === 'rejected' ? [String(each.reason)] : [],
    );
    expect(errors.length).toBeGreaterThan(200);
    expect(errors.filter((text) => !text.startsWith('ClosedError'))).toEqual([]);
  });

  test('ends a call that was not sent in time, and nothing is left of it', async (context) => {
    const { proxy, name, client } = await open(context, {
      commandTimeoutMs: 600,
      leaseMs: LEASE_MS,
    });
    const locks = Array.from({ length: CALLS }, (_, i) => client.getLock(`${name}-${i}`));

    proxy.pace(PER_SECOND);
    const outcomes = await Promise.allSettled(locks.map(async (lock) => await lock.tryAcquire()));
    const sent = proxy.requests().filter(runs(scripts.lockAcquire, scripts.lockEnter)).length;
    proxy.pace(0);

    const errors = outcomes.flatMap((each) =>
      each.status === 'rejected' ? [String(each.reason)] : [],
    );
    expect(errors.filter((text) => !text.startsWith('CommandTimeoutError'))).toEqual([]);
    expect(errors.filter((text) => text.includes('not sent to Redis'))).not.toEqual([]);
    expect(sent).toBeLessThan(CALLS);
    await Promise.all(
      outcomes.map(async (each) => each.status === 'fulfilled' && (await each.value?.release())),
    );
    await eventually(async () => {
      const held = await Promise.all(locks.map(async (lock) => await lock.isLocked()));
      return !held.includes(true);
    });
  });
});
