// The mistakes of `npm run mutants` can still be made, and each of them is one.

import { existsSync, readFileSync } from 'node:fs';
import { dirname, relative } from 'node:path';
import { transformSync } from 'esbuild';
import { describe, expect, test } from 'vitest';
import { allSites, describeSite, sample } from '../../scripts/mutants/generated.mjs';
import { testsOfFolders } from '../../scripts/mutants/lua-tests.mjs';
import {
  changedBy,
  generatedMistakes,
  testsOfLua,
  withMistake,
} from '../../scripts/mutants/mistakes.mjs';
import { semanticMutants } from './semantic.mjs';
import { unnoticeable } from './unnoticeable.mjs';

const read = (file: string): string => readFileSync(file, 'utf8');
/** What is left of a source when it is compiled. */
const codeOf = (file: string, text: string): string =>
  file.endsWith('.ts')
    ? transformSync(text, { loader: 'ts' }).code
    : text.replaceAll(/^\s*--.*\n/gm, '');

describe('a mistake that somebody thought of', () => {
  test.each(semanticMutants)('$id: $mistake', (mutant) => {
    const { id, mistake: text, file, refusedBy } = mutant;
    const change = (source: string): string => withMistake(mutant, source);

    expect(codeOf(file, change(read(file)))).not.toBe(codeOf(file, read(file)));
    if (refusedBy !== undefined) {
      const mistake = { id, text, file, change, isGenerated: false };
      expect(changedBy(mistake, read).refusal).toBeDefined();
    }
  });

  test('has a name of its own, and tests that are there to find it', () => {
    const ids = semanticMutants.map(({ id }) => id);

    expect(new Set(ids).size).toBe(ids.length);
    expect(ids.length).toBeGreaterThanOrEqual(40);
    for (const { id, tests, refusedBy } of semanticMutants) {
      expect(tests.length > 0 || refusedBy !== undefined, id).toBe(true);
      expect(tests.filter((file) => !existsSync(file))).toEqual([]);
    }
  });
});

function keyOf(site: { file: string; line: string; to: string }): string {
  return JSON.stringify([site.file, site.line, site.to]);
}

describe('generated mistakes in Lua', () => {
  const sites = allSites();

  test('that nobody can notice can still be made, each at a place of its own', () => {
    const described = new Set<string>();
    const files = new Set(unnoticeable.map(({ file }) => file));
    for (const site of sites.filter(({ file }) => files.has(file))) {
      described.add(keyOf(describeSite(site, read(site.file))));
    }

    expect(unnoticeable.filter((each) => !described.has(keyOf(each)))).toEqual([]);
    expect(new Set(unnoticeable.map(keyOf)).size).toBe(unnoticeable.length);
  });

  test('are the same for the same seed, from all folders, and others for another seed', () => {
    const [one, again, other] = [1, 1, 2].map((seed) => sample(sites, 300, seed, () => true));

    expect(one).toEqual(again);
    expect(other).not.toEqual(one);
    expect(new Set(one).size).toBe(300);
    const folders = new Set(one?.map(({ file }) => file.replace(/\/[^/]*$/, '')));
    const every = new Set(sites.map(({ file }) => file.replace(/\/[^/]*$/, '')));
    expect([...every].filter((folder) => !folders.has(folder))).toEqual([]);
  });

  test('stay the sample when a few places come or go', () => {
    const whole = new Set(sample(sites, 300, 1, () => true));
    const fewer = sites.filter((_, i) => i % 200 !== 7);

    const kept = sample(fewer, 300, 1, () => true).filter((site) => whole.has(site));

    expect(kept.length).toBeGreaterThan(280);
  });

  test('are of every sort: comparisons, commands, messages, numbers', () => {
    const sorts = new Set(sites.map(({ operator }) => operator));

    expect([...sorts].toSorted((a, b) => a.localeCompare(b))).toEqual([
      'arithmetic',
      'boolean',
      'call',
      'comparison',
      'condition',
      'logic',
      'number',
      'publish',
    ]);
  });

  test('have the tests of the folders whose scripts they change', () => {
    const [one] = generatedMistakes(1, 1);
    const testsOf = (file: string, from: string, to: string): string[] =>
      testsOfLua({ ...one!, file, change: (text) => text.replace(from, to) }, read);

    const ofOne = testsOf('lua/latch/delete.lua', 'redis.call', 'redis.pcall');
    expect(ofOne).toContain('test/integration/latch/latch.test.ts');
    expect(ofOne).not.toContain('test/integration/quorum/fencing.test.ts');
    const ofMany = testsOf('lua/constants.lua', 'return {', 'return  {');
    expect(ofMany).toContain('test/integration/scripts/counts.test.ts');
    expect(ofMany.filter((path) => !existsSync(path))).toEqual([]);
  });

  test('have such tests in each folder', () => {
    const folders = new Set(sites.map(({ file }) => dirname(relative('lua', file))));
    const common = testsOfFolders(new Set());

    for (const folder of [...folders].filter((each) => each !== '.' && each !== 'lib')) {
      expect(testsOfFolders(new Set([folder])).length, folder).toBeGreaterThan(common.length);
    }
  });
});
