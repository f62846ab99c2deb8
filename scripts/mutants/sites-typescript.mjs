// @ts-check
// Every place of a TypeScript source where a small mistake can be made, and the mistake.

import { functionsIn, isNode, treeOf, walk } from './walk.mjs';

/**
 * @typedef {import('./walk.mjs').Node} Node
 * @typedef {object} Site
 * @property {string} file
 * @property {string} operator
 * @property {number} start
 * @property {number} end
 * @property {string} to what stands there instead
 * @property {string} [inside] the function around it, as `functionsIn` names it
 */

/** @type {Record<string, string[]>} */
const BINARY = {
  '<': ['<=', '>='],
  '<=': ['<', '>'],
  '>': ['>=', '<='],
  '>=': ['>', '<'],
  '===': ['!=='],
  '!==': ['==='],
  '+': ['-'],
  '-': ['+'],
  '*': ['/'],
  '/': ['*'],
  '%': ['*'],
};

/** @type {Record<string, string>} */
const LOGICAL = { '&&': '||', '||': '&&' };

/** @type {Record<string, string>} */
const ASSIGNMENT = { '+=': '-=', '-=': '+=', '||=': '&&=', '&&=': '||=' };

/** What logs and errors show: nobody relies on it word by word. */
const FOR_PEOPLE = /\.(toJSON|get label|get message|message)$|[Mm]essage$/;

/** @param {string} text
 * @param {Node} left
 * @param {Node} right
 * @param {string} operator */
function operatorAt(text, left, right, operator) {
  const start = text.indexOf(operator, left.end);
  return start >= 0 && start < right.start ? start : undefined;
}

/** @param {unknown} node */
const isText = (node) =>
  isNode(node) &&
  (node.type === 'TemplateLiteral' ||
    (node.type === 'Literal' && typeof node['value'] === 'string'));

/** @param {Node} node
 * @returns {boolean} */
function isTextual(node) {
  const parts = [node['left'], node['right']];
  return parts.some(
    (part) => isText(part) || (isNode(part) && part.type === 'BinaryExpression' && isTextual(part)),
  );
}

/** @param {number} value */
function otherNumbers(value) {
  return value === 0 ? ['1'] : value === 1 ? ['0', '2'] : ['0', String(value + 1)];
}

/**
 * @param {Node} node
 * @param {string} text
 * @returns {{ operator: string, start: number, end: number, to: string }[]}
 */
function mistakesAt(node, text) {
  const { type, start, end } = node;
  const own = text.slice(start, end);
  const left = /** @type {Node} */ (node['left']);
  const right = /** @type {Node} */ (node['right']);
  const operator = String(node['operator']);
  const replaceOperator = (/** @type {string} */ name, /** @type {string[]} */ others) => {
    const at = operatorAt(text, left, right, operator);
    return at === undefined
      ? []
      : others.map((to) => ({ operator: name, start: at, end: at + operator.length, to }));
  };
  switch (type) {
    case 'BinaryExpression':
      return operator === '+' && isTextual(node)
        ? []
        : replaceOperator(
            /[<>=]/.test(operator) ? 'comparison' : 'arithmetic',
            BINARY[operator] ?? [],
          );
    case 'LogicalExpression':
      return operator === '??'
        ? [{ operator: 'alternative', start, end, to: `(${text.slice(right.start, right.end)})` }]
        : replaceOperator('logic', [LOGICAL[operator] ?? operator]);
    case 'AssignmentExpression':
      return operator in ASSIGNMENT
        ? replaceOperator('assignment', [ASSIGNMENT[operator] ?? ''])
        : [];
    case 'IfStatement':
    case 'ConditionalExpression': {
      const test = /** @type {Node} */ (node['test']);
      const to = `!(${text.slice(test.start, test.end)})`;
      return [{ operator: 'condition', start: test.start, end: test.end, to }];
    }
    case 'ExpressionStatement': {
      let inner = /** @type {Node} */ (node['expression']);
      const found = [];
      if (inner.type === 'AwaitExpression') {
        const argument = /** @type {Node} */ (inner['argument']);
        found.push({ operator: 'await', start: inner.start, end: argument.start, to: 'void ' });
        inner = argument;
      }
      if (inner.type === 'ChainExpression') {
        inner = /** @type {Node} */ (inner['expression']);
      }
      const isSuper = own.startsWith('super(');
      const isCall = inner.type === 'CallExpression' && !isSuper;
      const isAssignment = inner.type === 'AssignmentExpression' && own.startsWith('this.');
      if (isCall || isAssignment) {
        found.push({ operator: isCall ? 'call' : 'assigned', start, end, to: ';' });
      }
      return found;
    }
    case 'ReturnStatement':
      return node['argument'] === null ? [{ operator: 'return', start, end, to: ';' }] : [];
    case 'Literal':
      if (typeof node['value'] === 'boolean') {
        return [{ operator: 'boolean', start, end, to: String(!node['value']) }];
      }
      if (typeof node['value'] === 'number') {
        return otherNumbers(node['value']).map((to) => ({ operator: 'number', start, end, to }));
      }
      return [];
    default:
      return [];
  }
}

/** Constructors only keep what they are given: without that nothing works at all.
 * @param {string} name
 * @param {string} operator */
const isPlainKeeping = (name, operator) => name.endsWith('.constructor') && operator === 'assigned';

/** A default that only the compiler asks for, since an index may be out of range: `= 0` in
 * `[one = 0]`, and `?? 0` behind `all[i]`.
 * @param {readonly Node[]} parents */
function isForCompiler(parents) {
  const [around, parent] = parents.slice(-2);
  const left = parent?.['left'];
  return (
    (parent?.type === 'AssignmentPattern' && around?.type === 'ArrayPattern') ||
    (parent?.['operator'] === '??' && isNode(left) && left['computed'] === true)
  );
}

/**
 * @param {string} file
 * @param {string} text
 * @returns {Site[]}
 */
export function sitesInTypeScript(file, text) {
  const tree = treeOf(file, text);
  const names = functionsIn(tree);
  /** @type {Site[]} */
  const sites = [];
  walk(tree, (node, parents) => {
    const around = parents.findLast((parent) => names.has(parent));
    const inside = around && names.get(around);
    const isForPeople = parents.some(
      (parent) =>
        parent.type === 'ThrowStatement' ||
        parent.type === 'TemplateLiteral' ||
        (parent.type === 'NewExpression' &&
          /Error\b/.test(text.slice(parent.start, parent.start + 40))),
    );
    const isDefault = node.type === 'Literal' && isForCompiler(parents);
    if (isForPeople || isDefault || FOR_PEOPLE.test(inside ?? '')) {
      return;
    }
    for (const { operator, ...mistake } of mistakesAt(node, text)) {
      if (!isPlainKeeping(inside ?? '', operator)) {
        sites.push({ file, operator, ...mistake, ...(inside === undefined ? {} : { inside }) });
      }
    }
  });
  return sites;
}
