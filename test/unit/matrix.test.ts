// Which combinations of a server, a release of Node.js and a driver the matrix runs, and how it reports them.

import { existsSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { NODE_RELEASES } from '../../scripts/lib/nodes.mjs';
import { pairs, product } from '../../scripts/matrix/cells.mjs';
import { report, reportPage, type Outcome } from '../../scripts/matrix/report.mjs';
import { DRIVERS, SUITES } from '../../scripts/matrix/run.mjs';
import { RELEASES } from '../../scripts/matrix/servers.mjs';

const servers = RELEASES.map(({ name }) => name);
const drivers = [...DRIVERS.keys()];
const cells = pairs(servers, NODE_RELEASES, drivers);

const count = (wanted: string): number =>
  cells.filter((cell) => Object.values(cell).includes(wanted)).length;

test('each server, release of Node.js and driver is in two cells at least', () => {
  for (const name of [...servers, ...NODE_RELEASES, ...drivers]) {
    expect([name, count(name) >= 2]).toEqual([name, true]);
  }
  expect(cells).toHaveLength(2 * servers.length);
});

test('each release meets each driver, and the two cells of a server differ in both', () => {
  const met = new Set(cells.map(({ node, driver }) => `${node} ${driver}`));

  expect(met.size).toBe(NODE_RELEASES.length * drivers.length);
  for (const name of servers) {
    const own = cells.filter(({ server }) => server === name);
    expect(new Set(own.map(({ node }) => node)).size).toBe(2);
    expect(new Set(own.map(({ driver }) => driver)).size).toBe(2);
  }
});

test('pairs of few values are those that there are, once each', () => {
  expect(pairs(['a'], ['b'], ['c'])).toEqual([{ server: 'a', node: 'b', driver: 'c' }]);
  expect(pairs(['a'], ['b'], [])).toEqual([]);
  expect(pairs(['a'], ['b', 'c'], ['d']).map(({ node }) => node)).toEqual(['b', 'c']);
});

test('the product has every combination once', () => {
  const all = product(servers, NODE_RELEASES, drivers).map((cell) => JSON.stringify(cell));

  expect(new Set(all).size).toBe(servers.length * NODE_RELEASES.length * drivers.length);
  expect(all).toHaveLength(new Set(all).size);
});

test('the suites are folders of tests, and there is a release of each major that is supported', () => {
  const { engines } = JSON.parse(readFileSync('package.json', 'utf8')) as {
    engines: { node: string };
  };

  expect(SUITES.filter((suite) => !existsSync(`test/${suite}`))).toEqual([]);
  expect(NODE_RELEASES[0]).toBe(engines.node.replace('>=', ''));
  expect(NODE_RELEASES.map((release) => release.split('.')[0])).toEqual(['20', '22', '24', '26']);
});

const outcome: Outcome = {
  results: [
    {
      server: 'valkey 9.1.2',
      node: '22.23.3',
      driver: 'iovalkey',
      suites: ['contract'],
      passed: 762,
      alone: 2,
      failed: 1,
      skipped: 0,
      ms: 30_400,
    },
  ],
  missing: [{ name: 'redis 8.0', reason: 'Error: apt-get: no network' }],
};

test('a report names what failed, and what was not run with the reason', () => {
  const notRun = 'not run: redis 8.0: Error: apt-get: no network';

  expect(report(outcome)).toContain(notRun);
  expect(report(outcome)).toMatch(/valkey 9\.1\.2.*22\.23\.3.*iovalkey.*762.*1.*30/u);
  expect(reportPage(outcome)).toContain(`- ${notRun}\n`);
  expect(reportPage(outcome)).toContain('1 combination, 1 of which failed');
  expect(reportPage(outcome)).toContain(
    [
      '| server       | Node.js | driver   | suites   | passed | alone | failed | skipped | s   |',
      '| ------------ | ------- | -------- | -------- | ------ | ----- | ------ | ------- | --- |',
      '| valkey 9.1.2 | 22.23.3 | iovalkey | contract | 762    | 2     | 1      | 0       | 30  |',
    ].join('\n'),
  );
});
