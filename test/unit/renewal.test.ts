import { describe, expect, test } from 'vitest';
import { Lease } from '../../src/core/lease/lease.js';
import { judgeAll, renewalAnswers } from '../../src/core/lease/renewal.js';
import { Events } from '../../src/core/observe/events.js';
import { UnexpectedReplyError } from '../../src/server-errors.js';
import { fakeClock } from '../support/fake-clock.js';

const left = (leftMs: number) => [{ is: 'held' as const, lifeMs: -1, leftMs }];

function stage({ renewed = false } = {}) {
  const clock = fakeClock();
  const identity = { kind: 'lock' as const, resource: 'jobs', key: 'jobs', holderId: 'me:1' };
  const lease = new Lease(identity, clock, new Events(), { lost: () => {}, ask: () => {} });
  lease.add({ renewed, lost: () => {} });
  lease.start({ order: 1, sentAt: clock.now(), lastSentAt: clock.now() }, 1_000);
  const now = () => ({ sentAt: clock.now(), now: clock.now() });
  return { clock, lease, now };
}

describe('the answers of a renewal', () => {
  test('say of each lease who has it, and how long its object lives', () => {
    expect(renewalAnswers(['1', '1:20000', '1:20000:0', '1::500', '2', '0', '3'])).toEqual([
      { is: 'held', lifeMs: -1, leftMs: -1 },
      { is: 'held', lifeMs: 20_000, leftMs: -1 },
      { is: 'held', lifeMs: 20_000, leftMs: 0 },
      { is: 'held', lifeMs: -1, leftMs: 500 },
      { is: 'taken' },
      { is: 'deleted' },
      { is: 'foreign' },
    ]);
  });

  test.each(['', '4', '1:', '1:-2', '1:1e+14', '11', '1::', '1:::', '1:5:', '1:5:-1', '1::1e3'])(
    'are never %j',
    (word) => {
      expect(() => renewalAnswers(['1', word])).toThrow(UnexpectedReplyError);
    },
  );

  test('prove and lose nothing when there are fewer than leases', () => {
    const { lease, now } = stage();

    expect(() => judgeAll([lease], [], now(), [60_000])).toThrow(UnexpectedReplyError);
    expect([lease.state, lease.remainingMs]).toEqual(['held', 990]);
  });

  test('tell of an end that another client has set, and not of the time that an answer takes', () => {
    const { clock, lease, now } = stage();
    const sent = now();
    clock.advance(100);
    const answered = { ...sent, now: clock.now() };

    // The server was asked 10 ms after it was sent, or 90 ms: nobody has changed anything.
    judgeAll([lease], left(990), answered, [0]);
    judgeAll([lease], left(910), answered, [0]);
    expect(lease.remainingMs).toBe(890);

    judgeAll([lease], left(500), answered, [0]);
    expect(lease.remainingMs).toBe(500 - 100 - 5);
    clock.advance(395);
    expect(lease.error).toMatchObject({ reason: 'expired' });
  });

  test('of a renewal take back an end that another client has set', () => {
    const { lease, now } = stage({ renewed: true });
    judgeAll([lease], [{ is: 'held', lifeMs: -1, leftMs: 300 }], now(), [0]);
    expect(lease.remainingMs).toBe(297);

    judgeAll([lease], [{ is: 'held', lifeMs: -1, leftMs: -1 }], now(), [1_000]);

    expect(lease.remainingMs).toBe(990);
  });
});
