// What a client is told of others that wait for what it holds, whenever the message comes.

import { expect, test } from 'vitest';
import { ContendedListeners } from '../../src/core/grant/contended-listeners.js';
import { HeardOthers } from '../../src/core/locks/heard-others.js';
import { Lease } from '../../src/core/lease/lease.js';
import { Events } from '../../src/core/observe/events.js';
import { fakeClock } from '../support/fake-clock.js';

const LOCK = { key: 'jobs', isShared: false };

/** A client whose leases are those that it was made to hold. */
function stage() {
  const [clock, events] = [fakeClock(), new Events()];
  const [held, channels] = [new Map<string, Lease>(), [] as string[]];
  const services = {
    client: { events },
    router: { isCluster: false },
    watchdog: { exclusive: (_: string, holderId: string) => held.get(holderId) },
  };
  const others = new HeardOthers(services as never, {
    listen: (key) => channels.push(`listen ${key}`),
    leave: (key) => channels.push(`leave ${key}`),
  });
  /** Its one hold says when it hears, and whether it reports that for all. */
  const lease = (holderId: string): { lease: Lease; heard: boolean[] } => {
    const identity = { kind: 'lock' as const, resource: 'jobs', key: 'jobs', holderId };
    const made = new Lease(identity, clock, events, { lost: () => {}, ask: () => {} });
    made.start({ order: 1, sentAt: clock.now(), lastSentAt: clock.now() }, 1_000);
    const heard: boolean[] = [];
    made.add({ renewed: true, lost: () => {}, contended: (isFirst) => heard.push(isFirst) });
    held.set(holderId, made);
    return { lease: made, heard };
  };
  return { others, events, channels, lease };
}

test('a holder hears once, however many messages come, and one of its holds reports it', () => {
  const { others, lease } = stage();
  const { lease: made, heard } = lease('me:1');
  made.add({ renewed: true, lost: () => {}, contended: (isFirst) => heard.push(isFirst) });

  others.heard('me:1', 'jobs');
  others.heard('me:1', 'jobs');

  expect(heard).toEqual([true, false]);
});

test('a message that comes before the answer about the grant is heard when the hold begins', () => {
  const { others, lease } = stage();
  others.heard('me:1', 'jobs');
  others.heard('me:2', 'other jobs');
  const [one, two] = [lease('me:1'), lease('me:2')];

  others.began(one.lease, LOCK);
  others.began(two.lease, LOCK);

  expect([one.heard, two.heard]).toEqual([[true], []]);
});

test('of many messages about nothing that is held the newest are kept', () => {
  const { others, lease } = stage();
  for (let i = 0; i < 200; i += 1) {
    others.heard(`me:${i}`, 'jobs');
  }
  const [old, young] = [lease('me:10'), lease('me:190')];

  others.began(old.lease, LOCK);
  others.began(young.lease, LOCK);

  expect([old.heard, young.heard]).toEqual([[], [true]]);
});

test('the next hold on the same lease hears it anew', () => {
  const { others, lease } = stage();
  const { lease: made, heard } = lease('me:1');
  others.began(made, LOCK);
  others.heard('me:1', 'jobs');
  expect(heard).toEqual([true]);

  others.began(made, LOCK);

  expect(heard).toEqual([true, true]);
});

test('nobody is told where nobody listens, and an event listener makes the client listen', () => {
  const { others, events, channels, lease } = stage();
  const { lease: made } = lease('me:1');
  others.began(made, LOCK);
  expect(channels).toEqual([]);

  events.on('contended', () => {});
  others.began(made, LOCK);

  expect(channels).toEqual(['listen jobs']);
});

test('a client listens until the last hold of a lock with a listener is over, and nobody waits', () => {
  const { others, channels, lease } = stage();
  const [one, two] = [lease('me:1').lease, lease('me:2').lease];
  expect(others.watch(one, LOCK)).toBe(false);
  others.watch(two, LOCK);
  others.waitNoMore('jobs');
  others.over(one, false);
  expect(channels).toEqual(['listen jobs', 'listen jobs']);

  others.over(two, false);
  others.over(two, false);
  expect(channels.slice(2)).toEqual(['leave jobs']);

  others.waitNoMore('jobs');
  others.watch(one, LOCK);
  others.over(one, true);
  expect(channels.slice(3)).toEqual(['leave jobs', 'listen jobs']);
});

test('nobody listens for readers', () => {
  const { others, channels, lease } = stage();

  expect(others.watch(lease('me:1').lease, { key: 'jobs', isShared: true })).toBe(false);

  expect(channels).toEqual([]);
});

test('listeners are called later, once each, and not when the hold is over by then', async () => {
  let isOver = false;
  const told: string[] = [];
  const listeners = new ContendedListeners(new Events(), () => isOver);
  listeners.add(() => told.push('first'), false, {});
  listeners.tell();
  listeners.tell();
  expect(told).toEqual([]);
  await Promise.resolve();
  expect(told).toEqual(['first']);

  listeners.add(() => told.push('late'), true, {});
  isOver = true;
  await Promise.resolve();

  expect(told).toEqual(['first']);
});
