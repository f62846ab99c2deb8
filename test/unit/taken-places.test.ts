// A ticket that takes the place of another one in the line.

import { describe, expect, test } from 'vitest';
import type { LineAnswer } from '../../src/core/locks/line.js';
import { grant, SERVER_MS, stage, waits } from '../support/line-ticket-stage.js';

describe('a ticket that takes the place of another one', () => {
  const place = { holderId: 'us:0', rank: 0 };

  test('gives up both while it is asked for', () => {
    const { told, ticket } = stage(place);

    ticket.cancel();

    expect(told).toEqual(['forgotten', 'cancels us:1 for good', 'forgotten', 'cancels us:0']);
  });

  test('has it once it was answered that it waits', () => {
    const { told, ticket, call } = stage(place);
    ticket.answered(waits(), call());
    expect(told).toEqual(['forgotten']);

    ticket.cancel();

    expect(told).toEqual(['forgotten', 'forgotten', 'cancels us:1']);
  });

  test('asks for it again where the server took no more data', () => {
    const { ticket, call } = stage(place);
    const noTicket: LineAnswer = { ...waits(), isSeen: undefined };

    ticket.answered(noTicket, call());
    expect(ticket.place).toBe(place);
    // Whoever comes after its waiter takes the place that is on the server.
    expect(ticket.placeFor(0).holderId).toBe('us:0');
    ticket.answered(waits(), call());

    expect(ticket.place).toBeUndefined();
  });

  test('is forgotten where a third one takes the place that it never had', () => {
    const { told, ticket, call } = stage(place);
    ticket.answered({ ...waits(), isSeen: undefined }, call());

    ticket.replaced();

    expect(told).toEqual(['forgotten']);
  });

  test('takes no message about the grant of the other one for its own', () => {
    const { grants, told, ticket, call } = stage(place);

    ticket.pushed({ ...grant(1), holderId: 'us:0' });
    ticket.answered(waits(0), call());

    expect([grants, told]).toEqual([[], ['forgotten']]);
  });

  test.each([
    ['the time of the server when its waiter came', 1_000, (SERVER_MS + 1_001) * 1_000],
    ['nothing where its answer is 10 s old', 10_000, 0],
  ])('is given, as its rank, %s', (_, passedMs, rank) => {
    const { clock, ticket, call } = stage();
    ticket.answered(waits(), call());
    clock.advance(passedMs);

    expect(ticket.placeFor(clock.now())).toEqual({ holderId: 'us:1', rank });
  });

  test('is given without a rank where the clock was set forward since its answer, or since the waiter came', () => {
    const { clock, ticket, call } = stage();
    const [startedAt] = [clock.now(), clock.step(5_000)];
    const sentAt = clock.now();
    ticket.answered(waits(), Object.assign(call(), { sentAt, lastSentAt: sentAt }));
    expect(ticket.placeFor(startedAt).rank).toBe(0);

    clock.advance(1);
    expect(ticket.placeFor(clock.now()).rank).toBeGreaterThan(0);
    clock.step(5_000);

    expect(ticket.placeFor(clock.now()).rank).toBe(0);
  });
});
