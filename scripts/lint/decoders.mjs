// @ts-check
// What decoders may throw. A decoder that throws leaves the outcome of its call open where a reply was lost
// before, so it throws nothing but UnexpectedReplyError; a refusal that it was answered is a value.

import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { functionsIn, isNode, treeOf, walk } from './walk.mjs';

/**
 * @typedef {import('./walk.mjs').Node} Node
 * @typedef {object} Source a file, and what is found in it by name
 * @property {string} file
 * @property {Map<string, Node>} functions
 * @property {Map<string, { file: string, name: string }>} imports
 * @property {Node} tree
 * @typedef {{ node: Node, message: string }} Found
 */

const MESSAGE =
  'A decoder throws nothing but UnexpectedReplyError: whatever else it throws leaves the outcome of the ' +
  'call open where a reply was lost before. Return a Refused (core/wire/call.ts).';

/** @type {Map<string, Source>} */
const sources = new Map();

/** The name that a node itself has. @param {unknown} node */
const nameOf = (node) => (isNode(node) && typeof node['name'] === 'string' ? node['name'] : '');

/** @param {unknown} node @param {string} key */
const named = (node, key) => (isNode(node) ? nameOf(node[key]) : '');

/** Whether an error thrown in `inner` is caught by `parent`.
 * @param {Node} parent @param {Node} inner */
const catches = (parent, inner) =>
  parent.type === 'TryStatement' && isNode(parent['handler']) && parent['block'] === inner;

/** @param {string} file @returns {Source} */
function sourceOf(file) {
  let source = sources.get(file);
  if (source === undefined) {
    source = readSource(file);
    sources.set(file, source);
  }
  return source;
}

/** @param {string} file @returns {Source} */
function readSource(file) {
  const tree = treeOf(file, readFileSync(file, 'utf8'));
  /** @type {Map<string, Node>} */
  const functions = new Map();
  for (const [node, name] of functionsIn(tree)) {
    // A method is known by its own name: what it is called on is not.
    functions.set(name.replace(/^.*\.(?:get )?#?/, ''), node);
  }
  /** @type {Source['imports']} */
  const imports = new Map();
  walk(tree, (node) => {
    if (node.type !== 'ImportDeclaration' || !isNode(node['source'])) {
      return;
    }
    const path = join(dirname(file), String(node['source']['value']).replace(/\.js$/, '.ts'));
    const specifiers = /** @type {Node[]} */ (node['specifiers'] ?? []);
    for (const each of existsSync(path) ? specifiers : []) {
      imports.set(named(each, 'local'), { file: path, name: named(each, 'imported') });
    }
  });
  return { file, functions, imports, tree };
}

/** The decoders of a file: whatever is called `decode`. @param {Source} source */
function decodersOf({ tree }) {
  /** @type {Node[]} */
  const decoders = [];
  walk(tree, (node) => {
    if (
      /^(?:Property|(?:Method|Property)Definition|VariableDeclarator|FunctionDeclaration)$/.test(
        node.type,
      )
    ) {
      const name = named(node, 'key') || named(node, 'id');
      const value = node.type === 'FunctionDeclaration' ? node : (node['value'] ?? node['init']);
      if (name === 'decode' && isNode(value)) {
        decoders.push(value);
      }
    }
  });
  return decoders;
}

/** Whether `thrown` is an UnexpectedReplyError, or what a function returns that makes one.
 * @param {Source} source @param {unknown} thrown */
function isUnexpected({ functions }, thrown) {
  const name = named(thrown, 'callee');
  if (isNode(thrown) && thrown.type === 'NewExpression') {
    return name === 'UnexpectedReplyError';
  }
  const maker = functions.get(name);
  const made = maker && JSON.stringify(maker['body']);
  return made?.includes('"name":"UnexpectedReplyError"') === true;
}

/** Where `node`, or a function that it uses, throws anything else.
 * @param {Source} source @param {Node} node @param {Set<unknown>} seen @returns {Node[]} */
function throwsIn(source, node, seen) {
  if (seen.has(node)) {
    return [];
  }
  seen.add(node);
  /** @type {Node[]} */
  const found = [];
  walk(node, (inner, parents) => {
    const isCaught = parents.some((parent, i) => catches(parent, parents[i + 1] ?? inner));
    const isThrow = inner.type === 'ThrowStatement' && !isUnexpected(source, inner['argument']);
    const isParse =
      inner.type === 'MemberExpression' &&
      `${named(inner, 'object')}.${named(inner, 'property')}` === 'JSON.parse';
    if (!isCaught && (isThrow || isParse)) {
      found.push(inner);
    }
    const name = nameOf(inner);
    const own = source.functions.get(name);
    const foreign = source.imports.get(name);
    if (!isCaught && own !== undefined) {
      found.push(...throwsIn(source, own, seen));
    } else if (!isCaught && foreign !== undefined) {
      const there = sourceOf(foreign.file);
      const its = there.functions.get(foreign.name);
      if (its !== undefined && throwsIn(there, its, seen).length > 0) {
        found.push(inner);
      }
    }
  });
  return found;
}

/** @param {string} file @returns {Found[]} */
export function decodersThatThrow(file) {
  const source = sourceOf(file);
  const seen = new Set();
  return decodersOf(source)
    .flatMap((decoder) => throwsIn(source, decoder, seen))
    .map((node) => ({ node, message: MESSAGE }));
}
