// @ts-check
// TypeScript sources as trees, and the functions in them by name.

import { parseSync, visitorKeys } from 'oxc-parser';

/**
 * @typedef {{ type: string, start: number, end: number } & Record<string, unknown>} Node
 * @typedef {{ node: Node, parents: readonly Node[] }} Place
 */

const FUNCTIONS = new Set(['FunctionDeclaration', 'FunctionExpression', 'ArrowFunctionExpression']);

/**
 * @param {string} file
 * @param {string} text
 * @returns {Node}
 */
export function treeOf(file, text) {
  const { program, errors } = parseSync(file, text);
  if (errors[0] !== undefined) {
    throw new Error(`${file}: ${errors[0].message}`);
  }
  return /** @type {Node} */ (/** @type {unknown} */ (program));
}

/** @param {unknown} value
 * @returns {value is Node} */
export function isNode(value) {
  return typeof value === 'object' && value !== null && 'type' in value && 'start' in value;
}

/**
 * Calls `visit` with each node and its parents, the nearest last. Types are left out: nothing in
 * them runs.
 *
 * @param {Node} node
 * @param {(node: Node, parents: readonly Node[]) => void} visit
 * @param {readonly Node[]} parents
 */
export function walk(node, visit, parents = []) {
  if (node.type.startsWith('TS') && !/^TS(As|Satisfies|NonNull)/.test(node.type)) {
    return;
  }
  visit(node, parents);
  const inner = [...parents, node];
  for (const key of visitorKeys[node.type] ?? []) {
    const value = node[key];
    for (const child of Array.isArray(value) ? value : [value]) {
      if (isNode(child)) {
        walk(child, visit, inner);
      }
    }
  }
}

/** @param {unknown} key */
function keyName(key) {
  const name = isNode(key) ? (key['name'] ?? key['value']) : '';
  return typeof name === 'string' ? name : '[computed]';
}

/**
 * @param {Node} node
 * @param {readonly Node[]} parents
 */
function ownName(node, parents) {
  const parent = parents.at(-1);
  if (parent?.type === 'MethodDefinition' || parent?.type === 'PropertyDefinition') {
    const owner = parents.findLast(({ type }) => /^Class(Decl|Expr)/.test(type));
    const kind = parent['kind'] === 'get' ? 'get ' : '';
    const mark = isNode(parent['key']) && parent['key'].type === 'PrivateIdentifier' ? '#' : '';
    return `${keyName(owner && owner['id'])}.${kind}${mark}${keyName(parent['key'])}`;
  }
  return parent?.type === 'VariableDeclarator' ? keyName(parent['id']) : keyName(node['id']);
}

/**
 * The functions of a file, each with a name that stays when lines are added elsewhere: that of its
 * class and method, and for functions inside of these their number.
 *
 * @param {Node} tree
 * @returns {Map<Node, string>}
 */
export function functionsIn(tree) {
  /** @type {Map<Node, string>} */
  const names = new Map();
  /** @type {Map<string, number>} */
  const counts = new Map();
  walk(tree, (node, parents) => {
    if (!FUNCTIONS.has(node.type) || !isNode(node['body'])) {
      return;
    }
    const around = parents.findLast((parent) => names.has(parent));
    const own = ownName(node, parents);
    const stem = around === undefined ? own : names.get(around);
    const count = (counts.get(`${stem}`) ?? 0) + 1;
    if (around === undefined) {
      names.set(node, own === '' ? `function ${count}` : own);
    } else {
      names.set(node, `${stem}>${count}`);
    }
    counts.set(`${stem}`, around === undefined && own !== '' ? 0 : count);
  });
  return names;
}
