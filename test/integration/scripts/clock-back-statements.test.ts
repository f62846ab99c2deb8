// The server's clock is set back by an hour, while numbers of permits are stated with `set`: statements lapse as if they
// were last kept alive just now, and new ones are the newest all the same.

import { expect, onTestFinished, test } from 'vitest';
import { commandOf } from '../../../src/core/wire/call.js';
import * as scripts from '../../../src/core/wire/scripts.generated.js';
import { runAt } from '../../support/frozen-time.js';
import { keysUnder, randomName, rawClient } from '../../support/redis.js';
import { START } from './fair-scripts.js';

/** What the clock shows after the step. */
const BACK = START - 3_600_000;
const KEPT_ALIVE_MS = 300_000;

/** A permit-expirable semaphore whose number clients state. */
function place() {
  const redis = rawClient();
  const name = randomName('back');
  onTestFinished(async () => {
    await redis.unlink(...(await keysUnder(name, redis)), name);
  });
  const statements = `${name}:statements`;
  const keys = {
    semaphore: name,
    timeouts: `${name}:timeouts`,
    requests: `${name}:requests`,
    leases: `${name}:leases`,
    deleted: `${name}:deleted`,
    statements,
    twin: [],
  };
  let number = 0;
  const counted = () => {
    number += 1;
    return { number, lowWater: number, publish: 'PUBLISH', channel: `${name}:channel` };
  };
  return {
    record: async () => await redis.hgetall(statements),
    total: async () => Number(await redis.get(name)),
    /** Returns after how many ms a newer statement gives way; undefined where none stands. */
    states: async (atMs: number, count: number, how = 1) => {
      const args = { ...counted(), setting: `set ${how} ${count}` };
      const command = commandOf(scripts.expirableSemaphoreConfigure, keys, args);
      const [, , , yieldsMs] = (await runAt(redis, atMs, command)).split(' ');
      return yieldsMs === undefined ? undefined : Number(yieldsMs);
    },
    setPermits: async (atMs: number, permits: number) => {
      const args = { ...counted(), way: 'to', permits, declared: '' };
      await runAt(redis, atMs, commandOf(scripts.expirableSemaphoreResize, keys, args));
    },
  };
}

test('a statement gives way five minutes after the clock was set back', async () => {
  const { states, total, record } = place();
  await states(START, 5);
  await states(START + 1, 7);

  expect(await states(BACK, 5)).toBe(KEPT_ALIVE_MS);
  expect(await record()).toEqual({ 5: `${START} ${BACK}`, 7: `${START + 1} ${BACK}` });
  expect(await states(BACK + KEPT_ALIVE_MS - 1, 5)).toBe(1);
  expect(await total()).toBe(7);
  expect(await states(BACK + KEPT_ALIVE_MS, 5)).toBeUndefined();
  expect(await total()).toBe(5);
});

test('a first statement is the newest', async () => {
  const { states, total, record } = place();
  await states(START, 5);

  await states(BACK, 7);

  expect(await total()).toBe(7);
  expect(await record()).toMatchObject({ 7: `${START + 1} ${BACK}` });
  expect(await states(BACK + 1, 5)).toBe(KEPT_ALIVE_MS - 1);
  expect(await total()).toBe(7);
});

test('a number that is set by setPermits is the newest', async () => {
  const { states, total, setPermits } = place();
  await states(START, 5);
  await states(START + 1, 7);

  await setPermits(BACK, 5);

  expect(await states(BACK + 1, 7)).toBe(KEPT_ALIVE_MS - 1);
  expect(await total()).toBe(5);
});
