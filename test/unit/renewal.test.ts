import { describe, expect, test } from 'vitest';
import { Lease } from '../../src/core/lease/lease.js';
import { judgeAll, renewalAnswers } from '../../src/core/lease/renewal.js';
import { Events } from '../../src/core/observe/events.js';
import { UnexpectedReplyError } from '../../src/errors.js';
import { fakeClock } from '../support/fake-clock.js';

describe('the answers of a renewal', () => {
  test('say of each lease who has it, and how long its object lives', () => {
    expect(renewalAnswers(['1', '1:20000', '2', '0'])).toEqual([
      { is: 'held', lifeMs: -1 },
      { is: 'held', lifeMs: 20_000 },
      { is: 'taken' },
      { is: 'deleted' },
    ]);
  });

  test.each(['', '3', '1:', '1:-2', '1:1e+14', '11'])('are never %j', (word) => {
    expect(() => renewalAnswers(['1', word])).toThrow(UnexpectedReplyError);
  });

  test('prove and lose nothing when there are fewer than leases', () => {
    const clock = fakeClock();
    const identity = { kind: 'lock' as const, resource: 'jobs', key: 'jobs', holderId: 'me:1' };
    const lease = new Lease(identity, clock, new Events(), () => {});
    lease.start({ order: 1, sentAt: clock.now(), lastSentAt: clock.now() }, 1_000);

    expect(() => judgeAll([lease], [], clock.now(), [60_000])).toThrow(UnexpectedReplyError);
    expect([lease.state, lease.remainingMs]).toEqual(['held', 990]);
  });
});
