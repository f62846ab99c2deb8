// A connection that stays open and swallows everything: nobody is told that it is dead.

import { describe, expect, test, vi } from 'vitest';
import { LeaseLostError, type Client } from '../../src/index.js';
import { listening as latchListening } from '../support/latch-channel.js';
import { RECHECK_MAX_MS } from '../../src/core/waiting/timing.js';
import { eventually } from '../support/eventually.js';
import type { ConnectionPredicate, Proxy } from '../support/proxy.js';
import { skippingClock } from '../support/skipping-clock.js';
import { rawClient } from '../support/redis.js';
import {
  expectHolder,
  faultWorlds,
  isSubscriber,
  listening,
  sendsCommands,
  settledRequests,
  take,
  prepare,
} from './world.js';
import { kinds, leasedKinds } from '../support/kinds/kinds.js';
import { titled } from '../support/kinds/kind.js';

// Most of the time these tests wait.
vi.setConfig({ maxConcurrency: 12 });

const open = faultWorlds('half-open');

/** What the client says of its holds, in order. */
function tale(client: Client): string[] {
  const told: string[] = [];
  client.on('suspect', () => told.push('suspect'));
  client.on('lost', () => told.push('lost'));
  return told;
}

/** Cuts what matches, and lets nothing through to what is connected in its place. */
async function silence(proxy: Proxy, which: ConnectionPredicate): Promise<void> {
  const last = Math.max(...proxy.connections().map(({ id }) => id));
  proxy.pauseDownstream();
  proxy.cutAll(which);
  await eventually(() =>
    proxy.connections().some(({ id, commands }) => id > last && commands.length > 0),
  );
  proxy.halfOpen(({ id }) => id > last);
  proxy.resumeDownstream();
}

describe.concurrent('a half-open subscriber', () => {
  for (const kind of leasedKinds) {
    test(`a waiter for a ${kind.what} gets in when the lease has run out`, async (context) => {
      const world = await open(context);
      const { proxy, name, client, other } = world;
      await prepare(kind, world);
      const held = await take(kind.rival(other, name), { leaseMs: 1_000 });
      const waiting = kind.get(client, name).acquire();
      await listening(name);
      await settledRequests(proxy, name);

      expect(proxy.halfOpen(isSubscriber)).toHaveLength(1);
      await eventually(() => held.state === 'lost');
      const grant = await waiting;

      await kind.expectIn(name, grant);
    });
  }

  for (const kind of kinds) {
    test(`a waiter for a ${kind.what} gets in within the re-check`, async (context) => {
      const world = await open(context);
      const { proxy, name, other } = world;
      const clock = skippingClock();
      await prepare(kind, world);
      const held = await take(kind.rival(other, name), { leaseMs: 60_000 });
      const waiting = kind.get(world.open({}, clock), name).acquire({ waitMs: 8_000 });
      await listening(name);
      await settledRequests(proxy, name);

      expect(proxy.halfOpen(isSubscriber)).toHaveLength(1);
      await held.release();
      clock.skip(RECHECK_MAX_MS);
      const grant = await waiting;

      await kind.expectIn(name, grant);
    });
  }

  test('a latch lets its waiters go within the re-check', async (context) => {
    const { proxy, name, other, open: start } = await open(context);
    const clock = skippingClock();
    const client = start({}, clock);
    await other.getCountDownLatch(name).trySetCount(1);
    const waits = [1, 2, 3].map(() => client.getCountDownLatch(name).wait({ waitMs: 8_000 }));
    await latchListening(rawClient(), name);
    await settledRequests(proxy, name);

    expect(proxy.halfOpen(isSubscriber)).toHaveLength(1);
    await other.getCountDownLatch(name).countDown();
    clock.skip(RECHECK_MAX_MS);

    expect(await Promise.all(waits)).toEqual([true, true, true]);
  });

  test('it is replaced, and the next message arrives at once', async (context) => {
    const { proxy, name, other, open: start } = await open(context);
    const clock = skippingClock();
    const held = await take(other.getLock(name), { leaseMs: 60_000 });
    const waiting = start({}, clock).getLock(name).acquire();
    await listening(name);
    const [deaf] = proxy.halfOpen(isSubscriber);

    await clock.lapse(() => deaf?.isOpen === false);
    await listening(name);
    const releasedAt = performance.now();
    await held.release();
    await waiting;

    expect(performance.now() - releasedAt).toBeLessThan(2_000);
  });
});

describe.concurrent('a connection that goes silent while it signs in', () => {
  test('as the one for commands, it is replaced', async (context) => {
    const { proxy, name, client } = await open(context, { commandTimeoutMs: 500 });

    await silence(proxy, sendsCommands);
    const hold = await client.getLock(name).acquire({ waitMs: 4_000 });

    await expectHolder(name, hold);
  });

  test('as the subscriber, it is replaced', async (context) => {
    const { proxy, name, client, other } = await open(context, { commandTimeoutMs: 500 });
    const held = await take(other.getLock(name), { leaseMs: 60_000 });
    const waiting = client.getLock(name).acquire();
    await listening(name);

    await silence(proxy, isSubscriber);
    await listening(name, 0);
    await listening(name);
    await held.release();

    await expectHolder(name, await waiting);
  });
});

describe.concurrent('a half-open command connection', () => {
  test('what was under way is settled on a new connection, once each', async (context) => {
    const { proxy, name, client, other } = await open(context, { leaseMs: 600 });
    const latch = client.getCountDownLatch(name);
    await latch.trySetCount(9);
    const [dead] = proxy.halfOpen(sendsCommands);

    const lock = client.getLock(`${name}-lock`);
    const [hold, isLocked, count] = await Promise.all([
      take(lock),
      lock.isLocked(),
      latch.count(),
      latch.countDown(),
    ]);

    expect(dead?.isOpen).toBe(false);
    await expectHolder(lock.name, hold);
    expect([isLocked, count]).toEqual([true, 9]);
    expect(await other.getCountDownLatch(name).count()).toBe(8);
    await latch.delete();
  });

  for (const kind of kinds) {
    test(`a waiter for a ${kind.what} still gets in`, async (context) => {
      const world = await open(context, { leaseMs: 2_400 });
      const { proxy, name, client, other } = world;
      await prepare(kind, world);
      const held = await take(kind.rival(other, name));
      const waiting = kind.get(client, name).acquire();
      await listening(name);

      proxy.halfOpen(sendsCommands);
      await held.release();
      const grant = await waiting;

      await kind.expectIn(name, grant);
    });
  }

  test('a waiter still gets in when the subscriber is half-open as well', async (context) => {
    const { proxy, name, client, other } = await open(context, { leaseMs: 3_000 });
    const held = await take(other.getLock(name), { leaseMs: 800 });
    const waiting = client.getLock(name).acquire();
    await listening(name);

    expect(proxy.halfOpen(() => true)).toHaveLength(2);
    await held.release();
    const hold = await waiting;

    await expectHolder(name, hold);
  });
});

describe.concurrent.each(titled(leasedKinds))(
  'a half-open command connection of a %s',
  (_, kind) => {
    test('a holder becomes suspect and then held again', async (context) => {
      const world = await open(context, { leaseMs: 1_800 });
      const { proxy, name, client } = world;
      await prepare(kind, world);
      const told = tale(client);
      const hold = await take(kind.get(client, name));

      // The new connection is made within milliseconds: a look from time to time could miss it.
      const held = new Promise<boolean>((resolve) => {
        client.once('suspect', () => resolve(hold.isHeld));
      });
      proxy.halfOpen(sendsCommands);
      expect(await held).toBe(true);
      await eventually(() => hold.state === 'held');

      expect(told).toEqual(['suspect']);
      await kind.expectIn(name, hold);
      await hold.release();
      expect(await kind.isFree(name)).toBe(true);
    });

    test('a holder that cannot renew in time knows before the next owner has it', async (context) => {
      const world = await open(context, { leaseMs: 450 });
      const { proxy, name, client, other } = world;
      await prepare(kind, world);
      const told = tale(client);
      const hold = await take(kind.get(client, name));
      const { signal } = hold;
      let atGrant: unknown;
      const next = kind
        .rival(other, name)
        .acquire()
        .then((granted) => {
          told.push('granted');
          atGrant = { isHeld: hold.isHeld, aborted: signal.aborted };
          return granted;
        });

      // The lease ends before the silence is long enough to give the connection up.
      proxy.refuse();
      proxy.halfOpen(sendsCommands);
      const granted = await next;

      // A process that stood still over both instants finds the lease over: it is not suspect first.
      expect(told.filter((event) => event !== 'suspect')).toEqual(['lost', 'granted']);
      expect(atGrant).toEqual({ isHeld: false, aborted: true });
      expect(signal.reason).toBeInstanceOf(LeaseLostError);
      expect((signal.reason as LeaseLostError).reason).toBe('unproven');
      await proxy.accept();
      await eventually(async () => !(await client.getLock(`${name}-ping`).isLocked()));
      await kind.expectIn(name, granted);
    });
  },
);
