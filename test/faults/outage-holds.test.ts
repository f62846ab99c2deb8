// Redis is away while locks are held, released or closed.

import { describe, expect, test } from 'vitest';
import {
  ClosedError,
  CommandTimeoutError,
  LeaseLostError,
  OutcomeUnknownError,
  type Client,
} from '../../src/index.js';
import * as scripts from '../../src/core/scripts.generated.js';
import { eventually } from '../support/eventually.js';
import { rawClient } from '../support/redis.js';
import {
  expectHolder,
  faultWorlds,
  keepUnderWay,
  listening,
  rejection,
  runs,
  sendsCommands,
  stored,
  take,
  type WireScript,
} from './world.js';

const open = faultWorlds('outage-holds');
const options = { commandTimeoutMs: 400 };

describe.concurrent('a release during an outage', () => {
  test('one that was sent and not answered has an unknown outcome, and is finished later', async (context) => {
    const { proxy, name, client, up } = await open(context, options);
    const hold = await take(client.getLock(name));

    proxy.refuse();
    proxy.halfOpen(sendsCommands);
    const { error } = await rejection(hold.release());
    const before = await stored(name);
    await up();

    expect(error).toBeInstanceOf(OutcomeUnknownError);
    expect(hold.state).toBe('released');
    expect(before).toEqual({ [hold.holderId]: '1' });
    await eventually(async () => Object.keys(await stored(name)).length === 0);
  });

  test('one without a connection is a timeout, and is finished later', async (context) => {
    const { name, client, down, up } = await open(context, options);
    const hold = await take(client.getLock(name));

    down();
    await eventually(() => hold.state === 'suspect');
    const { error } = await rejection(hold.release());
    const before = await stored(name);
    await up();

    expect(error).toBeInstanceOf(CommandTimeoutError);
    expect(before).toEqual({ [hold.holderId]: '1' });
    await eventually(async () => Object.keys(await stored(name)).length === 0);
  });

  test('a disposed hold reports it as an event, and is finished later', async (context) => {
    const { name, client, down, up } = await open(context, options);
    const errors: unknown[] = [];
    client.on('error', ({ error }) => errors.push(error));
    const hold = await take(client.getLock(name));

    down();
    await eventually(() => hold.state === 'suspect');
    await hold[Symbol.asyncDispose]();
    await up();

    expect(errors.some((error) => error instanceof CommandTimeoutError)).toBe(true);
    await eventually(async () => Object.keys(await stored(name)).length === 0);
  });

  test('a re-entry released during the outage keeps the outer hold', async (context) => {
    const { name, client, down, up } = await open(context, options);
    const lock = client.getLock(name);
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

/** Counted calls: the script, the call, and what shows that it has run. */
const counted: readonly (readonly [
  WireScript,
  (client: Client, name: string) => Promise<unknown>,
])[] = [
  [scripts.latchTrySetCount, (client, name) => client.getCountDownLatch(name).trySetCount(7)],
  [scripts.latchCountDown, (client, name) => client.getCountDownLatch(name).countDown()],
  [scripts.latchDelete, (client, name) => client.getCountDownLatch(name).delete()],
];

describe.concurrent('a counted call with an unknown outcome', () => {
  for (const [script, act] of counted) {
    test(`${script.name} is burnt: it is not run later`, async (context) => {
      const { proxy, name, client, other } = await open(context, options);
      const start = script === scripts.latchTrySetCount ? 0 : 3;
      if (start > 0) {
        await other.getCountDownLatch(name).trySetCount(start);
      }
      const late = keepUnderWay(proxy, script);
      const copies = proxy.holdRequests(runs(script));

      const { error } = await rejection(act(client, name));
      proxy.cutAll(sendsCommands);
      // It queues behind the burning of the number.
      await client.getCountDownLatch(name).count();
      await late.deliver();
      copies.release();

      expect(error).toBeInstanceOf(OutcomeUnknownError);
      expect(await other.getCountDownLatch(name).count()).toBe(start);
      await other.getCountDownLatch(name).delete();
    });
  }

  test('a forced release is burnt: it does not free the lock later', async (context) => {
    const { proxy, name, client, other } = await open(context, options);
    const held = await take(other.getLock(name));
    const late = keepUnderWay(proxy, scripts.lockForceRelease);
    const copies = proxy.holdRequests(runs(scripts.lockForceRelease));

    const { error } = await rejection(client.getLock(name).forceRelease());
    proxy.cutAll(sendsCommands);
    await client.getLock(name).isLocked();
    await late.deliver();
    copies.release();

    expect(error).toBeInstanceOf(OutcomeUnknownError);
    await expectHolder(name, held);
  });
});

describe.concurrent('an outage that outlasts the lease', () => {
  test('a hold is suspect, then lost before the server gives it away', async (context) => {
    const { name, client, other, down } = await open(context, { leaseMs: 600 });
    const told: string[] = [];
    client.on('suspect', () => told.push('suspect'));
    client.on('lost', () => told.push('lost'));
    const hold = await take(client.getLock(name));
    hold.signal.addEventListener('abort', () => told.push('aborted'));
    const next = other
      .getLock(name)
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

  test('a lost hold does not free the lock of the next owner afterwards', async (context) => {
    const { name, client, other, down, up } = await open(context, { leaseMs: 400 });
    const hold = await take(client.getLock(name));

    down();
    const next = await other.getLock(name).acquire();
    await up();
    await eventually(async () => await client.getLock(name).isLocked());

    expect(hold.state).toBe('lost');
    await expectHolder(name, next);
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
