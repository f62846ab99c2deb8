// When a client may start a hold on the message of a grant, and when it has to ask first.

import { describe, expect, test } from 'vitest';
import type { LineTicket } from '../../src/core/locks/line-ticket.js';
import { grant, stage, waits, WINDOW_MS } from '../support/line-ticket-stage.js';

describe('a message of a grant', () => {
  test('starts a hold, for its window from when the ask was sent, and the time between on the server', () => {
    const { clock, told, grants, ticket, call, sentAt } = stage();
    ticket.answered(waits(), call());
    clock.advance(1_000);

    ticket.pushed(grant(1_000));

    expect(told).toEqual([]);
    expect(grants).toHaveLength(1);
    expect(grants[0]).toMatchObject({ leaseMs: WINDOW_MS, isWindow: true, others: true });
    expect(grants[0]?.acquiring.sentAt).toBeCloseTo(sentAt + 990 - 2, 6);
  });

  test('that comes before the answer to the ask is judged by that', () => {
    const { clock, grants, ticket, call } = stage();
    clock.advance(5);

    ticket.pushed(grant(3));
    expect(grants).toEqual([]);
    ticket.answered(waits(1), call());

    expect(grants).toHaveLength(1);
  });

  test('that comes during a re-check, before anything is known, is judged by that', () => {
    const { told, grants, ticket, call } = stage();
    ticket.answered(waits(0, false), call());
    ticket.recheck();
    expect(told).toEqual(['re-check']);

    ticket.pushed(grant(1));
    expect(grants).toEqual([]);
    ticket.rechecked(waits(0), call());

    expect(grants).toHaveLength(1);
  });

  test.each<[string, (world: ReturnType<typeof stage>) => void]>([
    ['after a connection was made anew', ({ services }) => (services.epoch = 2)],
    ['before the client knows that it listens', ({ goDeaf }) => goDeaf()],
    ['while this client frees the lock by force', ({ force }) => force()],
  ])('has to be confirmed first: %s', (_, happens) => {
    const world = stage();
    world.ticket.answered(waits(), world.call());

    happens(world);
    world.ticket.pushed(grant(0));

    expect([world.grants, world.told]).toEqual([[], ['re-check']]);
  });

  test('that comes while it is asked for once more is judged by the answer to that', () => {
    const { grants, ticket, call } = stage();
    ticket.answered(waits(), call());
    ticket.ask();

    ticket.pushed(grant(1));
    expect(grants).toEqual([]);
    ticket.answered({ is: 'granted', others: false, mayPass: true, lastToken: undefined }, call());

    expect(grants).toHaveLength(1);
    expect(grants[0]?.isWindow).toBe(false);
  });

  test('that comes during a later re-check is judged by the answer to that', () => {
    const { clock, grants, ticket, call } = stage();
    ticket.answered(waits(), call());
    clock.advance(100);
    ticket.recheck();

    ticket.pushed(grant(50));
    expect(grants).toEqual([]);
    ticket.rechecked(waits(60), call());
    expect(grants).toEqual([]);
  });

  test('has to be confirmed first where the server of the ask did not see the client listen', () => {
    const { told, grants, ticket, call } = stage();
    ticket.answered(waits(0, false), call());

    ticket.pushed(grant(0));

    expect([grants, told]).toEqual([[], ['re-check']]);
  });

  test.each([
    ['when its window has passed', 9_898, 0],
    ['when the clock of the server has run further than time did', 1_000, 1_013],
  ])('has to be confirmed first: %s', (_, passedMs, atMs) => {
    const { clock, told, grants, ticket, call } = stage();
    ticket.answered(waits(), call());

    clock.advance(passedMs);
    ticket.pushed(grant(atMs));

    expect([grants, told]).toEqual([[], ['re-check']]);
  });

  test('just before that starts a hold', () => {
    const { clock, grants, ticket, call } = stage();
    ticket.answered(waits(), call());

    clock.advance(9_895);
    ticket.pushed(grant(0));

    expect(grants).toHaveLength(1);
  });

  test('that is older than an answer which says that the ticket waits starts nothing', () => {
    const { told, grants, ticket, call } = stage();
    ticket.answered(waits(10), call());

    ticket.pushed(grant(9));

    // The clock of the server may have been set back: the client asks once more.
    expect([grants, told]).toEqual([[], ['re-check']]);
    ticket.rechecked(waits(11), call());
    expect([grants, told]).toEqual([[], ['re-check', 'lapsed 10000']]);
  });

  test('that is over when it is confirmed is told as one that came too late, once', () => {
    const { told, ticket, call } = stage();

    ticket.pushed(grant(20));
    ticket.answered(waits(10), call());
    ticket.rechecked(waits(30), call());
    ticket.recheck();
    ticket.rechecked(waits(40), call());

    expect(told.filter((each) => each.startsWith('lapsed'))).toHaveLength(1);
  });
});

test('news during a re-check leads to another one', () => {
  const { told, ticket, call } = stage();
  ticket.answered(waits(), call());
  ticket.recheck();

  ticket.recheck();
  expect(told).toEqual(['re-check']);
  ticket.rechecked(waits(), call());

  expect(told).toEqual(['re-check', 're-check']);
});

test('a re-check that finds the grant starts the hold with what the lease has left', () => {
  const { grants, ticket, call } = stage();
  ticket.answered(waits(), call());
  ticket.recheck();

  ticket.rechecked(
    { is: 'granted', leftMs: 29_000, others: true, mayPass: true, lastToken: 7n },
    call(),
  );

  expect(grants).toMatchObject([
    { leaseMs: 29_000, others: true, fencingToken: 5n, isWindow: false },
  ]);
});

test('a re-check that failed is made again later', () => {
  const { told, ticket, call } = stage();
  ticket.answered(waits(), call());
  ticket.recheck();

  ticket.recheckFailed(new Error('refused'));

  expect(told).toEqual(['re-check', 'later']);
});

test('a ticket that is given up takes back what it may have, for good while its ask may run', () => {
  const asked = stage();
  asked.ticket.cancel();
  expect(asked.told).toEqual(['forgotten', 'cancels us:1 for good']);

  const waiting = stage();
  waiting.ticket.answered(waits(), waiting.call());
  waiting.ticket.cancel();
  expect(waiting.told).toEqual(['forgotten', 'cancels us:1']);
});

test.each<[string, (ticket: LineTicket) => void, boolean, number]>([
  ['others wait', (ticket) => ticket.othersWait(), true, Infinity],
  [
    'somebody comes next to whom it cannot be passed on',
    (ticket) => ticket.endWithThisHold(),
    false,
    1,
  ],
])('what is told before the answer that it was granted counts: %s', (_, tell, others, holdsMax) => {
  const { ticket, grants, call } = stage();

  tell(ticket);
  ticket.answered({ is: 'granted', others: false, mayPass: true, lastToken: undefined }, call());

  expect(grants).toMatchObject([{ others, holdsMax }]);
});
