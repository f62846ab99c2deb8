// @ts-check
// Every place of a Lua source where a small mistake can be made, and the mistake.

import luaparse from 'luaparse';

/**
 * @typedef {{ type: string, range: [number, number] } & Record<string, unknown>} Node
 * @typedef {{ operator: string, start: number, end: number, to: string }} Mistake `to` stands there instead
 * @typedef {Mistake & { file: string }} Site
 */

/** @type {Record<string, string[]>} */
const BINARY = {
  '<': ['<=', '>='],
  '<=': ['<', '>'],
  '>': ['>=', '<='],
  '>=': ['>', '<'],
  '==': ['~='],
  '~=': ['=='],
  '+': ['-'],
  '-': ['+'],
  '*': ['/'],
  '/': ['*'],
  '%': ['*'],
  and: ['or'],
  or: ['and'],
};

/** @param {unknown} value
 * @returns {value is Node} */
const isNode = (value) => typeof value === 'object' && value !== null && 'type' in value;

/** @param {Node} node
 * @param {(node: Node) => void} visit */
function walk(node, visit) {
  visit(node);
  for (const value of Object.values(node)) {
    for (const child of Array.isArray(value) ? value : [value]) {
      if (isNode(child)) {
        walk(child, visit);
      }
    }
  }
}

/** @param {number} value */
function otherNumbers(value) {
  return value === 0 ? ['1'] : value === 1 ? ['0', '2'] : [String(value - 1), String(value + 1)];
}

/** `return notify(reply, ...)`: what is published, is not.
 * @param {Node} node
 * @param {string} text
 * @returns {Mistake[]} */
function unpublished(node, text) {
  const [call] = /** @type {Node[]} */ (node['arguments']);
  if (call?.type !== 'CallExpression') {
    return [];
  }
  const name = String(/** @type {Node} */ (call['base'])['name']);
  const [reply] = /** @type {Node[]} */ (call['arguments']);
  if (!name.startsWith('notify') || reply === undefined) {
    return [];
  }
  const [start, end] = call.range;
  return [{ operator: 'publish', start, end, to: text.slice(...reply.range) }];
}

/**
 * @param {Node} node
 * @param {string} text
 * @returns {Mistake[]}
 */
function mistakesAt(node, text) {
  const [start, end] = node.range;
  switch (node.type) {
    case 'BinaryExpression':
    case 'LogicalExpression': {
      const left = /** @type {Node} */ (node['left']);
      const right = /** @type {Node} */ (node['right']);
      const operator = String(node['operator']);
      // Parentheses are no nodes: the operator is the first of its kind behind the left side.
      const between = text.slice(left.range[1], right.range[0]);
      const at = left.range[1] + between.search(/[^\s)]/);
      const name = /and|or/.test(operator)
        ? 'logic'
        : /[<>=]/.test(operator)
          ? 'comparison'
          : 'arithmetic';
      return text.startsWith(operator, at)
        ? (BINARY[operator] ?? []).map((to) => ({
            operator: name,
            start: at,
            end: at + operator.length,
            to,
          }))
        : [];
    }
    case 'IfClause':
    case 'ElseifClause': {
      const [from, to] = /** @type {Node} */ (node['condition']).range;
      return [{ operator: 'condition', start: from, end: to, to: `not (${text.slice(from, to)})` }];
    }
    case 'CallStatement':
      return [{ operator: 'call', start, end, to: '' }];
    case 'ReturnStatement':
      return unpublished(node, text);
    case 'NumericLiteral':
      return otherNumbers(Number(node['value'])).map((to) => ({
        operator: 'number',
        start,
        end,
        to,
      }));
    case 'BooleanLiteral':
      return [{ operator: 'boolean', start, end, to: String(node['value'] !== true) }];
    default:
      return [];
  }
}

/** Which arguments and keys a script reads is checked by types: a number in `ARGV[3]` is no place.
 * @param {string} text
 * @param {Mistake} mistake */
function isOperand(text, { operator, start }) {
  return operator === 'number' && /(?:KEYS|ARGV)\[$/.test(text.slice(0, start));
}

/**
 * @param {string} file
 * @param {string} text
 * @returns {Site[]}
 */
export function sitesInLua(file, text) {
  const chunk = luaparse.parse(text, { luaVersion: '5.1', ranges: true, comments: false });
  /** @type {Site[]} */
  const sites = [];
  walk(/** @type {Node} */ (/** @type {unknown} */ (chunk)), (node) => {
    for (const mistake of mistakesAt(node, text)) {
      if (!isOperand(text, mistake)) {
        sites.push({ file, ...mistake });
      }
    }
  });
  return sites;
}
