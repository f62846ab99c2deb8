import { expect, test } from 'vitest';
import { retire } from '../../src/core/connection/successor.js';
import { fakeClock } from '../support/fake-clock.js';

/** An error reply, as the driver makes one. */
function refusal(): Error {
  return Object.assign(new Error('MISCONF no disk'), { name: 'ReplyError' });
}

/** Retires a connection whose ping ends so; says how often it was closed, and how often something was missed. */
async function retired(ping: Promise<unknown>): Promise<{ closed: number; missed: number }> {
  const seen = { closed: 0, missed: 0 };
  const clock = fakeClock();
  const connection = { close: () => void (seen.closed += 1) };
  const redis = { call: async () => await ping };
  retire(connection as never, redis as never, clock, () => void (seen.missed += 1));
  await ping.catch(() => {});
  // The answer is handled a few turns later.
  await new Promise(setImmediate);
  clock.advance(1_000);
  expect(clock.pending).toBe(0);
  return seen;
}

test.each<[string, () => Promise<unknown>, number]>([
  ['has answered has brought all', async () => await Promise.resolve('PONG'), 0],
  ['has refused to answer has brought all', async () => await Promise.reject(refusal()), 0],
  ['has ended may have missed something', async () => await Promise.reject(new Error('ended')), 1],
])('a connection that %s', async (_, ping, missed) => {
  expect(await retired(ping())).toEqual({ closed: 1, missed });
});

test('a connection that falls silent is closed after a second, and may have missed something', () => {
  const seen: string[] = [];
  const clock = fakeClock();
  const redis = { call: async () => await new Promise(() => {}) };
  const connection = { close: () => seen.push('closed') };

  retire(connection as never, redis as never, clock, () => seen.push('missed'));
  clock.advance(999);
  expect(seen).toEqual([]);
  clock.advance(1);

  expect(seen).toEqual(['closed', 'missed']);
});
