// Scenario 6: a Java program dies whose waiters stand between those of Node.

import { expect, test, vi } from 'vitest';
import { redisUrl } from '../../support/redis.js';
import { JavaProgram } from '../support/java.js';
import { interopWorlds } from '../support/world.js';
import { MixedLine, type Place } from './fair-line.js';

/** `fairLockWaitTimeout` of the Java programs. */
const PATIENCE_MS = 5_000;
/** Of whoever holds the lock first: Java adds it to the score of the first waiter. */
const LEASE_MS = 2_000;
/** What a slow machine may add. */
const SLACK_MS = 5_000;

vi.setConfig({ testTimeout: 120_000 });
const open = interopWorlds('fair-dead');

test('each dead waiter costs those behind it its own patience, however many stand in the line', async (context) => {
  const doomed = await JavaProgram.start().open({ url: redisUrl(), fairWaitMs: PATIENCE_MS });
  const world = await open(context, { java: { fairWaitMs: PATIENCE_MS } });
  const { name, java } = world;
  const line = new MixedLine(world, context);
  const taken = await world.open({ leaseMs: LEASE_MS }).getFairLock(name).acquire();
  const dead: Place[] = [];
  const alive: Place[] = [];
  for (const i of [1, 2, 3]) {
    const thread = doomed.thread(`doomed-${i}`);
    dead.push(await line.join(async () => await thread.call('fair.lock', name)));
    alive.push(await line.join(async () => await line.node(world.open())));
  }
  const waits = { waitMs: 90_000 };
  alive.push(await line.join(async () => await line.java(java.thread('alive'), waits)));
  const furthest = Math.max(
    ...(await Promise.all([...dead, ...alive].map(({ holderId }) => line.score(holderId)))),
  );
  const aheadMs = furthest - (await line.now());

  await doomed.program.kill();
  await taken.release();
  const from = performance.now();
  await line.hadTurns(alive, 60_000);
  const waitedMs = performance.now() - from;

  expect(await line.served()).toEqual(alive.map(({ holderId }) => holderId));
  expect(waitedMs).toBeLessThan(dead.length * PATIENCE_MS + LEASE_MS + SLACK_MS);
  // What they brought: theirs, and the wait of the one that is alive.
  const broughtMs = dead.length * PATIENCE_MS + waits.waitMs;
  expect(aheadMs).toBeLessThanOrEqual(5_000 + LEASE_MS + broughtMs);
});
