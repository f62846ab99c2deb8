import { expect, test } from 'vitest';
import { LateGrants } from '../../src/core/lease/late-grants.js';

const LEASE_MS = 100;

/** After how many grants that took so long the wait ends; 0 if it does not. */
function endsAfter(roundTrips: readonly number[]): number {
  const late = new LateGrants();
  return (
    roundTrips.findIndex((roundTripMs) => {
      return late.add({ resource: 'it', leaseMs: LEASE_MS, roundTripMs }) !== undefined;
    }) + 1
  );
}

test.each([
  ['two in a row that are late by more than the lease', [201, 201], 2],
  ['one of these between others, which are late by less', [150, 201, 150, 201, 150], 5],
  ['five in a row that are late at all', [101, 101, 101, 101, 101], 5],
  ['four of them', [200, 101, 200, 101], 0],
])('%s', (_, roundTrips, grants) => {
  expect(endsAfter(roundTrips)).toBe(grants);
});

test('the error says what is shorter than what', () => {
  const late = new LateGrants();
  late.add({ resource: 'it', leaseMs: LEASE_MS, roundTripMs: 250 });

  const error = late.add({ resource: 'it', leaseMs: LEASE_MS, roundTripMs: 250.4 });

  expect(error).toMatchObject({ code: 'ERR_COMMAND_TIMEOUT', resource: 'it' });
  expect(error?.message).toMatch(/"it".*leaseMs 100 .*roundTripMs 250$/);
});
