// The lint rules of our own find what they are for, and nothing else.

import { parseSync, Visitor, type VisitorObject } from 'oxc-parser';
import { describe, expect, test } from 'vitest';
import plugin from '../../scripts/lint-rules.mjs';

type Rule = keyof typeof plugin.rules;

/** What a rule has to say about a source. */
function faults(rule: Rule, source: string): string[] {
  const found: string[] = [];
  const report = ({ message }: { message: string }) => found.push(message);
  const visitor = plugin.rules[rule].create({ filename: 'source.ts', report });
  const { program, errors } = parseSync('source.ts', source);
  expect(errors).toEqual([]);
  new Visitor(visitor as VisitorObject).visit(program);
  return found;
}

describe('no text depends on what a class is called at run time', () => {
  test.each([
    'class A { constructor() { this.title = new.target.name; } }',
    'const title = thing.constructor.name;',
    "const title = thing['constructor'].name;",
    'const { constructor: made } = thing;',
    'const title = LeaseLostError.name;',
    'class LostError extends Error {}',
    "class LostError extends Error { override readonly name = 'LostError'; }",
    "class LostError extends Error { static override readonly name = 'LostError'; }",
    "class LostError extends Error { static override readonly name = 'LossError'; readonly name = 'LostError'; }",
    "class LostError extends BaseError { static override readonly name = 'LostError'; readonly name = 'Other'; }",
    'const made = class extends Error {};',
  ])('refused: %s', (source) => {
    expect(faults('literal-names', source)).toEqual([expect.stringMatching(/^A minified bundle/)]);
  });

  test.each([
    'class A { readonly name: string; constructor(name: string) { this.name = name; } }',
    'const title = error.name;',
    'const title = script.name + names.NAME;',
    "class LostError extends Error { static override readonly name = 'LostError'; readonly name = 'LostError'; }",
    "abstract class Base extends Error { static override readonly name: string = 'Base'; abstract override readonly name: string; }",
    'class Fast extends Queue {}',
  ])('allowed: %s', (source) => {
    expect(faults('literal-names', source)).toEqual([]);
  });
});

describe('no array is spread into arguments', () => {
  test.each([
    ['push(...all)', 1],
    ['new Set(...all)', 1],
    ['push([...all])', 0],
  ])('%s', (source, count) => {
    expect(faults('no-spread-arguments', source).length).toBe(count);
  });
});
