// @ts-check
// Writes compiled scripts as the text of one TypeScript module.
import { camelCase } from './header.mjs';
import { UNTIL_MS } from './once.mjs';

/**
 * @typedef {import('./header.mjs').Operand} Operand
 * @typedef {import('./compile.mjs').Script} Script
 */

/** @type {Record<string, string>} */
const ARGUMENT_TYPES = { integer: 'number', string: 'string', bytes: 'Buffer' };
/** @type {Record<string, { type: string, decode: string }>} */
const REPLIES = {
  integer: { type: 'number', decode: 'integer' },
  'integer?': { type: 'number | null', decode: 'integerOrNull' },
  string: { type: 'string', decode: 'text' },
  'string?': { type: 'string | null', decode: 'textOrNull' },
  'bytes?': { type: 'Buffer | null', decode: 'bytesOrNull' },
};

const ORIGIN =
  '// Generated from lua/ by `node scripts/generate-scripts.mjs`: change the Lua, not this file.';

/** @param {Script[]} scripts */
export function emit(scripts) {
  const sorted = scripts.toSorted((a, b) => (a.name < b.name ? -1 : 1));
  const used = new Set(scripts.map(({ returns }) => returns));
  const decoders = Object.keys(REPLIES).filter((reply) => used.has(reply));
  return [
    ORIGIN,
    `import { ${decoders.map((reply) => REPLIES[reply]?.decode).join(', ')} } from './replies.js';`,
    `import type { Script } from './script.js';`,
    ...shared(sorted),
    ...sorted.map(emitScript),
    '',
  ].join('\n');
}

/**
 * What the client has to know of the numbers in lua/, and of the commands.
 * @param {import('./compile.mjs').Constants} constants
 * @param {import('./commands.mjs').Oldest} oldest
 */
export function emitConstants(constants, { version, needs }) {
  const lines = [...constants].flatMap(([name, { value, meaning }]) =>
    meaning === undefined
      ? []
      : [
          '',
          `/** ${meaning} */`,
          `export const ${name}: ${value.startsWith("'") ? 'string' : 'number'} = ${value};`,
        ],
  );
  const server = [
    '',
    `/** The oldest Redis that runs all scripts: it brought ${needs.join(', ')}. */`,
    `export const OLDEST_REDIS: string = '${version}';`,
  ];
  return [ORIGIN, ...lines, ...server, ''].join('\n');
}

/**
 * What scripts include stands in the module once: written out in each of them, it would be more
 * than half of the package.
 *
 * @param {Script[]} scripts
 */
function shared(scripts) {
  const parts = scripts.flatMap((script) => script.parts).filter(isShared);
  const texts = new Map(parts.map((part) => [part.path, part.text]));
  return [...texts]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([path, text]) => `\nconst ${sharedName(path)} = \`${escaped(text)}\`;`);
}

/** @param {import('./compile.mjs').Part} part */
function isShared({ path }) {
  return path.startsWith('lib/');
}

/** @param {string} path such as `lib/now_ms` */
function sharedName(path) {
  return camelCase(path.replaceAll('_', '/'));
}

/** @param {Script} script */
function emitScript({ summary, constant, name, sha1, parts, KEYS, ARGV, returns }) {
  const source = parts.map((part) =>
    isShared(part) ? `\${${sharedName(part.path)}}` : escaped(part.text),
  );
  const given = ARGV.filter((operand) => operand.name !== UNTIL_MS);
  const until = ARGV.findIndex((operand) => operand.name === UNTIL_MS);
  return `
/** ${summary} */
export const ${constant}: Script<
  ${fields(KEYS, () => 'string')},
  ${fields(given, ({ type }) => ARGUMENT_TYPES[type] ?? '')},
  ${REPLIES[returns]?.type}
> = {
  name: '${name}',
  sha1: '${sha1}',
  source: \`${source.join('')}\`,
  operands: ${operands(KEYS, ARGV)},
  decode: ${REPLIES[returns]?.decode},${until < 0 ? '' : `\n  untilAt: ${until},`}
};`;
}

/**
 * @param {Operand[]} list
 * @param {(operand: Operand) => string} typeOf
 */
function fields(list, typeOf) {
  const members = list.map((operand) => {
    const type = typeOf(operand);
    return `${operand.name}: ${operand.variadic ? `readonly ${type}[]` : type}`;
  });
  return members.length === 0 ? 'Record<string, never>' : `{ ${members.join('; ')} }`;
}

/**
 * @param {Operand[]} keys
 * @param {Operand[]} args
 */
function operands(keys, args) {
  const fixed = keys.filter((key) => !key.variadic).length;
  const many = keys.find((key) => key.variadic);
  const rest = many === undefined ? '' : `keys.${many.name}.length`;
  const count = rest === '' || fixed > 0 ? `${fixed}${rest && ` + ${rest}`}` : rest;
  const values = [
    ...keys.map((key) => `${key.variadic ? '...' : ''}keys.${key.name}`),
    // It is filled in when the call is written.
    ...args.map(({ name, variadic }) =>
      name === UNTIL_MS ? '0' : `${variadic ? '...' : ''}args.${name}`,
    ),
  ];
  const used = keys.length > 0 ? ['keys'] : args.length > 0 ? ['_keys'] : [];
  const parameters = args.length > 0 ? [...used, 'args'] : used;
  return `(${parameters.join(', ')}) => [${[count, ...values].join(', ')}]`;
}

/** @param {string} text for a template literal */
function escaped(text) {
  return text.replace(/\\|`|\$\{/g, (special) => `\\${special}`);
}
