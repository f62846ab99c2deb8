// Each row of the table in docs/guarantees.md is judged for every deployment, and never better than there.

import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { faultsOf, type Deployment, type FaultGuarantee } from '../../src/guarantees/faults.js';

type Verdict = FaultGuarantee['twoOwners'];

/** The faults in their order, and what the table says of two owners. */
const table = new Map<string, string>();
const text = readFileSync(new URL('../../docs/guarantees.md', import.meta.url), 'utf8');
for (const [, fault = '', one = ''] of text.matchAll(/^\| \d+ +\| (.*?) +\| (\w+)/gmu)) {
  table.set(fault, one);
}

const topologies = ['single', 'sentinel', 'cluster'] as const;
const levels = ['none', 'snapshot', 'everysec', 'always', null] as const;
const deployments: Deployment[] = topologies.flatMap((topology) =>
  [0, 2, null].flatMap((replicas) =>
    levels.flatMap((persistence) =>
      [0, 100, null].flatMap((maxmemory) =>
        ['noeviction', 'allkeys-lru', null].map((policy) => ({
          topology,
          replicas,
          persistence,
          memory: { maxmemory, policy },
        })),
      ),
    ),
  ),
);

const best: Deployment = {
  topology: 'single',
  replicas: 0,
  persistence: 'always',
  memory: { maxmemory: 0, policy: 'noeviction' },
};

function verdict(fault: string, ...masters: Deployment[]): Verdict | undefined {
  return faultsOf(masters).find((each) => each.fault === fault)?.twoOwners;
}

test('the rows are those of the table, each with a sentence', () => {
  const faults = faultsOf([best]);

  expect(table.size).toBeGreaterThan(20);
  expect(faults.map(({ fault }) => fault)).toEqual([...table.keys()]);
  for (const each of faults) {
    expect(each.text).toMatch(/^.+[.)]$/u);
  }
});

test.each([...table])('%s: the table says %s, and some deployment shows it', (fault, one) => {
  const verdicts = new Set(deployments.map((each) => verdict(fault, each)));

  // "May" stands for what no deployment can rule out by being what it is, or that some cannot.
  expect(verdicts.has('may')).toBe(one === 'may');
  expect(one === 'yes' ? [...verdicts] : ['never']).toEqual(['never']);
});

test('only what nobody can rule out may happen with the best deployment', () => {
  const rest = faultsOf([best]).filter(({ twoOwners }) => twoOwners !== 'never');

  expect(rest.map(({ fault }) => fault)).toEqual([
    'FLUSHALL',
    'server clock forward',
    'ended by another client',
  ]);
});

test('what may happen with one master may happen, and weighs more than what is hidden', () => {
  const hidden: Deployment = {
    ...best,
    persistence: null,
    memory: { maxmemory: null, policy: null },
  };
  const bad: Deployment = {
    ...best,
    persistence: 'none',
    memory: { maxmemory: 1, policy: 'volatile-lru' },
  };

  for (const fault of ['restart, writes lost', 'eviction']) {
    expect(verdict(fault, best, best)).toBe('never');
    expect(verdict(fault, best, hidden)).toBe('unknown');
    expect(verdict(fault, best, hidden, bad)).toBe('may');
  }
});

test.each([
  [0, null, 'never'],
  [null, 'noeviction', 'never'],
  [null, 'allkeys-lru', 'unknown'],
  [100, null, 'unknown'],
  [100, 'volatile-ttl', 'may'],
])('maxmemory %s and policy %s: two owners %s', (maxmemory, policy, expected) => {
  expect(verdict('eviction', { ...best, memory: { maxmemory, policy } })).toBe(expected);
});

test.each([
  ['single', 0, 'never'],
  ['single', 1, 'may'],
  ['sentinel', 0, 'may'],
  ['cluster', 0, 'may'],
  ['cluster', null, 'unknown'],
] as const)('a failover of %s with %s replicas: two owners %s', (topology, replicas, expected) => {
  expect(verdict('failover, writes lost', { ...best, topology, replicas })).toBe(expected);
});
