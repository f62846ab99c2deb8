// A lease may be lengthened on the server while nobody here is told: whoever loses it frees it.

import { describe, expect, test } from 'vitest';
import {
  DeadlockError,
  LeaseLostError,
  OutcomeUnknownError,
  type AcquireOptions,
} from '../../src/index.js';
import { eventually } from '../support/eventually.js';
import { faultWorlds, keepUnderWay, rejection, runs, sendsCommands, prepare } from './world.js';
import { leasedKinds, lockKinds } from '../support/kinds/kinds.js';
import { titled } from '../support/kinds/kind.js';

const open = faultWorlds('late-extensions');

const LEASE_MS = 400;
const HOUR_MS = 3_600_000;

describe.concurrent.each(titled(leasedKinds))('a %s that is extended too late', (_, kind) => {
  test('is free at once when the answer comes after the end of its old lease', async (context) => {
    const world = await open(context);
    const { proxy, name, client } = world;
    await prepare(kind, world);
    const grant = await kind.get(client, name).acquire({ leaseMs: LEASE_MS });

    proxy.pauseDownstream();
    const extending = rejection(grant.extend(HOUR_MS));
    await eventually(() => grant.state === 'lost');
    proxy.resumeDownstream();
    const { error } = await extending;

    expect(error).toBeInstanceOf(LeaseLostError);
    await eventually(async () => await kind.isFree(name));
  });

  test('is free when its old lease ends and no answer has come', async (context) => {
    const world = await open(context);
    const { proxy, name } = world;
    await prepare(kind, world);
    const client = world.open({ commandTimeoutMs: 300 });
    const grant = await kind.get(client, name).acquire({ leaseMs: 1_200 });

    proxy.pauseDownstream();
    const { error } = await rejection(grant.extend(HOUR_MS));
    proxy.resumeDownstream();
    const heldAfter = grant.isHeld;
    await eventually(() => grant.state === 'lost');

    expect(error).toBeInstanceOf(OutcomeUnknownError);
    expect(heldAfter).toBe(true);
    await eventually(async () => await kind.isFree(name));
  });

  test('is free when a copy of the extension ran after the answer', async (context) => {
    const world = await open(context);
    const { proxy, name, client } = world;
    await prepare(kind, world);
    // Long enough for a busy machine to lose a connection and send the extension again.
    const grant = await kind.get(client, name).acquire({ leaseMs: 1_200 });
    const late = keepUnderWay(proxy, kind.scripts.renew);

    const extending = grant.extend(1_500);
    await late.sent();
    proxy.cutAll(sendsCommands);
    await extending;
    await eventually(() => grant.remainingMs < 300);
    await late.deliver();
    await eventually(() => grant.state === 'lost');

    await eventually(async () => await kind.isFree(name), { withinMs: 400 });
  });

  test('is left to end by itself when its extension was never sent', async (context) => {
    const world = await open(context);
    const { proxy, name, down, up } = world;
    await prepare(kind, world);
    const client = world.open({ commandTimeoutMs: 200 });
    const grant = await kind.get(client, name).acquire({ leaseMs: 1_000 });

    down();
    await eventually(() => grant.state === 'suspect');
    await rejection(grant.extend(HOUR_MS));
    await up();
    await eventually(() => grant.state === 'lost');
    await client.getLock(`${name}-behind`).isLocked();

    expect(proxy.requests().some(runs(kind.scripts.release))).toBe(false);
    await eventually(async () => {
      const rival = await kind.rival(world.other, name).tryAcquire();
      await rival?.release();
      return rival !== null;
    });
  });
});

describe.concurrent.each(titled(lockKinds))('a %s that is re-entered too late', (_, kind) => {
  test('is free at once when the answer comes after the end of its old lease', async (context) => {
    const world = await open(context);
    const { proxy, name, client } = world;
    const entrance = kind.get(client, name);
    const hold = await entrance.acquire({ leaseMs: LEASE_MS });
    const inner: AcquireOptions & { within: typeof hold } = { within: hold, leaseMs: HOUR_MS };

    proxy.pauseDownstream();
    const entering = rejection(entrance.acquire(inner));
    await eventually(() => hold.state === 'lost');
    proxy.resumeDownstream();
    const { error } = await entering;

    expect(error).not.toBeInstanceOf(DeadlockError);
    expect(error).toBeInstanceOf(LeaseLostError);
    await eventually(async () => await kind.isFree(name));
  });
});
