// Permits of either sort, and the bytes that reach the server after everything that came later.

import { describe, expect, test } from 'vitest';
import { LeaseLostError, OutcomeUnknownError } from '../../src/index.js';
import * as scripts from '../../src/core/wire/scripts.generated.js';
import { eventually } from '../support/eventually.js';
import { rawClient } from '../support/redis.js';
import { faultWorlds, keepUnderWay, rejection, runs, sendsCommands, take } from './world.js';
import {
  permit as permitKind,
  permitsHeld,
  semaphore as semaphoreKind,
} from '../support/kinds/permits.js';
import type { Kind, WireScript } from '../support/kinds/kind.js';

const open = faultWorlds('late-permits');

const sorts: readonly { kind: Kind; giveBack: WireScript }[] = [
  { kind: semaphoreKind, giveBack: scripts.semaphoreGiveBack },
  { kind: permitKind, giveBack: scripts.expirableSemaphoreGiveBack },
];

describe.concurrent.each(sorts)('bytes of a $kind.what that arrive late', ({ kind, giveBack }) => {
  test('an acquisition that was released since takes nothing', async (context) => {
    const { proxy, name, client, setPermits } = await open(context);
    await setPermits(1);
    const late = keepUnderWay(proxy, kind.scripts.acquire);

    const acquiring = kind.get(client, name).acquire();
    await late.sent();
    proxy.cutAll(sendsCommands);
    const granted = await acquiring;
    await granted.release();
    await late.deliver();

    expect(await kind.isFree(name)).toBe(true);
  });

  test('an acquisition that was granted is granted once', async (context) => {
    const { proxy, name, client, setPermits } = await open(context);
    await setPermits(2);
    const late = keepUnderWay(proxy, kind.scripts.acquire);

    const acquiring = kind.get(client, name).acquire();
    await late.sent();
    proxy.cutAll(sendsCommands);
    await acquiring;
    await late.deliver();

    expect(await rawClient().get(name)).toBe('1');
  });

  test('an acquisition that was aborted takes nothing', async (context) => {
    const { proxy, name, client, other, setPermits } = await open(context);
    await setPermits(1);
    const abort = new AbortController();
    const late = keepUnderWay(proxy, kind.scripts.acquire);

    const acquiring = rejection(kind.get(client, name).acquire({ signal: abort.signal }));
    await late.sent();
    abort.abort(new Error('enough'));
    await acquiring;
    proxy.cutAll(sendsCommands);
    await eventually(() => proxy.requests().some(runs(giveBack)));
    await client.getLock(`${name}-behind`).isLocked();
    await (await take(kind.get(other, name))).release();
    await late.deliver();

    expect(await kind.isFree(name)).toBe(true);
  });

  test('an acquisition that was refused takes nothing of what came since', async (context) => {
    const { proxy, name, client, setPermits } = await open(context);
    await setPermits(0);
    const late = keepUnderWay(proxy, kind.scripts.acquire);

    const acquiring = kind.get(client, name).tryAcquire();
    await late.sent();
    proxy.cutAll(sendsCommands);
    expect(await acquiring).toBeNull();
    await client.getLock(`${name}-behind`).isLocked();
    await rawClient().set(name, 1);
    await late.deliver();

    expect(await kind.isFree(name)).toBe(true);
  });

  test('a release gives back once', async (context) => {
    const { proxy, name, client, other, setPermits } = await open(context);
    await setPermits(1);
    const granted = await take(kind.get(client, name));
    const late = keepUnderWay(proxy, kind.scripts.release);

    const releasing = granted.release();
    await late.sent();
    proxy.cutAll(sendsCommands);
    await releasing;
    const taken = await take(kind.get(other, name));
    await late.deliver();

    await kind.expectIn(name, taken);
    expect(await rawClient().get(name)).toBe('0');
  });

  test('permits of an aborted acquisition are given back once', async (context) => {
    const { proxy, name, client, other, setPermits, up } = await open(context);
    await setPermits(1);
    const abort = new AbortController();
    const late = keepUnderWay(proxy, giveBack);
    proxy.refuse();
    const { cut } = proxy.cutReplyAfter(runs(kind.scripts.acquire));

    const acquiring = rejection(kind.get(client, name).acquire({ signal: abort.signal }));
    await eventually(() => cut.length === 1);
    abort.abort(new Error('enough'));
    await acquiring;
    await up();
    await late.sent();
    proxy.cutAll(sendsCommands);
    const taken = await kind.get(other, name).acquire();
    await late.deliver();

    await kind.expectIn(name, taken);
    expect(await rawClient().get(name)).toBe('0');
  });
});

describe.concurrent('bytes of a counting semaphore that arrive late', () => {
  test('a release that serves a waiter gives and takes once', async (context) => {
    const { proxy, name, client, setPermits } = await open(context);
    await setPermits(3);
    const semaphore = client.getSemaphore(name);
    const granted = await semaphore.acquire(3);
    const waiting = semaphore.acquire(2);
    await semaphore.availablePermits();
    const late = keepUnderWay(proxy, scripts.semaphoreRelease);

    const releasing = granted.release();
    await late.sent();
    proxy.cutAll(sendsCommands);
    await releasing;
    const next = await waiting;
    await late.deliver();

    expect(await rawClient().get(name)).toBe('1');
    await next.release();
    expect(await rawClient().get(name)).toBe('3');
  });

  test('a release by number that was given up gives nothing back', async (context) => {
    const { proxy, name, open: start, setPermits } = await open(context);
    await setPermits(0);
    const client = start({ commandTimeoutMs: 300 });
    // A busy machine may take longer than the time of one call to connect.
    await eventually(async () => await client.getSemaphore(name).availablePermits());
    const late = keepUnderWay(proxy, scripts.semaphoreRelease);
    const copies = proxy.holdRequests(runs(scripts.semaphoreRelease));

    const { error } = await rejection(client.getSemaphore(name).release(2));
    proxy.cutAll(sendsCommands);
    await client.getSemaphore(name).availablePermits();
    await late.deliver();
    copies.release();

    expect(error).toBeInstanceOf(OutcomeUnknownError);
    expect(await rawClient().get(name)).toBe('0');
  });

  test('a release by its grant that was given up takes nothing from the next one', async (context) => {
    const { proxy, name, open: start, other } = await open(context);
    await other.getSemaphore(name).trySetPermits(1);
    const client = start({ commandTimeoutMs: 300 });
    const permits = await client.getSemaphore(name).acquire();
    const late = keepUnderWay(proxy, scripts.semaphoreReturn);

    const { error } = await rejection(permits.release());
    proxy.cutAll(sendsCommands);
    await other.getSemaphore(name).acquire();
    await late.deliver();

    expect(error).toBeInstanceOf(OutcomeUnknownError);
    expect(await other.getSemaphore(name).availablePermits()).toBe(0);
    await other.getSemaphore(name).delete();
  });
});

describe.concurrent('bytes of a permit-expirable semaphore that arrive late', () => {
  test('a release by id spares what the same call has freed for others', async (context) => {
    const { proxy, name, client, other, setPermits } = await open(context);
    await setPermits(1);
    const theirs = await take(other.getPermitExpirableSemaphore(name));
    const late = keepUnderWay(proxy, scripts.expirableSemaphoreReleaseAny);

    const releasing = client.getPermitExpirableSemaphore(name).release(theirs.id);
    await late.sent();
    proxy.cutAll(sendsCommands);
    await releasing;
    const taken = await take(other.getPermitExpirableSemaphore(name));
    await late.deliver();

    await permitKind.expectIn(name, taken);
    expect(await rawClient().get(name)).toBe('0');
    await expect(theirs.release()).rejects.toBeInstanceOf(LeaseLostError);
  });

  test('a renewal does not bring back a permit that was released', async (context) => {
    const { proxy, name, open: start, other, setPermits } = await open(context);
    await setPermits(1);
    // A permit whose lease ends while the machine is busy is not renewed.
    const client = start({ leaseMs: 3_000 });
    const permit = await take(client.getPermitExpirableSemaphore(name));
    const late = keepUnderWay(proxy, scripts.expirableSemaphoreRenew);

    await late.sent();
    proxy.cutAll(sendsCommands);
    await permit.release();
    const taken = await take(other.getPermitExpirableSemaphore(name));
    await late.deliver();

    await permitKind.expectIn(name, taken);
  });

  test('an extension does not shorten a longer one that came after it', async (context) => {
    const { proxy, name, client, setPermits } = await open(context);
    await setPermits(1);
    const permit = await take(client.getPermitExpirableSemaphore(name), { leaseMs: 5_000 });
    const late = keepUnderWay(proxy, scripts.expirableSemaphoreRenew);

    const first = permit.extend(10_000);
    await late.sent();
    proxy.cutAll(sendsCommands);
    await first;
    await permit.extend(60_000);
    await late.deliver();

    expect(await permitKind.serverLeaseMs(name, permit)).toBeGreaterThan(50_000);
  });

  test('an end of a lease that was set anew since is left alone', async (context) => {
    const { proxy, name, client, setPermits } = await open(context);
    await setPermits(1);
    const semaphore = client.getPermitExpirableSemaphore(name);
    const permit = await take(semaphore, { leaseMs: 5_000 });
    const late = keepUnderWay(proxy, scripts.expirableSemaphoreUpdateLease);

    const first = semaphore.updateLease(permit.id, 2_000);
    await late.sent();
    proxy.cutAll(sendsCommands);
    await first;
    await semaphore.updateLease(permit.id, 60_000);
    await late.deliver();

    expect(await permitKind.serverLeaseMs(name, permit)).toBeGreaterThan(50_000);
    expect(permit.remainingMs).toBeGreaterThan(50_000);
  });

  test('a deletion spares the semaphore that was set after it', async (context) => {
    const { proxy, name, client, other, setPermits } = await open(context);
    await setPermits(1);
    const late = keepUnderWay(proxy, scripts.expirableSemaphoreDelete);

    const deleting = client.getPermitExpirableSemaphore(name).delete();
    await late.sent();
    proxy.cutAll(sendsCommands);
    expect(await deleting).toBe(true);
    await other.getPermitExpirableSemaphore(name).trySetPermits(2);
    const taken = await take(other.getPermitExpirableSemaphore(name));
    await late.deliver();

    expect(await permitsHeld(name)).toEqual([taken.id]);
    expect(await rawClient().get(name)).toBe('1');
  });
});
