// @ts-check
// The numbers and words that have a name in lua/: scripts get the value when they are compiled, and what
// the client has to know as well goes into the generated module.
import { isGlobal, lineOf, parse, visits } from './check.mjs';

/**
 * @typedef {import('luaparse').Expression} Expression
 * @typedef {import('luaparse').Chunk} Chunk
 * @typedef {import('./header.mjs').Report} Report
 * @typedef {object} Constant
 * @property {string} value as scripts have it
 * @property {number} line
 * @property {string} [meaning] of one that the client has to know
 */

const NAME = /^[A-Z][A-Z0-9]*(_[A-Z0-9]+)+$/;
/** A word in single quotes, as TypeScript writes it too. */
const WORD = /^'[a-z]+'$/;
const FOR_CLIENT = 'client: ';
/** Larger numbers have a name. */
const BARE_MAX = 999;
/** But for the units of time, and nothing else. */
const UNITS = new Set([1_000, 1_000_000]);

/**
 * @param {Expression} value
 * @returns {string | undefined} the text of a number or a word; undefined of anything else
 */
function valueOf(value) {
  if (value.type === 'NumericLiteral') {
    return value.raw;
  }
  if (value.type === 'StringLiteral' && WORD.test(value.raw)) {
    return value.raw;
  }
  const isNegative = value.type === 'UnaryExpression' && value.operator === '-';
  return isNegative && value.argument.type === 'NumericLiteral'
    ? `-${value.argument.raw}`
    : undefined;
}

/**
 * Reads lua/constants.lua: one table, with a comment above each constant.
 * @param {string} text
 * @param {Report} report
 * @returns {Map<string, Constant>}
 */
export function readConstants(text, report) {
  /** @type {Map<string, Constant>} */
  const constants = new Map();
  const chunk = parse(text, report);
  const [statement] = chunk?.body ?? [];
  const [table] = statement?.type === 'ReturnStatement' ? statement.arguments : [];
  if (table?.type !== 'TableConstructorExpression') {
    report(1, 'expected one table: return { NAME = value, ... }');
    return constants;
  }
  const lines = text.split('\n');
  for (const field of table.fields) {
    const line = lineOf(field);
    const name = field.type === 'TableKeyString' ? field.key.name : '';
    const value = valueOf(field.value);
    const comment = /^\s*-- (?<words>.+)$/.exec(lines[line - 2] ?? '')?.groups?.['words'];
    if (!NAME.test(name) || value === undefined) {
      report(line, 'expected NAME_OF_SEVERAL_WORDS = number, or a lower-case word');
    } else if (comment === undefined) {
      report(line, `a comment above ${name} must say what it is`);
    } else {
      const meaning = comment.startsWith(FOR_CLIENT) ? comment.slice(FOR_CLIENT.length) : undefined;
      constants.set(name, { value, line, ...(meaning !== undefined && { meaning }) });
    }
  }
  return constants;
}

/**
 * A number that means something has its name.
 * @param {Chunk} chunk
 * @param {Report} report
 */
export function checkNumbers(chunk, report) {
  for (const { node, parents } of visits(chunk)) {
    if (node.type !== 'NumericLiteral' || node.value <= BARE_MAX) {
      continue;
    }
    const [parent] = parents;
    const converts =
      parent?.type === 'BinaryExpression' && (parent.operator === '*' || parent.operator === '/');
    if (!(converts && UNITS.has(node.value))) {
      report(lineOf(node), `${node.raw} must have a name: add it to constants.lua`);
    }
  }
}

/**
 * @param {Chunk} chunk
 * @param {Map<string, Constant>} constants
 * @returns {string[]} those that a file reads
 */
export function constantsIn(chunk, constants) {
  const names = [...visits(chunk)].flatMap(({ node }) => (isGlobal(node) ? node.name : []));
  return [...new Set(names)].filter((name) => constants.has(name));
}

/**
 * @param {string} line of code
 * @param {Map<string, Constant>} constants
 */
export function withConstants(line, constants) {
  return line.replaceAll(/\b[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+\b/g, (name) => {
    return constants.get(name)?.value ?? name;
  });
}
