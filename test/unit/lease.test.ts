import { describe, expect, test } from 'vitest';
import { LeaseLostError, type LeaseLostReason } from '../../src/errors.js';
import { callAt, stage } from '../support/lease-stage.js';

describe('the companion of a lease', () => {
  test.each<[LeaseLostReason, string]>([
    ['taken', 'lost'],
    ['deleted', 'lost'],
    ['expired', 'held'],
    ['unproven', 'held'],
  ])('when that is lost as %s is %s', (reason, state) => {
    const [{ lease }, { clock, lease: companion }] = [stage(), stage()];
    companion.start(callAt(clock.now()), 1_000);
    lease.companion = companion;

    lease.lose(reason);

    expect(companion.state).toBe(state);
  });
});

describe('the deadline', () => {
  test.each([
    [100, 98],
    [200, 198],
    [1_000, 990],
    [30_000, 29_700],
    [2_147_483_647, 2_126_008_810.53],
    [1, -1],
  ])('of a lease of %i ms is %d ms after the instant of sending', (leaseMs, provenMs) => {
    const { clock, lease } = stage();

    lease.start(callAt(clock.now()), leaseMs);

    expect(lease.covers(clock.now() + provenMs - 0.001)).toBe(true);
    expect(lease.covers(clock.now() + provenMs)).toBe(false);
    expect(lease.remainingMs).toBe(Math.max(0, Math.floor(provenMs)));
  });

  test('counts from the sending, not from the answer', () => {
    const { clock, lease } = stage();
    const sentAt = clock.now();

    clock.advance(400);
    lease.start(callAt(sentAt), 1_000);

    expect(lease.remainingMs).toBe(590);
  });

  test('runs down with the clock', () => {
    const { clock, lease } = stage();
    lease.start(callAt(clock.now()), 1_000);

    clock.freeze(989);
    const before = [lease.state, lease.remainingMs];
    clock.freeze(1);

    expect(before).toEqual(['held', 1]);
    expect([lease.state, lease.remainingMs]).toEqual(['lost', 0]);
  });

  test('moves with every confirmation, and never back', () => {
    const { clock, lease } = stage();
    lease.start(callAt(clock.now()), 10_000);

    lease.prove(clock.now(), 1_000);
    const afterShorter = lease.remainingMs;
    clock.advance(500);
    lease.prove(clock.now(), 0);
    const afterAsking = lease.remainingMs;
    lease.prove(clock.now(), 20_000);

    expect([afterShorter, afterAsking, lease.remainingMs]).toEqual([9_900, 9_400, 19_800]);
  });

  test('that has passed stays passed, whatever is confirmed later', () => {
    const { clock, lease, told } = stage();
    lease.start(callAt(clock.now()), 1_000);
    const sentAt = clock.now() + 900;

    clock.freeze(991);
    lease.prove(sentAt, 1_000);

    expect([lease.state, lease.remainingMs, lease.active]).toEqual(['lost', 0, false]);
    expect(told).toHaveLength(1);
  });

  test('before it is granted nothing is proven', () => {
    const { clock, lease } = stage();

    expect([lease.covers(clock.now()), lease.remainingMs]).toEqual([false, 0]);
  });
});

describe('a loss', () => {
  test.each([
    [true, 'unproven'],
    [false, 'expired'],
  ])('at the deadline of a lease with renewal %s is told as %s', (renewed, reason) => {
    const { clock, lease, told, add } = stage();
    add(renewed);
    lease.start(callAt(clock.now()), 1_000);

    clock.freeze(2_000);
    const { error } = lease;

    expect(error).toBeInstanceOf(LeaseLostError);
    expect(error).toMatchObject({ reason, resource: 'jobs' });
    expect(told).toEqual([reason, error]);
    expect(lease.error).toBe(error);
  });

  test('is told to every holder, once', () => {
    const { clock, lease, told, add } = stage();
    add(false);
    add(true);
    lease.start(callAt(clock.now()), 1_000);

    lease.lose('taken');
    lease.lose('deleted');
    clock.advance(5_000);

    expect(told).toEqual(['taken', lease.error, lease.error]);
    expect(lease.error).toMatchObject({ reason: 'taken' });
  });

  test('carries what brought it about', () => {
    const { clock, lease } = stage();
    lease.start(callAt(clock.now()), 1_000);
    const cause = new Error('no route to host');

    lease.lose('unproven', cause);

    expect(lease.error?.cause).toBe(cause);
  });

  test('is told at the later end, where an earlier one was set before', () => {
    const { clock, lease, told } = stage();
    lease.start(callAt(clock.now()), 30_000);
    lease.arm(20_000);
    lease.setting(100).carriedOut(clock.now());
    lease.prove(clock.now(), 1_000);
    lease.arm(1_000);

    clock.advance(989);
    const before = [...told];
    clock.advance(1);

    expect([before, told]).toEqual([[], ['expired']]);
  });

  test('is told by a timer at the deadline, though nobody asks', () => {
    const { clock, lease, told } = stage();
    lease.start(callAt(clock.now()), 1_000);

    lease.arm(5_000);
    lease.arm(5_000);
    const timers = clock.pending;
    clock.advance(989);
    const before = [...told];
    clock.advance(1);

    expect([timers, before, told]).toEqual([1, [], ['expired']]);
    expect(clock.pending).toBe(0);
  });

  test('waits for a deadline that moved after the timer was set', () => {
    const { clock, lease, told } = stage();
    lease.start(callAt(clock.now()), 1_000);
    lease.arm(5_000);

    clock.advance(900);
    lease.prove(clock.now(), 1_000);
    clock.advance(500);
    const before = [...told];
    clock.advance(500);

    expect([before, told]).toEqual([[], ['expired']]);
  });

  test('beyond the horizon has no timer', () => {
    const { clock, lease } = stage();
    lease.start(callAt(clock.now()), 60_000);

    lease.arm(20_000);

    expect(clock.pending).toBe(0);
  });
});

describe('a doubt', () => {
  test('makes it suspect, told once with what is left and why', async () => {
    const { clock, lease, suspects } = stage();
    lease.start(callAt(clock.now()), 1_000);
    const cause = new Error('reset');
    clock.advance(190);

    lease.doubt(cause);
    lease.doubt(cause);
    await Promise.resolve();

    expect(lease.state).toBe('suspect');
    expect(suspects).toEqual([
      { resource: 'jobs', kind: 'lock', holderId: 'me:1', remainingMs: 800, cause },
    ]);
    expect(JSON.parse(JSON.stringify(suspects[0]))).toMatchObject({
      remainingMs: 800,
      cause: { name: 'Error', message: 'reset' },
    });
  });

  test('ends with a confirmation, and may come again', async () => {
    const { clock, lease, suspects } = stage();
    lease.start(callAt(clock.now()), 1_000);
    lease.doubt(undefined);
    lease.prove(clock.now(), 1_000);
    const between = lease.state;
    lease.doubt(undefined);
    await Promise.resolve();

    expect([between, lease.state, suspects.length]).toEqual(['held', 'suspect', 2]);
  });

  test('ends with the deadline, for ever', () => {
    const { clock, lease } = stage();
    lease.start(callAt(clock.now()), 1_000);
    lease.doubt(undefined);

    clock.freeze(990);
    const lost = lease.state;
    lease.prove(clock.now(), 1_000);

    expect([lost, lease.state]).toEqual(['lost', 'lost']);
  });

  test('about what is lost already is not told', () => {
    const { clock, lease, suspects } = stage();
    lease.start(callAt(clock.now()), 1_000);
    lease.lose('deleted');

    lease.doubt(undefined);

    expect([lease.state, suspects]).toEqual(['lost', []]);
  });
});

describe('a release', () => {
  test('ends everything: nothing is lost, doubted or timed any more', () => {
    const { clock, lease, told, suspects, add } = stage();
    add(true);
    lease.start(callAt(clock.now()), 1_000);
    lease.arm(5_000);

    lease.end();
    lease.doubt(undefined);
    lease.lose('taken');
    clock.advance(10_000);

    expect([told, suspects, clock.pending, lease.active]).toEqual([[], [], 0, false]);
    expect(lease.error).toBeUndefined();
  });

  test('of one hold leaves the others, and renewal to those that want it', () => {
    const { clock, lease, told, add } = stage();
    const [fixed, renewed] = [add(false), add(true)];
    lease.start(callAt(clock.now()), 1_000);
    const before = [lease.alive, lease.renewed];

    lease.remove(renewed);
    const after = [lease.alive, lease.renewed];
    clock.freeze(1_000);

    expect([before, after]).toEqual([
      [2, true],
      [1, false],
    ]);
    expect(lease.holders).toEqual([fixed]);
    expect(lease.error).toMatchObject({ reason: 'expired' });
    expect(told).toHaveLength(2);
  });
});
