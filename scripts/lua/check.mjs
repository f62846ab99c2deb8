// @ts-check
// What the code of one Lua file may do, judged on its syntax tree.
import luaparse from 'luaparse';

/**
 * @typedef {import('luaparse').Node} Node
 * @typedef {import('luaparse').Chunk} Chunk
 * @typedef {import('luaparse').Identifier & { isLocal?: boolean }} Identifier
 *   `isLocal` is absent on the name of a field, which is no variable
 * @typedef {import('./header.mjs').Report} Report
 * @typedef {import('./header.mjs').Operand} Operand
 * @typedef {import('./header.mjs').Table} Table
 * @typedef {{ node: Node, parents: Node[] }} Visit  the nearest parent first
 */

const GLOBALS = new Set(
  (
    'redis KEYS ARGV tonumber tostring string table math ipairs pairs type unpack cjson bit ' +
    'struct select next'
  ).split(' '),
);
const INTEGER_CONVERSION = /%[-+ #0]*\d*(?:\.\d*)?[di]/;

/**
 * @param {string} text
 * @param {Report} report
 * @returns {Chunk | null}  null, and a report, when it does not parse
 */
export function parse(text, report) {
  try {
    const chunk = luaparse.parse(text, { luaVersion: '5.1', scope: true, locations: true });
    // Without `globals`, a list of nodes that are in the tree already.
    return { type: chunk.type, loc: chunk.loc, body: chunk.body, comments: chunk.comments };
  } catch (error) {
    if (!(error instanceof SyntaxError)) {
      throw error;
    }
    const { line = 1 } = /** @type {SyntaxError & { line?: number }} */ (error);
    report(line, `not Lua 5.1: ${error.message.replace(/^\[\d+:\d+\] /, '')}`);
    return null;
  }
}

/**
 * @param {Node} node
 * @param {Node[]} parents
 * @returns {Generator<Visit>}
 */
export function* visits(node, parents = []) {
  yield { node, parents };
  /** @type {unknown[]} */
  const children = Object.values(node).flat();
  for (const child of children) {
    if (isNode(child)) {
      yield* visits(child, [node, ...parents]);
    }
  }
}

/**
 * @param {unknown} value
 * @returns {value is Node}
 */
function isNode(value) {
  return typeof value === 'object' && value !== null && 'type' in value;
}

/** @param {Node} node */
export function lineOf(node) {
  return node.loc?.start.line ?? 1;
}

/**
 * @param {Node} node
 * @returns {node is Identifier}
 */
export function isGlobal(node) {
  return node.type === 'Identifier' && /** @type {Identifier} */ (node).isLocal === false;
}

/** @typedef {{ command: string, operands: Node[], isCaught: boolean }} RedisCall */

/**
 * A command that is called by its name; undefined for every other node.
 * @param {Node} node
 * @returns {RedisCall | undefined}  the command is in capitals
 */
export function redisCall(node) {
  if (node.type !== 'CallExpression' || node.base.type !== 'MemberExpression') {
    return undefined;
  }
  const { base, identifier } = node.base;
  const [command, ...operands] = node.arguments;
  const isCall =
    isGlobal(base) && base.name === 'redis' && ['call', 'pcall'].includes(identifier.name);
  return isCall && command?.type === 'StringLiteral'
    ? {
        command: command.raw.slice(1, -1).toUpperCase(),
        operands,
        isCaught: identifier.name === 'pcall',
      }
    : undefined;
}

/**
 * The variables that are global in this file, with their first line.
 * @param {Chunk} chunk
 */
export function globalsOf(chunk) {
  /** @type {Map<string, number>} */
  const globals = new Map();
  for (const { node } of visits(chunk)) {
    if (isGlobal(node) && !globals.has(node.name)) {
      globals.set(node.name, lineOf(node));
    }
  }
  return globals;
}

/**
 * The rules that hold for operations and lib files alike.
 * @param {Chunk} chunk
 * @param {Set<string>} included  functions this file includes
 * @param {Report} report
 */
export function checkCode(chunk, included, report) {
  for (const [name, line] of globalsOf(chunk)) {
    if (!GLOBALS.has(name) && !included.has(name)) {
      report(line, `'${name}' is global: make it local, or include lib/${name} if that is meant`);
    }
  }
  // Compiling drops whole lines, which is safe only while every string and comment sits on one.
  for (const { node } of visits(chunk)) {
    if ((node.type === 'StringLiteral' || node.type === 'Comment') && node.raw.includes('\n')) {
      report(lineOf(node), 'strings and comments must not span lines');
    } else if (formatsInteger(node)) {
      report(lineOf(node), `'%d' is unsafe on some engines: use '%.0f'`);
    }
  }
}

/**
 * True of `string.format('..%d..', n)`, of `format('..%d..', n)` and of `('..%d..'):format(n)`.
 * @param {Node} node
 */
function formatsInteger(node) {
  if (node.type !== 'CallExpression') {
    return false;
  }
  const method = node.base.type === 'MemberExpression' ? node.base : undefined;
  const callee = method?.identifier ?? node.base;
  return (
    callee.type === 'Identifier' &&
    callee.name === 'format' &&
    [method?.base, node.arguments[0]].some(
      (template) =>
        template?.type === 'StringLiteral' &&
        INTEGER_CONVERSION.test(template.raw.replaceAll('%%', '')),
    )
  );
}

/**
 * A lib file is one local function, called like the file, that is handed all it reads.
 * @param {Chunk} chunk
 * @param {string} name
 * @param {string[]} lines
 * @param {Report} report
 */
export function checkLib(chunk, name, lines, report) {
  if (!/^-- (?!include )\S/.test(lines[0] ?? '')) {
    report(1, 'a lib file must start with a comment that says what its function does');
  }
  const [first, second] = chunk.body;
  const isFunction = first?.type === 'FunctionDeclaration' && first.isLocal;
  const id = isFunction ? first.identifier : null;
  if (id?.type !== 'Identifier' || id.name !== name || second !== undefined) {
    report(
      lineOf(second ?? first ?? chunk),
      `a lib file must be exactly one 'local function ${name}'`,
    );
  }
  const globals = globalsOf(chunk);
  for (const table of ['KEYS', 'ARGV']) {
    const line = globals.get(table);
    if (line !== undefined) {
      report(line, `a lib function must not read ${table}: pass what it needs as a parameter`);
    }
  }
}

/**
 * Every declared operand is read, and every operand read is declared.
 * @param {Chunk} chunk
 * @param {Table} table
 * @param {Operand[]} operands
 * @param {Report} report
 */
export function checkOperands(chunk, table, operands, report) {
  const variadic = operands.find((operand) => operand.variadic);
  const fixed = operands.filter((operand) => !operand.variadic);
  /** @type {Set<unknown>} */
  const used = new Set();
  for (const { node, parents } of visits(chunk)) {
    const [parent = chunk] = parents;
    if (!isGlobal(node) || node.name !== table) {
      continue;
    }
    const line = lineOf(node);
    const place = parent.type === 'IndexExpression' && parent.base === node ? parent.index : null;
    if (place?.type === 'NumericLiteral') {
      const index = place.value;
      used.add(fixed[index - 1]);
      if (fixed[index - 1] === undefined) {
        report(line, `${table}[${index}] is not declared in the header`);
      }
    } else if (variadic === undefined) {
      report(line, `only a header with ${table}[*] allows ${table} without a constant index`);
    } else if (parent.type !== 'UnaryExpression') {
      used.add(variadic);
    }
  }
  operands.forEach((operand, index) => {
    if (!used.has(operand)) {
      const place = operand.variadic ? '*' : index + 1;
      report(operand.line, `${table}[${place}] ${operand.name} is never used`);
    }
  });
}
