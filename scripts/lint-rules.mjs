// @ts-check
// Rules of our own, for oxlint (`jsPlugins` in .oxlintrc.json).

/**
 * @typedef {{ type: string }} Node
 * @typedef {{ arguments: Node[] }} Calling
 * @typedef {{ report(found: { node: Node, message: string }): void }} Context
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

export default {
  meta: { name: 'latchkey' },
  rules: { 'no-spread-arguments': noSpreadArguments },
};
