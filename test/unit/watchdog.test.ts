import { describe, expect, test } from 'vitest';
import { HELD, LEASE_MS, stage } from '../support/watchdog-stage.js';

describe('the watchdog', () => {
  test('renews every lease each third of the lease, with one command', () => {
    const { clock, asked, grant } = stage();
    grant('a');
    grant('b');

    clock.advance(LEASE_MS / 3 - 1);
    expect(asked).toEqual([]);
    clock.advance(1);

    expect(asked.map(({ items }) => items.map(({ key, leaseMs }) => [key, leaseMs]))).toEqual([
      [
        ['a', LEASE_MS],
        ['b', LEASE_MS],
      ],
    ]);
  });

  test('counts a renewal from before it was sent, however late its answer comes', () => {
    const { clock, asked, grant } = stage();
    const lease = grant('a');

    clock.advance(LEASE_MS / 3);
    clock.advance(600);
    asked[0]!.answer([HELD]);

    expect(lease.remainingMs).toBe(LEASE_MS * 0.99 - 600);
  });

  test('asks about a lease that is not renewed, and lengthens nothing by that', () => {
    const { clock, asked, grant } = stage();
    const lease = grant('a', false);

    clock.advance(LEASE_MS / 3);
    asked[0]!.answer([HELD]);

    expect(asked[0]!.items.map(({ leaseMs }) => leaseMs)).toEqual([0]);
    expect(lease.remainingMs).toBe(LEASE_MS * 0.99 - LEASE_MS / 3);
  });

  test('never sends a renewal again: the next round makes its own', () => {
    const { clock, asked, grant } = stage();
    grant('a');

    clock.advance(LEASE_MS / 3);

    expect(asked.map(({ resend }) => resend)).toEqual([false]);
  });

  test('renews at once what came too late to last until the next round', () => {
    const { asked, grant } = stage();

    grant('a', true, LEASE_MS / 3 + 5);
    grant('b', true, LEASE_MS / 2);
    grant('c', false, LEASE_MS / 3 + 5);

    expect(asked.flatMap(({ items }) => items.map(({ key }) => key))).toEqual(['a']);
  });

  test('renews nothing that was taken off before its release', () => {
    const { clock, asked, grant, watchdog } = stage();
    const [lease] = [grant('a'), grant('b')];

    expect([watchdog.delete(lease), watchdog.delete(lease)]).toEqual([true, false]);
    clock.advance(LEASE_MS / 3);

    expect(asked.flatMap(({ items }) => items.map(({ key }) => key))).toEqual(['b']);
  });

  test('holds a lease suspect whose renewal has no answer after a whole period', () => {
    const { clock, asked, grant } = stage();
    const lease = grant('a');

    clock.advance(LEASE_MS / 3);
    expect(lease.state).toBe('held');
    clock.advance(LEASE_MS / 3);
    expect([lease.state, asked.length]).toEqual(['suspect', 1]);
    asked[0]!.answer([HELD]);

    expect(lease.state).toBe('held');
  });

  test('asks again in the next round after a renewal has failed', () => {
    const { clock, asked, grant } = stage();
    const lease = grant('a');

    clock.advance(LEASE_MS / 3);
    asked[0]!.fail();
    expect(lease.state).toBe('suspect');
    clock.advance(LEASE_MS / 3);

    expect(asked.length).toBe(2);
  });

  test('loses a lease at its deadline while the server cannot be reached, and renews it no more', () => {
    const world = stage();
    const { clock, asked, grant, watchdog } = world;
    const lease = grant('a');

    world.down = new Error('no connection');
    watchdog.connectionDown(world.down);
    expect(lease.state).toBe('suspect');
    clock.advance(LEASE_MS * 0.99 - 1);
    expect(lease.state).toBe('suspect');
    clock.advance(1);
    expect(lease.state).toBe('lost');
    world.down = undefined;
    watchdog.connectionUp();

    expect(asked).toEqual([]);
  });

  test('renews at once when the connection is back', () => {
    const world = stage();
    const { clock, asked, grant, watchdog } = world;
    const lease = grant('a');

    world.down = new Error('no connection');
    watchdog.connectionDown(world.down);
    clock.advance(LEASE_MS / 2);
    world.down = undefined;
    watchdog.connectionUp();
    asked[0]!.answer([HELD]);

    expect([lease.state, lease.remainingMs]).toEqual(['held', LEASE_MS * 0.99]);
  });

  test('rests while it has no lease', () => {
    const { clock, grant, watchdog } = stage();
    const lease = grant('a');

    watchdog.delete(lease);
    lease.end();
    clock.advance(LEASE_MS / 3);

    expect(clock.pending).toBe(0);
  });

  test('asks about all leases at once after a step of a clock, though renewals are under way', async () => {
    const { clock, asked, grant } = stage();
    const leases = [grant('a'), grant('b', false)];
    clock.advance(LEASE_MS / 3);

    clock.step(LEASE_MS);
    const states = leases.map(({ state }) => state);
    await Promise.resolve();
    asked[0]!.answer([HELD, { is: 'held', lifeMs: -1, leftMs: 1_000 }]);
    const between = leases.map(({ state }) => state);
    asked[1]!.answer([HELD, { is: 'held', lifeMs: -1, leftMs: 1_000 }]);

    expect(asked.map(({ items }) => items.map(({ leaseMs }) => leaseMs))).toEqual([
      [LEASE_MS, 0],
      [LEASE_MS, 0],
    ]);
    expect([states, between]).toEqual([
      ['suspect', 'suspect'],
      ['suspect', 'suspect'],
    ]);
    expect(leases.map(({ remainingMs }) => remainingMs)).toEqual([LEASE_MS * 0.99, 990]);
  });
});
