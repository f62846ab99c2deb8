import { describe, expect, test } from 'vitest';
import { Grant, type GrantOwner } from '../../src/core/grant/grant.js';
import { Lease } from '../../src/core/lease/lease.js';
import { Events } from '../../src/core/observe/events.js';
import { Leaks } from '../../src/core/observe/leaks.js';
import { LeaseLostError, NotHeldError } from '../../src/errors.js';
import { fakeClock } from '../support/fake-clock.js';

const LEASE_MS = 1_000;
const PROVEN_MS = 990;

class TestGrant extends Grant {
  protected readonly owner: GrantOwner<this>;
  constructor(lease: Lease, owner: GrantOwner<Grant>) {
    super(lease, true, 0);
    this.owner = owner;
  }

  override toJSON(): object {
    return {};
  }
}

/** Two grants on one lease, as the holds of one holder. */
function stage() {
  const clock = fakeClock();
  const told: string[] = [];
  const identity = { kind: 'lock' as const, resource: 'jobs', key: 'jobs', holderId: 'me:1' };
  const lease = new Lease(identity, clock, new Events(), { lost: () => {}, ask: () => {} });
  const world: { release: (grant: Grant) => Promise<void> } = { release: async () => {} };
  const owner: GrantOwner<Grant> = {
    release: async (grant) => {
      told.push('release');
      lease.remove(grant);
      await world.release(grant);
    },
    extend: (_, leaseMs) => Promise.resolve(void told.push(`extend ${leaseMs}`)),
    detach: (_, leaseMs) => Promise.resolve(`detached ${leaseMs}`),
    lost: (_, { reason }) => told.push(`lost ${reason}`),
    failed: ({ message }) => told.push(`failed ${message}`),
    events: new Events(),
    leaks: new Leaks(clock),
  };
  const [one, two] = [new TestGrant(lease, owner), new TestGrant(lease, owner)];
  lease.add(one);
  lease.add(two);
  lease.start({ order: 1, sentAt: clock.now(), lastSentAt: clock.now() }, LEASE_MS);
  return { clock, lease, one, two, told, world };
}

describe('on the first line after a pause', () => {
  test('a grant whose lease has ended is not held, before any timer has run', () => {
    const { clock, one } = stage();
    clock.freeze(PROVEN_MS - 1);
    expect([one.isHeld, one.state, one.remainingMs]).toEqual([true, 'held', 1]);

    clock.freeze(1);

    expect([one.isHeld, one.remainingMs]).toEqual([false, 0]);
    expect(one.state).toBe('lost');
  });

  test.each<[string, (grant: Grant) => unknown]>([
    ['assertHeld', (grant) => grant.assertHeld()],
    ['extend', async (grant) => await grant.extend(5)],
    ['release', async (grant) => await grant.release()],
    ['its signal', (grant) => grant.signal.throwIfAborted()],
  ])('%s tells the loss, and asks nothing of the server', async (_, use) => {
    const { clock, one, told } = stage();
    clock.freeze(PROVEN_MS);

    await expect((async () => await use(one))()).rejects.toBeInstanceOf(LeaseLostError);
    expect(told).toEqual(['lost unproven', 'lost unproven']);
  });
});

describe('a grant that was released', () => {
  test('is not lost with the lease of the others', async () => {
    const { lease, one, two, told } = stage();
    const [signal, other] = [one.signal, two.signal];
    await one.release();

    lease.lose('taken');

    expect([signal.aborted, other.aborted]).toEqual([false, true]);
    expect([one.state, two.state]).toEqual(['released', 'lost']);
    expect(told).toEqual(['release', 'lost taken']);
    await expect(one.release()).resolves.toBeUndefined();
  });

  test('is not held from the moment its release is sent', () => {
    const { one } = stage();

    void one.release();

    expect([one.isHeld, one.remainingMs, one.state]).toEqual([false, 0, 'released']);
    expect(() => one.assertHeld()).toThrow(NotHeldError);
  });

  test('is released once, and only the first call tells why it failed', async () => {
    const { one, told, world } = stage();
    world.release = async () => await Promise.reject(new Error('no answer'));

    const first = one.release();
    await expect(one.release()).resolves.toBeUndefined();
    await expect(first).rejects.toThrow('no answer');

    expect(told).toEqual(['release']);
  });

  test('cannot be extended', async () => {
    const { one, told } = stage();
    await one.release();

    await expect(one.extend(5)).rejects.toBeInstanceOf(NotHeldError);
    expect(told).toEqual(['release']);
  });

  test('is lost when its release has shown that its lease had ended before', async () => {
    const { one, told, world } = stage();
    const { signal } = one;
    const loss = new LeaseLostError('found lost', 'taken', { resource: 'jobs' });
    world.release = async (grant) => {
      grant.lostBefore(loss);
      await Promise.reject(loss);
    };

    await expect(one.release()).rejects.toBe(loss);

    expect([one.state, signal.reason]).toEqual(['lost', loss]);
    expect(told).toEqual(['release', 'lost taken']);
    await expect(one.release()).rejects.toBe(loss);
  });
});

describe('at the end of its block', () => {
  test('a failure is reported, and thrown to nobody', async () => {
    const { one, told, world } = stage();
    world.release = async () => await Promise.reject(new Error('no answer'));

    await one[Symbol.asyncDispose]();

    expect(told).toEqual(['release', 'failed no answer']);
  });

  test('a loss is reported by its own event alone', async () => {
    const { clock, one, told } = stage();
    clock.freeze(PROVEN_MS);

    await one[Symbol.asyncDispose]();

    expect(told).toEqual(['lost unproven', 'lost unproven']);
  });
});
