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

    end.resetting(2_000, 1_000);
    const shorter = [end.at, end.isCautious, end.isBeingSet];
    end.reset(undefined, 1_000);
    end.resetting(2_000, 60_000);
    const longer = [end.at, end.isCautious, end.isBeingSet];

    expect(shorter).toEqual([2_990, true, true]);
    expect(longer).toEqual([10_900, false, true]);
  });

  test('that never came about leaves everything as it was', () => {
    const end = granted();

    end.resetting(2_000, 1_000);
    end.reset(undefined, 1_000);

    expect([end.at, end.isSet, end.isBeingSet, end.mayBeLater]).toEqual([
      10_900,
      false,
      false,
      false,
    ]);
  });

  test('may be earlier, and is not moved by what was sent before it', () => {
    const end = granted();

    end.resetting(2_000, 1_000);
    end.reset(2_100, 1_000);
    end.prove(2_050, 30_000);
    const outdated = end.at;
    end.prove(2_200, 5_000);

    expect([outdated, end.at, end.isSet]).toEqual([3_090, 7_150, true]);
  });

  test('stays in doubt while another call that sets it is not settled', () => {
    const end = granted();

    end.resetting(2_000, 1_000);
    end.resetting(2_100, 60_000);
    end.reset(2_100, 60_000);
    const open = [end.at, end.isBeingSet];
    end.reset(undefined, 1_000);

    expect(open).toEqual([2_990, true]);
    expect([end.at, end.isBeingSet]).toEqual([61_500, false]);
  });

  test('by calls in an unknown order is the earlier of both', () => {
    const end = granted();
    end.resetting(2_000, 1_000);
    end.resetting(2_100, 60_000);

    end.reset(2_100, 60_000);
    end.reset(2_000, 1_000);

    expect([end.at, end.mayBeLater]).toEqual([2_990, true]);
  });
});

test('the server may have a later end while a call that moves it is not settled', () => {
  const end = granted();
  const told: boolean[] = [end.mayBeLater];

  end.lengthening();
  end.lengthening();
  told.push(end.mayBeLater);
  end.lengthened();
  told.push(end.mayBeLater);
  end.lengthened();
  told.push(end.mayBeLater);

  expect(told).toEqual([false, true, true, false]);
});
