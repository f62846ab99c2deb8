import { expect, test } from 'vitest';
import { reportCharts } from '../../bench/lib/charts.mjs';

const contended = {
  what: 'one lock',
  processes: 4,
  tasks: 25,
  holdMs: 0,
  jain: 1,
  overlaps: 0,
  rates: [],
};
const CHART = {
  title: '1,000 waiters',
  hint: 'Less is better.',
  label: 'commands',
  isLessBetter: true,
};
const DETAILS = [
  { side: 'ours', loops: 100, p50: 1, cpu: 0.5, rate: 1.25 },
  { side: 'redlock 5', loops: 100, p50: 1, cpu: 1.75, rate: 0.8 },
  { ...contended, contender: 'direct', perSecond: 77_187, longestMs: 16 },
  { ...contended, contender: 'Redisson', perSecond: 546, longestMs: 1_193 },
  { chart: CHART, name: 'ours', amount: 1.5 },
  { chart: CHART, name: 'redlock 4', amount: 61.25 },
];

test('the page of charts shows each library with its figures, and needs nothing from elsewhere', () => {
  const rows = DETAILS.map((details) => ({ figure: '', value: 0, measured: '', details }));
  const outcome = { rows, quick: false, isOfPeers: true, server: 'redis 7', ms: 1_000 };

  const page = reportCharts(outcome, 'two cores');

  const texts = [...page.matchAll(/<text[^>]*>([^<]+)<\/text>/g)].map(([, text]) => text);
  expect(texts).toEqual(
    expect.arrayContaining(['redlatch', 'redlock 5', '0.50', '1.75', '1.25', '0.80']),
  );
  expect(texts).toEqual(expect.arrayContaining(['Redisson', '77,187', '546', '16', '1,193']));
  expect(texts).toEqual(expect.arrayContaining(['1.50', '61']));
  expect(page.match(/<figure>/g)).toHaveLength(5);
  expect(page).toContain('One lock, 25 waiters in each of 4 processes: longest wait');
  expect(page).not.toMatch(/\b(?:src|href)=/);
});
