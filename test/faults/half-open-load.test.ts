// A connection that swallows everything, under a client that never stops calling, or hardly calls.

import { describe, expect, test, vi } from 'vitest';
import { CommandTimeoutError, type Client } from '../../src/index.js';
import { eventually } from '../support/eventually.js';
import { expectHolder, faultWorlds, rejection, sendsCommands, take } from './world.js';

vi.setConfig({ maxConcurrency: 12 });

const open = faultWorlds('half-open-load');

/** The answer limit of these clients is 500 ms. */
const LEASE_MS = 3_000;

/** It is replaced within the limit, and what a busy machine adds to that. */
const WITHIN_MS = 2_000;

/** Calls `act` again and again, until the returned function is called. */
type Load = (act: () => unknown) => () => void;

/** 1,500 times a second. */
const often: Load = (act) => {
  const timer = setInterval(() => [1, 2, 3].map(act), 2);
  return () => clearInterval(timer);
};

/** In each turn of the event loop. */
const always: Load = (act) => {
  let next: NodeJS.Immediate;
  const turn = (): void => {
    act();
    next = setImmediate(turn);
  };
  turn();
  return () => clearImmediate(next);
};

const read = (client: Client, name: string) => (): void => {
  client
    .getLock(name)
    .isLocked()
    .catch(() => undefined);
};

describe.concurrent('a half-open command connection', () => {
  for (const [what, load] of [
    ['1,500 calls a second', often],
    ['a call in each turn', always],
  ] as const) {
    test(`under ${what} it is replaced, and no hold is lost`, async (context) => {
      const { proxy, name, client } = await open(context, { leaseMs: LEASE_MS });
      const hold = await take(client.getLock(name));
      const lost: string[] = [];
      client.on('lost', ({ resource }) => lost.push(resource));
      const stop = load(read(client, name));
      context.onTestFinished(stop);

      const [dead] = proxy.halfOpen(sendsCommands);
      await eventually(() => dead?.isOpen === false, { withinMs: WITHIN_MS });
      stop();
      await client.getLock(name).isLocked();

      // The renewal is behind the calls that were made before the new connection.
      await eventually(() => hold.state === 'held');
      expect(lost).toEqual([]);
      await expectHolder(name, hold);
    });
  }

  test('it is replaced though the only call is given up at the same time', async (context) => {
    const { proxy, name, client } = await open(context, { commandTimeoutMs: 500 });
    const lock = client.getLock(name);

    const [dead] = proxy.halfOpen(sendsCommands);
    const { error } = await rejection(lock.isLocked());
    await eventually(() => dead?.isOpen === false, { withinMs: WITHIN_MS });

    expect(error).toBeInstanceOf(CommandTimeoutError);
    expect(await lock.isLocked()).toBe(false);
  });

  test('it is replaced though every call is given up before', async (context) => {
    const { proxy, name, client } = await open(context, { leaseMs: LEASE_MS });
    const lock = client.getLock(name);
    const hold = await take(lock);
    const stop = often(() => {
      // The lock is held: what does not give up by itself is given up by its time.
      lock.tryAcquire({ waitMs: 100 }).catch(() => undefined);
    });
    context.onTestFinished(stop);

    const [dead] = proxy.halfOpen(sendsCommands);
    await eventually(() => dead?.isOpen === false, { withinMs: WITHIN_MS });
    stop();

    await eventually(() => hold.state === 'held');
    await expectHolder(name, hold);
  });
});
