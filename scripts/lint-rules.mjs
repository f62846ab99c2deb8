// @ts-check
// Rules of our own, for oxlint (`jsPlugins` in .oxlintrc.json).

import { decodersThatThrow } from './lint/decoders.mjs';

/**
 * @typedef {{ type: string }} Node
 * @typedef {{ arguments: Node[] }} Calling
 * @typedef {Node & { name?: string, value?: unknown }} Named
 * @typedef {Node & { object: Named, property: Named, computed: boolean }} Member
 * @typedef {Named & { key?: Named, value?: Named | null, static?: boolean }} Part
 * @typedef {Node & { id: Named | null, superClass: Named | null, body: { body: Part[] } }} Class
 * @typedef {{ filename: string, report(found: { node: Node, message: string }): void }} Context
 */

const noSpreadArguments = {
  create(/** @type {Context} */ context) {
    const check = (/** @type {Calling} */ calling) => {
      for (const node of calling.arguments) {
        if (node.type === 'SpreadElement') {
          context.report({
            node,
            message:
              'Every argument takes room on the stack: with some 120,000 the call throws a ' +
              'RangeError. Loop, or pass the array. An array literal may spread.',
          });
        }
      }
    };
    return { CallExpression: check, NewExpression: check };
  },
};

const decodersReturn = {
  create(/** @type {Context} */ context) {
    const Program = () => {
      for (const found of decodersThatThrow(context.filename)) {
        context.report(found);
      }
    };
    return { Program };
  },
};

const LOST = 'A minified bundle gives its classes other names: ';

/** @param {Class} node @param {boolean} isStatic */
function nameIn({ body }, isStatic) {
  return body.body.find((part) => part.static === isStatic && part.key?.name === 'name');
}

/** No text that a program sees may depend on the name that a class has at run time. */
const literalNames = {
  create(/** @type {Context} */ context) {
    const report = (/** @type {Node} */ node, /** @type {string} */ message) =>
      context.report({ node, message: LOST + message });
    const checkClass = (/** @type {Class} */ node) => {
      if (node.superClass?.name?.endsWith('Error') !== true) {
        return;
      }
      const name = node.id?.name;
      const wanted = [nameIn(node, true), nameIn(node, false)];
      const isAbstract = wanted[1]?.type === 'TSAbstractPropertyDefinition';
      const texts = [wanted[0]?.value?.value, isAbstract ? name : wanted[1]?.value?.value];
      if (name === undefined || texts.some((text) => text !== name)) {
        report(node, 'an error has `name`, and a static `name`, as literals.');
      }
    };
    return {
      ClassDeclaration: checkClass,
      ClassExpression: checkClass,
      MetaProperty(/** @type {Node & { meta: Named }} */ node) {
        if (node.meta.name === 'new') {
          report(node, 'what `new.target` is called is no text to show.');
        }
      },
      MemberExpression(/** @type {Member} */ node) {
        const { object, property, computed } = node;
        const text = computed ? property.value : property.name;
        if (text === 'constructor') {
          report(node, 'use `code` or a literal in the place of `constructor`.');
        }
        if (text === 'name' && /^[A-Z].*[a-z]/.test(object.name ?? '')) {
          report(node, 'write the name of the class as a literal.');
        }
      },
      ObjectPattern(/** @type {Node & { properties: Part[] }} */ node) {
        if (node.properties.some(({ key }) => key?.name === 'constructor')) {
          report(node, 'use `code` or a literal in the place of `constructor`.');
        }
      },
    };
  },
};

export default {
  meta: { name: 'redlatch' },
  rules: {
    'no-spread-arguments': noSpreadArguments,
    'decoders-return': decodersReturn,
    'literal-names': literalNames,
  },
};
