import { describe, expect, test } from 'vitest';
import { LeaseDeadline } from '../../src/core/lease/lease-deadline.js';

/** Granted at 1000 for 10 s. */
function granted(): LeaseDeadline {
  const end = new LeaseDeadline();
  end.start(1_000, 10_000);
  return end;
}

describe('the end of the object', () => {
  test('bounds every lease, however long that is', () => {
    const end = granted();

    end.limit(1_000, 5_000);
    const bounded = end.at;
    end.prove(2_000, 60_000);

    expect([bounded, end.at, end.isOfObject]).toEqual([5_950, 5_950, true]);
  });

  test('moves in both directions, as it is told', () => {
    const end = granted();
    const told: number[] = [];

    for (const lifeMs of [5_000, 1_000, 8_000, -1, 100_000]) {
      end.limit(1_000, lifeMs);
      told.push(end.at);
    }

    expect(told).toEqual([5_950, 1_990, 8_920, 10_900, 10_900]);
  });
});

describe('an end that somebody sets', () => {
  test('counts as set and as not set until that is settled', () => {
    const end = granted();

    const first = end.setting(2_000, 1_000);
    const shorter = [end.at, end.isCautious, end.isBeingSet];
    first.cameToNothing();
    end.setting(2_000, 60_000);
    const longer = [end.at, end.isCautious, end.isBeingSet];

    expect(shorter).toEqual([2_990, true, true]);
    expect(longer).toEqual([10_900, false, true]);
  });

  test('that never came about leaves everything as it was', () => {
    const end = granted();

    end.setting(2_000, 1_000).cameToNothing();

    expect([end.at, end.isSet, end.isBeingSet, end.mayBeLater]).toEqual([
      10_900,
      false,
      false,
      false,
    ]);
  });

  test('may be earlier, and is not moved by what was sent before it', () => {
    const end = granted();

    end.setting(2_000, 1_000).carriedOut(2_100);
    end.prove(2_050, 30_000);
    const outdated = end.at;
    end.prove(2_200, 5_000);

    expect([outdated, end.at, end.isSet]).toEqual([3_090, 7_150, true]);
  });

  test('stays in doubt while another call that sets it is not settled', () => {
    const end = granted();

    const first = end.setting(2_000, 1_000);
    end.setting(2_100, 60_000).carriedOut(2_100);
    const open = [end.at, end.isBeingSet];
    first.cameToNothing();

    expect(open).toEqual([2_990, true]);
    expect([end.at, end.isBeingSet]).toEqual([61_500, false]);
  });

  test('is bounded by the calls only that are still under way', () => {
    const end = granted();

    const first = end.setting(2_000, 1_000);
    end.setting(2_000, 3_000);
    const both = end.at;
    first.cameToNothing();

    expect([both, end.at, end.isBeingSet]).toEqual([2_990, 4_970, true]);
  });

  test('by calls that were sent at one instant is the one answered last', () => {
    const end = granted();
    const [first, second] = [end.setting(2_000, 1_000), end.setting(2_000, 60_000)];

    first.carriedOut(2_000);
    second.carriedOut(2_000);

    expect([end.at, end.mayBeLater]).toEqual([61_400, false]);
  });

  test('by calls in an unknown order is the earlier of both', () => {
    const end = granted();
    const [first, second] = [end.setting(2_000, 1_000), end.setting(2_100, 60_000)];

    second.carriedOut(2_100);
    first.carriedOut(2_000);

    expect([end.at, end.mayBeLater]).toEqual([2_990, true]);
  });
});

test('the server may have a later end while a call that moves it is not settled', () => {
  const end = granted();
  const seen: boolean[] = [end.mayBeLater];

  const [first, second] = [end.lengthening(), end.lengthening()];
  seen.push(end.mayBeLater);
  first.settled();
  // Once is enough.
  first.settled();
  seen.push(end.mayBeLater);
  second.settled();
  seen.push(end.mayBeLater);

  expect(seen).toEqual([false, true, true, false]);
});

const judged = (end: LeaseDeadline, at: number) =>
  end.judge({ now: () => at, steppedSince: () => 0 }, true);

describe('a lease that an answer is to decide', () => {
  test('is open until then, and over at the end that the answer names', () => {
    const end = granted();
    end.open(12_000, 10_000);
    const before = judged(end, 12_001);

    end.prove(12_000, 2_000);

    expect([before, judged(end, 12_002), judged(end, 14_000)]).toEqual(['open', 'proven', 'over']);
  });

  test('stays open when another answer comes, to what was sent before', () => {
    const end = granted();
    end.open(12_000, 10_000);

    end.prove(11_000, 500);

    expect(judged(end, 12_001)).toBe('open');
  });

  test('is over at the end that another client has set', () => {
    const end = granted();
    end.open(12_000, 10_000);

    end.shorten(12_000, 1_000);

    expect([judged(end, 12_900), judged(end, 13_100)]).toEqual(['proven', 'over']);
  });
});
