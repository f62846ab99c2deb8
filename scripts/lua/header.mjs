// @ts-check
// Reads the header of an operation file: its summary, its operands in order, and its reply.

/**
 * @typedef {(line: number, message: string) => void} Report
 * @typedef {'KEYS' | 'ARGV'} Table
 * @typedef {{ name: string, type: string, variadic: boolean, line: number }} Operand
 * @typedef {{ summary: string, KEYS: Operand[], ARGV: Operand[], returns: string }} Header
 */

const TYPES = {
  KEYS: ['string', 'hash', 'list', 'zset', 'set', 'any', 'channel'],
  ARGV: ['integer', 'string', 'bytes'],
};
const RETURNS = ['integer', 'integer?', 'string', 'string?', 'bytes?'];
const DECLARATION = /^--\s*(KEYS|ARGV|returns)\b/;
const OPERAND = /^-- (KEYS|ARGV)\[([1-9]\d*|\*)\]\s+(\S+)\s+(\S+)\s+\S/;
const REPLY = /^-- returns\s+(\S+)\s+\S/;
const CONTINUATION = /^--\s{2,}\S/;
const SNAKE_CASE = /^[a-z][a-z0-9]*(_[a-z0-9]+)*$/;

/** @param {string} text  words apart by `_`, `-` or `/` */
export function camelCase(text) {
  return text.replace(/[-_/]\w/g, (pair) => pair.slice(1).toUpperCase());
}

/**
 * @param {string[]} lines  of the whole file, without trailing spaces
 * @param {string} name  what the first line must say: `lock/acquire`
 * @param {Report} report
 * @returns {Header}
 */
export function readHeader(lines, name, report) {
  const code = lines.findIndex((line) => !line.startsWith('--'));
  const header = lines.slice(0, code === -1 ? undefined : code);
  if (lines[header.length] !== '') {
    report(header.length + 1, 'a blank line must part the header from the code');
  }
  const declared = header.findIndex((line) => DECLARATION.test(line));
  const prose = declared === -1 ? header : header.slice(0, declared);
  const declarations = declared === -1 ? [] : header.slice(declared);
  return {
    summary: readSummary(prose, name, report),
    ...readDeclarations(declarations, prose.length + 1, report),
  };
}

/**
 * The summary runs from the first line to the first line that ends with a full stop.
 * @param {string[]} prose
 * @param {string} name
 * @param {Report} report
 */
function readSummary(prose, name, report) {
  const start = `-- ${name}: `;
  if (prose[0]?.startsWith(start) !== true) {
    report(1, `the first line must be '${start}<sentence>.'`);
    return '';
  }
  const paragraph = prose.map((line) => line.slice(2).trim());
  const last = paragraph.findIndex((line) => line === '' || line.endsWith('.'));
  const summary = paragraph.slice(0, last + 1).join(' ');
  if (!summary.endsWith('.')) {
    report(1, 'the summary must be a sentence that ends with a full stop at the end of a line');
  } else if (summary.includes('*/')) {
    report(1, `the summary becomes a doc comment and cannot hold '*/'`);
  }
  return summary.slice(start.length - '-- '.length);
}

/**
 * @param {string[]} lines
 * @param {number} firstLine
 * @param {Report} report
 */
function readDeclarations(lines, firstLine, report) {
  /** @type {Omit<Header, 'summary'>} */
  const result = { KEYS: [], ARGV: [], returns: '' };
  /** @type {Set<string>} */
  const names = new Set();
  lines.forEach((line, index) => {
    const at = firstLine + index;
    const [, table] = DECLARATION.exec(line) ?? [];
    if (table === undefined) {
      if (!CONTINUATION.test(line)) {
        report(at, 'expected KEYS, ARGV, returns, or a continuation indented by two or more');
      }
    } else if (result.returns !== '') {
      report(at, `'returns' must be the last declaration`);
    } else if (table === 'returns') {
      result.returns = readReply(line, at, report);
    } else if (table === 'KEYS' && result.ARGV.length > 0) {
      report(at, 'KEYS must come before ARGV');
    } else {
      readOperand(line, at, table === 'KEYS' ? result.KEYS : result.ARGV, names, report);
    }
  });
  if (result.returns === '') {
    report(firstLine + lines.length, `the header has no line '-- returns <type> <description>'`);
  }
  return result;
}

/**
 * @param {string} line
 * @param {number} at
 * @param {Report} report
 */
function readReply(line, at, report) {
  const [, type = ''] = REPLY.exec(line) ?? [];
  if (!RETURNS.includes(type)) {
    report(at, `expected '-- returns ${RETURNS.join('|')} <description>'`);
  }
  return type || '?';
}

/**
 * @param {string} line
 * @param {number} at
 * @param {Operand[]} operands  those already read of the same table
 * @param {Set<string>} names  camelCase names already taken in this script
 * @param {Report} report
 */
function readOperand(line, at, operands, names, report) {
  const [, table, index = '', name = '', type = ''] = OPERAND.exec(line) ?? [];
  if (table === undefined) {
    report(at, `expected '-- KEYS|ARGV[<number or *>] <name> <type> <description>'`);
    return;
  }
  if (operands.at(-1)?.variadic === true) {
    report(at, `nothing may follow ${table}[*]`);
  } else if (index !== '*' && Number(index) !== operands.length + 1) {
    report(at, `expected ${table}[${operands.length + 1}], got ${table}[${index}]`);
  }
  const field = camelCase(name);
  if (!SNAKE_CASE.test(name)) {
    report(at, `'${name}' must be snake_case`);
  } else if (names.has(field)) {
    report(at, `the name '${name}' is taken`);
  }
  const types = table === 'KEYS' ? TYPES.KEYS : TYPES.ARGV;
  if (!types.includes(type)) {
    report(at, `the type of ${table}[${index}] must be ${types.join('|')}, got '${type}'`);
  }
  names.add(field);
  operands.push({ name: field, type, variadic: index === '*', line: at });
}
