// When a server of a quorum votes: not while it may have forgotten a lock that was granted before.

import { expect, test } from 'vitest';
import { ServerMemory, type Seen } from '../../src/quorum/server-memory.js';

const MAX_LEASE_MS = 30_000;

/** A clock that is set by hand. */
class HandClock {
  at = 1_000_000;
  stepped = 0;
  now = (): number => this.at;
  steppedSince = (): number => this.stepped;
}

function seen(
  runId: string | undefined,
  uptimeS: number | null,
  other: Partial<Seen['standing']> = {},
): Seen {
  return { runId, standing: { uptimeS, role: 'master', wasReplica: false, replicas: 0, ...other } };
}

function stage(): { clock: HandClock; memory: ServerMemory } {
  const clock = new HandClock();
  return { clock, memory: new ServerMemory(clock, MAX_LEASE_MS) };
}

test('one that has been up for the longest lease votes at once', () => {
  const { memory, clock } = stage();

  expect(memory.votes).toBe(false);
  expect(memory.learned(seen('a', 31), clock.at)).toBe(false);
  expect(memory.votes).toBe(true);
});

test('one that was started votes when it has been up for so long, and a second more', () => {
  const { memory, clock } = stage();
  memory.learned(seen('a', 11), clock.at);

  expect(memory.silentMs).toBe(20_000);
  clock.at += 19_999;
  expect(memory.votes).toBe(false);
  clock.at += 1;
  expect(memory.votes).toBe(true);
});

test('a connection that was lost changes nothing, a restart does', () => {
  const { memory, clock } = stage();
  memory.learned(seen('a', 1_000), clock.at);
  clock.at += 5_000;

  expect(memory.learned(seen('a', 1_005), clock.at - 100)).toBe(false);
  expect(memory.votes).toBe(true);
  const { epoch } = memory;
  clock.at += 5_000;
  expect(memory.learned(seen('b', 2), clock.at - 4_000)).toBe(true);
  expect(memory.epoch).not.toBe(epoch);
  expect(memory.silentMs).toBe(29_000);
});

test('another server that takes its place was started now, whatever its uptime', () => {
  const { memory, clock } = stage();
  memory.learned(seen('a', 1_000), clock.at);
  // One connection, for an hour.
  clock.at += 3_600_000;

  expect(memory.learned(seen('b', 1_800), clock.at - 50)).toBe(true);
  expect(memory.silentMs).toBe(MAX_LEASE_MS);
});

test('a replica does not vote, and neither does one that was a replica until the longest lease has passed', () => {
  const { memory, clock } = stage();
  memory.learned(seen('a', 1_000, { role: 'slave' }), clock.at);
  expect(memory.isReplica).toBe(true);
  expect(memory.silentMs).toBe(Number.POSITIVE_INFINITY);

  expect(memory.learned(seen('a', 1_001), clock.at)).toBe(true);
  expect(memory.silentMs).toBe(MAX_LEASE_MS);
  const other = stage();
  other.memory.learned(seen('b', 1_000, { wasReplica: true }), other.clock.at);
  expect(other.memory.silentMs).toBe(MAX_LEASE_MS);
});

test('one that hides its uptime or its run_id was started now, each time', () => {
  const { memory, clock } = stage();
  memory.learned(seen(undefined, null), clock.at);
  expect(memory.hidesUptime).toBe(true);
  clock.at += 60_000;
  expect(memory.votes).toBe(true);

  expect(memory.learned(seen(undefined, null), clock.at)).toBe(true);
  expect(memory.silentMs).toBe(MAX_LEASE_MS);
});

test('a step of the wall clock does not let it vote sooner', () => {
  const { memory, clock } = stage();
  memory.learned(seen('a', 1), clock.at);
  clock.at += 60_000;
  clock.stepped = 59_000;

  expect(memory.silentMs).toBe(29_000);
});
