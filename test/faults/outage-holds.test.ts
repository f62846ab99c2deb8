// Redis is away while locks are held, released or closed.

import { describe, expect, test } from 'vitest';
import {
  ClosedError,
  CommandTimeoutError,
  LeaseLostError,
  OutcomeUnknownError,
} from '../../src/index.js';
import { eventually } from '../support/eventually.js';
import { rawClient } from '../support/redis.js';
import {
  expectHolder,
  faultWorlds,
  listening,
  rejection,
  sendsCommands,
  take,
  prepare,
} from './world.js';
import { leasedKinds, lockKinds } from '../support/kinds/kinds.js';
import { titled } from '../support/kinds/kind.js';
import { stored } from '../support/kinds/locks.js';
import { skippingClock } from '../support/skipping-clock.js';

const open = faultWorlds('outage-holds');
const options = { commandTimeoutMs: 400 };

describe.concurrent.each(titled(leasedKinds))('a release of a %s during an outage', (_, kind) => {
  test('one that was sent and not answered has an unknown outcome, and is finished later', async (context) => {
    const world = await open(context, options);
    const { proxy, name, client, up } = world;
    await prepare(kind, world);
    const hold = await take(kind.get(client, name));

    proxy.refuse();
    proxy.halfOpen(sendsCommands);
    const { error } = await rejection(hold.release());
    const wasFree = await kind.isFree(name);
    await up();

    expect(error).toBeInstanceOf(OutcomeUnknownError);
    expect(hold.state).toBe('released');
    expect(wasFree).toBe(false);
    await eventually(async () => await kind.isFree(name));
  });

  test('one without a connection is a timeout, and is finished later', async (context) => {
    const world = await open(context, options);
    const { name, client, down, up } = world;
    await prepare(kind, world);
    const hold = await take(kind.get(client, name));

    down();
    await eventually(() => hold.state === 'suspect');
    const { error } = await rejection(hold.release());
    const wasFree = await kind.isFree(name);
    await up();

    expect(error).toBeInstanceOf(CommandTimeoutError);
    expect(wasFree).toBe(false);
    await eventually(async () => await kind.isFree(name));
  });

  test('a disposed hold reports it as an event, and is finished later', async (context) => {
    const world = await open(context, options);
    const { name, client, down, up } = world;
    await prepare(kind, world);
    const errors: unknown[] = [];
    client.on('error', ({ error }) => errors.push(error));
    const hold = await take(kind.get(client, name));

    down();
    await eventually(() => hold.state === 'suspect');
    await hold[Symbol.asyncDispose]();
    await up();

    expect(errors.some((error) => error instanceof CommandTimeoutError)).toBe(true);
    await eventually(async () => await kind.isFree(name));
  });
});

describe.concurrent.each(titled(lockKinds))('a re-entry of a %s', (_, kind) => {
  test('released during an outage keeps the outer hold', async (context) => {
    const { name, client, down, up } = await open(context, options);
    const lock = kind.get(client, name);
    const outer = await take(lock);
    const inner = await take(lock, { within: outer });

    down();
    await eventually(() => outer.state === 'suspect');
    const { error } = await rejection(inner.release());
    await up();
    await eventually(async () => (await stored(name))[outer.holderId] === '1');

    expect(error).toBeInstanceOf(CommandTimeoutError);
    await eventually(() => outer.state === 'held');
  });
});

describe.concurrent.each(titled(leasedKinds))(
  'an outage that outlasts the lease of a %s',
  (_, kind) => {
    test('a hold is suspect, then lost before the server gives it away', async (context) => {
      const world = await open(context, { leaseMs: 600 });
      const { name, client, other, down } = world;
      await prepare(kind, world);
      const told: string[] = [];
      client.on('suspect', () => told.push('suspect'));
      client.on('lost', () => told.push('lost'));
      const hold = await take(kind.get(client, name));
      hold.signal.addEventListener('abort', () => told.push('aborted'));
      const next = kind
        .rival(other, name)
        .acquire()
        .then(() => told.push('granted'));

      down();
      await next;

      expect(told).toHaveLength(4);
      expect(told[0]).toBe('suspect');
      expect(told[3]).toBe('granted');
      expect((hold.signal.reason as LeaseLostError).reason).toBe('unproven');
      expect(hold).toMatchObject({ state: 'lost', isHeld: false, remainingMs: 0 });
      await expect(hold.release()).rejects.toBeInstanceOf(LeaseLostError);
    });

    test('a hold that was lost here is given back as soon as that is possible', async (context) => {
      const world = await open(context);
      const { name, down, up } = world;
      const clock = skippingClock();
      await prepare(kind, world);
      const hold = await take(kind.get(world.open({ leaseMs: 60_000 }, clock), name));

      down();
      await eventually(() => hold.state === 'suspect');
      clock.skip(60_000);
      const lost = [hold.state, await kind.isFree(name)];
      await up();

      expect(lost).toEqual(['lost', false]);
      await eventually(async () => await kind.isFree(name));
    });

    test('a lost hold does not free the lock of the next owner afterwards', async (context) => {
      const world = await open(context, { leaseMs: 400 });
      const { name, client, other, down, up } = world;
      await prepare(kind, world);
      const hold = await take(kind.get(client, name));

      down();
      const next = await kind.rival(other, name).acquire();
      await up();
      await eventually(async () => !(await client.getLock(`${name}-other`).isLocked()));

      expect(hold.state).toBe('lost');
      await kind.expectIn(name, next);
    });
  },
);

describe.concurrent('an outage that outlasts some leases', () => {
  test('every hold is told once, and those on longer leases are held again', async (context) => {
    const { name, open: start, down, up } = await open(context);
    const client = start({ leaseMs: 400 });
    const lost: string[] = [];
    client.on('lost', ({ resource }) => lost.push(resource));
    const short = await take(client.getLock(`${name}-short`));
    const inner = await take(client.getLock(short.lockName), { within: short });
    const long = await take(client.getLock(`${name}-long`), { leaseMs: 60_000 });

    down();
    await eventually(() => short.state === 'lost');
    await up();
    await eventually(() => long.state === 'held');

    expect([short.state, inner.state]).toEqual(['lost', 'lost']);
    expect(lost).toEqual([short.lockName, short.lockName]);
    await expectHolder(long.lockName, long);
    await eventually(async () => (await rawClient().exists(short.lockName)) === 0);
  });
});

describe.concurrent('closing during an outage', () => {
  test('it ends within timeoutMs, and so does everything that waits', async (context) => {
    const { name, client, other, down } = await open(context, { leaseMs: 1_000 });
    const hold = await take(client.getLock(name));
    await take(other.getLock(`${name}-busy`));
    const waiting = rejection(client.getLock(`${name}-busy`).acquire());
    await listening(`${name}-busy`);

    down();
    const asking = rejection(client.getLock(name).isLocked());
    const startedAt = performance.now();
    const closing = client.close({ timeoutMs: 400 });
    expect(hold.isHeld).toBe(false);
    await closing;

    expect(performance.now() - startedAt).toBeLessThan(2_000);
    expect((await waiting).error).toBeInstanceOf(ClosedError);
    expect((await asking).error).toBeInstanceOf(ClosedError);
    await eventually(async () => (await rawClient().exists(name)) === 0);
    // Who is cut off cannot leave the line: its place lapses.
    await rawClient().del(`redlatch_line:{${name}-busy}`);
  }, 6_000);

  test('it ends within timeoutMs on half-open connections', async (context) => {
    const { proxy, name, client } = await open(context, { leaseMs: 1_000 });
    await take(client.getLock(name));

    proxy.refuse();
    proxy.halfOpen(() => true);
    const startedAt = performance.now();
    await client.close({ timeoutMs: 300 });

    expect(performance.now() - startedAt).toBeLessThan(2_000);
    await eventually(() => proxy.connections().length === 0);
    await eventually(async () => (await rawClient().exists(name)) === 0);
  });
});
