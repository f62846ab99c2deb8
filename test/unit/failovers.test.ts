// What `npm run failovers` counts, in made-up histories.

import { expect, test } from 'vitest';
import { countOf, overlapsOf, type Grant } from '../../scripts/failovers/count.mjs';
import { report, withTable } from '../../scripts/failovers/report.mjs';
import type { Result } from '../../scripts/failovers/run.mjs';

const DEAD_AT = 100;
const PROMOTED_AT = 200;

let holders = 0;

/** A grant that was held between two instants. */
function grant(heldFrom: number, heldUntil: number, more: Partial<Grant> = {}): Grant {
  holders += 1;
  const [holderId, client] = [`h${holders}`, `c${holders}`];
  const times = { askedAt: heldFrom - 2, grantedAt: heldFrom - 1, heldFrom, heldUntil };
  return { name: 'a', client, holderId, ...times, ...more };
}

const two = (client: string) => [grant(10, 50, { client: 'one' }), grant(40, 90, { client })];

const page = (text: string) =>
  `before\n\n<!-- failovers -->\n${text}<!-- /failovers -->\n\nafter\n`;

const cellsOf = (line: string) =>
  line
    .split('|')
    .slice(1, -1)
    .map((cell) => cell.trim());

const failover = (...kept: Grant[]) => ({
  heldAt: DEAD_AT,
  grantedUntil: PROMOTED_AT,
  kept: new Map(kept.map(({ name, holderId }) => [name, new Set([holderId])])),
});

test('two owners that were held at one time are one overlap, for as long as both were', () => {
  const [first, second] = [grant(10, 50), grant(42, 90)];

  expect(overlapsOf([second, first])).toEqual([{ first, second, ms: 8 }]);
});

test('owners that followed one another are none, nor are those of two names', () => {
  const grants = [grant(10, 50), grant(50, 60), grant(61, 90), grant(20, 80, { name: 'b' })];

  expect(overlapsOf(grants)).toEqual([]);
});

test('an owner that others have overlapped one after the other is one overlap with each', () => {
  const overlaps = overlapsOf([grant(10, 90), grant(20, 30), grant(40, 55), grant(95, 99)]);

  expect(overlaps.map(({ ms }) => ms)).toEqual([10, 15]);
});

test('a grant that never was seen as held overlaps nothing', () => {
  const { heldFrom: _, heldUntil: __, ...unseen } = grant(10, 90);

  expect(overlapsOf([unseen, grant(20, 30)])).toEqual([]);
});

test('a grant that was held at the kill, and that the new master does not have, is lost', () => {
  const [kept, lost] = [grant(10, 300), grant(20, 190, { name: 'b' })];

  expect(countOf([kept, lost], failover(kept))).toMatchObject({ grants: 2, held: 2, lost: 1 });
  expect(countOf([kept, lost], failover(kept, lost))).toMatchObject({ held: 2, lost: 0 });
});

test('a lock that the new master gives to another holder is lost for the first one', () => {
  const [lost, other] = [grant(10, 300), grant(20, 30)];

  expect(countOf([lost], failover(other))).toMatchObject({ held: 1, lost: 1 });
});

test('what was released before the kill, ended before it or came after the failover is not lost', () => {
  const released = grant(10, 95, { releasedAt: 96 });
  const ended = grant(20, 40);
  const later = grant(210, 300);

  expect(countOf([released, ended, later], failover())).toMatchObject({ held: 0, lost: 0 });
});

test('a release that was called when the master was gone did not make the loss', () => {
  const grants = [grant(10, 105, { releasedAt: 106 }), grant(110, 190, { name: 'b' })];

  expect(countOf(grants, failover())).toMatchObject({ held: 2, lost: 2 });
});

test('two owners in two clients break no promise, two in one client do', () => {
  expect(countOf(two('other'), failover()).broken).toEqual([]);
  expect(countOf(two('one'), failover()).broken).toEqual([
    'two owners of a in one client for 10 ms',
  ]);
});

test('a token that does not grow breaks a promise, except of a grant that was asked for before', () => {
  const first = grant(10, 20, { token: '7' });
  const later = (token: string) => countOf([grant(40, 50, { token }), first], failover()).broken;

  expect(later('8')).toEqual([]);
  expect(later('7')).toEqual(['a token of a did not grow: 7, later 7']);
  expect(later('6')).toEqual(['a token of a did not grow: 7, later 6']);
  expect(countOf([first, grant(12, 50, { token: '6', askedAt: 5 })], failover()).broken).toEqual(
    [],
  );
});

test('the table has a row for each kind of run, also between the marks of a page', () => {
  const lost = countOf(
    [
      grant(10, 300),
      grant(210, 250),
      grant(10, 90, { name: 'b', isFixed: true }),
      grant(85, 99, { name: 'b' }),
    ],
    failover(),
  );
  const plan = { topology: 'cluster', shape: 'lagging', replicas: false, seed: 1 } as const;
  const results: Result[] = [
    { ...plan, count: lost, problems: [] },
    { ...plan, count: lost, problems: [] },
    { ...plan, problems: ['it could not be carried out'] },
    { ...plan, replicas: true, count: countOf([], failover()), problems: [] },
  ];
  const rows = [
    ['cluster', 'lagging', 'no', '2', '8', '2', '2', '2', '4', '40 ms', '5.0 ms'],
    ['cluster', 'lagging', '1', '1', '0', '0', '0', '0', '0', '', ''],
  ];

  const written = withTable(page('old\n'), results, 'the command');
  expect(written).toMatch(/^before\n\n<!-- failovers -->\n\n`the command`:\n/);
  expect(written).toMatch(/\n\n<!-- \/failovers -->\n\nafter\n$/);
  const lines = written.split('\n').filter((line) => line.startsWith('| cluster'));
  expect(lines.map(cellsOf)).toEqual(rows);
  expect(withTable(written, results, 'the command')).toBe(written);
  expect(report(results)).toContain('40 ms');
  expect(() => withTable('no marks', results, '')).toThrow('no marks');
});
