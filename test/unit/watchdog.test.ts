import { describe, expect, test } from 'vitest';
import { Lease, type LeaseIdentity } from '../../src/core/lease/lease.js';
import type { Renewal, RenewalAnswer, RenewalItem } from '../../src/core/lease/renewal.js';
import { Watchdog } from '../../src/core/lease/watchdog.js';
import { Events } from '../../src/core/observe/events.js';
import { Call, type Receiver } from '../../src/core/wire/call.js';
import { fakeClock, type FakeClock } from '../support/fake-clock.js';

const LEASE_MS = 3_000;

/** A renewal that was sent and waits for its answer. */
interface Asked {
  readonly items: readonly RenewalItem[];
  readonly resend: boolean;
  readonly answer: (answers: readonly RenewalAnswer[]) => void;
  readonly fail: () => void;
}

const script = {
  name: 'renew',
  sha1: '',
  source: '',
  decode: (reply: unknown): unknown => JSON.parse(String(reply)),
};

function stopped(error: Error): never {
  throw error;
}

interface Stage {
  readonly clock: FakeClock;
  readonly watchdog: Watchdog;
  readonly asked: Asked[];
  /** Why nothing can be asked, if so. */
  down: Error | undefined;
  readonly grant: (id: string, renewed?: boolean, leaseMs?: number) => Lease;
}

function stage(): Stage {
  const clock = fakeClock();
  const asked: Asked[] = [];
  let items: readonly RenewalItem[] = [];
  const renewal = ((given: readonly RenewalItem[]) => {
    items = given;
    return { script, operands: [] };
  }) as unknown as Renewal;
  const start = (command: never, receiver: Receiver<never>, resend = true): Call<never> => {
    const call = new Call(command, receiver, resend, { failed: stopped, unheard: () => {} });
    call.sentAt = clock.now();
    call.lastSentAt = clock.now();
    asked.push({
      items,
      resend,
      answer: (answers) => call.succeed(JSON.stringify(answers)),
      fail: () => call.fail(new Error('lost')),
    });
    return call;
  };
  const world: Stage = {
    clock,
    asked,
    down: undefined,
    watchdog: new Watchdog(
      clock,
      { whyDown: () => world.down, groupOf: () => '' },
      { start },
      LEASE_MS,
    ),
    grant(id, renewed = true, leaseMs = LEASE_MS) {
      const identity: LeaseIdentity = { kind: 'lock', resource: id, key: id, holderId: `me:${id}` };
      const lease = new Lease(identity, clock, new Events(), () => {});
      lease.holders.push({ renewed, lost: () => {} });
      lease.start({ order: 1, sentAt: clock.now(), lastSentAt: clock.now() }, leaseMs);
      world.watchdog.add(lease, renewal);
      return lease;
    },
  };
  return world;
}

const HELD: RenewalAnswer = { is: 'held', lifeMs: -1, leftMs: -1 };

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

  test('looks at one object when it is told to, whatever is under way, and renews nothing', () => {
    const { clock, asked, watchdog, grant } = stage();
    const lease = grant('a');
    grant('b');
    clock.advance(LEASE_MS / 3);

    expect([watchdog.look('a'), watchdog.look('c')]).toEqual([true, false]);
    expect(asked[1]?.items.map(({ key, leaseMs }) => [key, leaseMs])).toEqual([['a', 0]]);
    asked[1]?.answer([{ is: 'deleted' }]);

    expect(lease.state).toBe('lost');
  });

  test('looks at everything, and renews nothing', () => {
    const { asked, watchdog, grant } = stage();
    grant('a');
    grant('b');

    watchdog.lookAtAll();

    const items = asked.flatMap((each) => each.items);
    expect(items.map(({ key, leaseMs }) => [key, leaseMs])).toEqual([
      ['a', 0],
      ['b', 0],
    ]);
  });

  test('looks at nothing while nothing can be sent, or when it is lost', () => {
    const world = stage();
    world.grant('a');
    world.down = new Error('away');
    expect(world.watchdog.look('a')).toBe(true);
    world.down = undefined;
    world.clock.freeze(LEASE_MS);
    expect(world.watchdog.look('a')).toBe(true);

    expect(world.asked).toEqual([]);
  });

  test('rests while it has no lease', () => {
    const { clock, grant, watchdog } = stage();
    const lease = grant('a');

    watchdog.delete(lease);
    lease.end();
    clock.advance(LEASE_MS / 3);

    expect(clock.pending).toBe(0);
  });
});
