// What is counted of a history, and what there was too little of.

import { expect, test } from 'vitest';
import { counts, isCounted, missing, sumCounts } from './counted.js';
import { checkAll, KINDS, PROPERTIES, propertiesOf, violationsOf } from './index.js';
import { call, fault, historyOf, hold, part, SMALL } from './made-up.js';

const history = historyOf([
  hold('a', [0, 10, 50, 60]),
  hold('a', [20, 20, 30, 35]),
  hold('b', [40, 62, 90], { toldLostAt: 91, isRenewed: false }),
  hold('c', [95, 100, 110], { client: 3, end: 'open' }),
  fault('kill', [110, 110], { client: 3 }),
  part(
    call('acquire', [70, 72], { outcome: 'no' }),
    call('acquire', [70, 80], { outcome: 'failed', waits: true, abortedAt: 79 }),
    call('acquire', [105, Infinity], { outcome: 'unknown', waits: true, client: 3 }),
  ),
]);

test('what happened is counted', () => {
  expect(counts(history)).toEqual({
    operations: 9,
    grants: 4,
    contended: 1,
    reentries: 1,
    refusals: 1,
    expiries: 2,
    losses: 1,
    cancelledWaits: 1,
    unknownOutcomes: 1,
    faults: 1,
  });
});

test('too little is told', () => {
  expect(isCounted(history, { contended: 1, losses: 1 })).toBe(true);
  expect(isCounted(history, { contended: 2 })).toBe(false);
  expect(missing(counts(history), { contended: 2, losses: 1 })).toEqual([
    'contended: 1, and at least 2 were to be',
  ]);
});

test('counts of many histories are added', () => {
  expect(sumCounts([counts(history), counts(history)])).toMatchObject({ grants: 8, faults: 2 });
  expect(sumCounts([])).toEqual(counts(historyOf([])));
});

test('a run says of each property what it looked at, and what it found', () => {
  const findings = checkAll(history, { kinds: ['lock'], bounds: SMALL });

  expect(findings.map(({ name }) => name)).toEqual(propertiesOf(['lock']).map(({ name }) => name));
  expect(violationsOf(findings)).toEqual([]);
  expect(Object.fromEntries(findings.map(({ name, checked }) => [name, checked]))).toMatchObject({
    'one holder at an instant': 4,
    'calls have an order': 1,
    'calls settle in time': 9,
  });
});

test('objects of other kinds are not looked at', () => {
  const bad = historyOf([hold('a', [0, 10, 50, 55]), hold('b', [20, 30, 40, 45])]);
  expect(violationsOf(checkAll(bad, { kinds: ['fair'] }))).toEqual([]);
  expect(violationsOf(checkAll(bad)).map(({ object }) => object)).toEqual(['x', 'x', 'x']);
});

test('the names of properties are their own, and every kind has some', () => {
  const names = PROPERTIES.map(({ name }) => name);
  expect(new Set(names).size).toBe(names.length);
  expect(KINDS.map((kind) => propertiesOf([kind]).length).every((count) => count >= 5)).toBe(true);
});

test('a violation of the order is told in words', () => {
  const bad = historyOf([hold('a', [0, 10, 50, 55]), hold('b', [20, 30, 40, 45])]);
  const [violation] = violationsOf(checkAll(bad)).filter(
    ({ property }) => property === 'calls have an order',
  );
  expect(violation?.text).toMatchInlineSnapshot(`
    "there is no order; the longest has 1 acts, and then no place for
      acquire, owner b, mode exclusive, token undefined [20 ms, 30 ms]
    its last acts are
      acquire, owner a, mode exclusive, token undefined [0 ms, 10 ms]"
  `);
});
