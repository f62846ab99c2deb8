// @ts-check
// Turns the files under lua/ into scripts: headers read, code checked, includes inlined.
import { createHash } from 'node:crypto';
import { checkNumbers, constantsIn, readConstants, withConstants } from './constants.mjs';
import { checkCode, checkLib, checkOperands, globalsOf, parse } from './check.mjs';
import { oldestServer } from './commands.mjs';
import { checkFirstWrites } from './first-writes.mjs';
import { camelCase, readHeader } from './header.mjs';
import { checkInstants } from './instants.mjs';
import { checkCommands, checkRecording, checkNotifying } from './messages.mjs';
import { expandOnce } from './once.mjs';

/**
 * @typedef {import('./header.mjs').Header} Header
 * @typedef {import('./header.mjs').Report} Report
 * @typedef {{ path: string, text: string }} Part  one file without its comments, numbers put in;
 *   `path` is `lib/now_ms`, or the name of the script
 * @typedef {Header & {
 *   name: string, constant: string, sha1: string, source: string, parts: Part[],
 * }} Script  its source is the parts, one after the other
 * @typedef {Map<string, import('./constants.mjs').Constant>} Constants
 * @typedef {{ file: string, line: number, message: string }} Fault
 * @typedef {{
 *   path: string,
 *   lines: string[],
 *   header: Header | null,
 *   chunk: import('luaparse').Chunk | null,
 *   includes: Map<string, number>,
 *   report: Report,
 * }} Source  `path` is `lock/acquire`, or `lib/take_hold` like a key of `includes`; only an operation
 *   has a header
 */

const OPERATION = /^[a-z][a-z0-9]*(-[a-z0-9]+)*\/[a-z][a-z0-9]*(-[a-z0-9]+)*$/;
const LIB = /^lib\/[a-z][a-z0-9]*(_[a-z0-9]+)*$/;
const INCLUDE = /^\s*--\s*include\b/;
/** The one file that is no code. */
const CONSTANTS = 'constants.lua';
/** Runs each script that has keys, and reports which of them holds something else. */
const CHECKED = 'lib/checked';
/** What the files may call that raise errors, or catch them. */
const RAISING = new Map([
  [CHECKED, ['pcall', 'error']],
  ['lib/tickets_checked', ['error']],
  ['lib/semaphore_record', ['error']],
  ['lib/statements_known', ['error']],
]);
/** The files that publish. */
const NOTIFY = ['lib/notify', 'lib/notify_ended', 'lib/notify_granted', 'lib/notify_each'];

/**
 * @param {Map<string, string>} files  text by path below lua/, such as `lock/acquire.lua`
 * @returns {{
 *   scripts: Script[], constants: Constants, oldest: import('./commands.mjs').Oldest, faults: Fault[],
 * }}  the others mean something without faults only
 */
export function compile(files) {
  /** @type {Fault[]} */
  const faults = [];
  /** @type {Map<string, Source>} */
  const sources = new Map();
  const reportOn = (/** @type {string} */ file) => {
    return (/** @type {number} */ line, /** @type {string} */ message) => {
      faults.push({ file, line, message });
    };
  };
  const constants = readConstants(files.get(CONSTANTS) ?? 'return {}', reportOn(CONSTANTS));
  for (const file of [...files.keys()].filter((each) => each !== CONSTANTS).toSorted()) {
    const report = reportOn(file);
    const source = readSource(file, files.get(file) ?? '', report);
    sources.set(source.path, source);
  }
  /** @type {Script[]} */
  const scripts = [];
  for (const source of sources.values()) {
    checkSource(source, sources, constants);
    if (source.header !== null) {
      scripts.push(compileOperation(source, source.header, sources, constants));
    } else if (!LIB.test(source.path)) {
      source.report(1, `expected lua/<primitive>/<operation>.lua or lua/lib/<function_name>.lua`);
    } else if (source.path !== CHECKED && !isIncluded(source.path, sources)) {
      source.report(1, 'no file includes this one');
    }
  }
  checkNames(scripts, sources);
  const oldest = oldestServer(sources.values());
  checkUse(constants, sources, reportOn(CONSTANTS));
  return { scripts, constants, oldest, faults: faults.toSorted(byFileAndLine) };
}

/**
 * @param {string} path
 * @param {Map<string, Source>} sources
 */
function isIncluded(path, sources) {
  return [...sources.values()].some(({ includes }) => includes.has(path));
}

/**
 * @param {Fault} a
 * @param {Fault} b
 */
function byFileAndLine(a, b) {
  return a.file === b.file ? a.line - b.line : a.file < b.file ? -1 : 1;
}

/**
 * @param {string} file
 * @param {string} text
 * @param {Report} report
 * @returns {Source}
 */
function readSource(file, text, report) {
  const path = file.replace(/\.lua$/, '');
  const lines = text.split(/\r?\n/).map((line) => line.trimEnd());
  const isOperation = OPERATION.test(path) && !LIB.test(path);
  const header = isOperation ? readHeader(lines, path, report) : null;
  /** @type {Map<string, number>} */
  const includes = new Map();
  expandOnce(lines, header, includes, report);
  lines.forEach((line, index) => {
    const include = line.replace('-- include ', '');
    if (!INCLUDE.test(line)) {
      return;
    }
    if (!LIB.test(include)) {
      report(index + 1, `expected '-- include lib/<function_name>', got '${line}'`);
    } else if (includes.has(include)) {
      report(index + 1, `${include} is included already on line ${includes.get(include)}`);
    } else {
      includes.set(include, index + 1);
    }
  });
  return { path, lines, header, chunk: parse(lines.join('\n'), report), includes, report };
}

/**
 * @param {Source} source
 * @param {Map<string, Source>} sources
 * @param {Constants} constants
 */
function checkSource({ path, lines, header, chunk, includes, report }, sources, constants) {
  for (const [include, line] of includes) {
    if (!sources.has(include)) {
      report(line, `${include}.lua does not exist`);
    } else if (reaches(include, path, sources)) {
      report(line, `${include} includes ${path} in turn`);
    }
  }
  if (chunk === null) {
    return;
  }
  const globals = globalsOf(chunk);
  for (const [include, line] of includes) {
    if (!globals.has(functionOf(include))) {
      report(line, `${include} is included but never used`);
    }
  }
  const isLib = LIB.test(path);
  const included = [...includes.keys()];
  const own = RAISING.get(path) ?? [];
  checkCode(chunk, new Set([...included.map(functionOf), ...constants.keys(), ...own]), report);
  checkNumbers(chunk, report);
  checkInstants(chunk, { path, header, includes }, report);
  if (isLib) {
    checkLib(chunk, functionOf(path), lines, report);
  }
  if (!NOTIFY.includes(path)) {
    const notifiers = new Set(
      included
        .filter((include) => NOTIFY.some((file) => reaches(include, file, sources)))
        .map(functionOf),
    );
    checkCommands(chunk, report);
    checkNotifying(chunk, notifiers, isLib, report);
    checkRecording(chunk, notifiers, report);
  }
}

/** @param {string} path */
function functionOf(path) {
  return path.slice('lib/'.length);
}

/**
 * True when `from` is `to` or includes it, directly or not.
 * @param {string} from
 * @param {string} to
 * @param {Map<string, Source>} sources
 */
function reaches(from, to, sources) {
  return withIncludes(from, sources).some(({ path }) => path === to);
}

/**
 * The file and all it includes, each once, after what it includes itself.
 * @param {string} path
 * @param {Map<string, Source>} sources
 * @param {Set<string>} seen
 * @returns {Source[]}
 */
function withIncludes(path, sources, seen = new Set()) {
  const source = sources.get(path);
  if (source === undefined || seen.has(path)) {
    return [];
  }
  seen.add(path);
  const included = [...source.includes.keys()];
  return [...included.flatMap((include) => withIncludes(include, sources, seen)), source];
}

/**
 * @param {Source} operation
 * @param {Header} header
 * @param {Map<string, Source>} sources
 * @param {Constants} constants
 * @returns {Script}
 */
function compileOperation({ path, lines, chunk, report }, header, sources, constants) {
  if (chunk !== null) {
    checkOperands(chunk, 'KEYS', header.KEYS, report);
    checkOperands(chunk, 'ARGV', header.ARGV, report);
  }
  const isChecked = sources.has(CHECKED) && header.KEYS.some(({ type }) => type in TYPE_LETTERS);
  /** @type {Set<string>} */
  const seen = new Set();
  const sourcesOf = [
    ...(isChecked ? withIncludes(CHECKED, sources, seen) : []),
    ...withIncludes(path, sources, seen),
  ];
  checkFirstWrites(sourcesOf, lines, report);
  const files = sourcesOf.map(({ path: file, lines: text }) => {
    const kept = text.filter((line) => !/^\s*(--|$)/.test(line));
    // The scripts are a quarter of the package: indentation goes, and spaces around operators.
    const short = kept.map((line) => squeezed(withConstants(line, constants).trimStart()));
    const code = short.join('\n');
    return { path: file, text: file === path && isChecked ? inChecked(code, header.KEYS) : code };
  });
  // SLOWLOG and MONITOR show how the text of an EVAL starts: with the name of the script.
  const parts = [{ path, text: `-- ${path}` }, ...files].map((part, i, { length }) =>
    i === length - 1 ? part : { ...part, text: `${part.text}\n` },
  );
  const source = parts.map(({ text }) => text).join('');
  const sha1 = createHash('sha1').update(source).digest('hex');
  return { ...header, name: path, constant: camelCase(path), sha1, source, parts };
}

/** How checked() knows the types; nothing is checked of the others. @type {Record<string, string>} */
const TYPE_LETTERS = { string: 's', hash: 'h', list: 'l', zset: 'z' };

/**
 * @param {string} text  of a script
 * @param {import('./header.mjs').Operand[]} keys
 */
function inChecked(text, keys) {
  const letters = keys.map(({ type }) => TYPE_LETTERS[type] ?? 'a').join('');
  return `local function run()\n${text}\nend\nreturn checked(KEYS,'${letters}',run)`;
}

const SPACED = /'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"| (==|~=|<=|>=|[=<>+*/]) |(,) /g;

/** Without the spaces that Lua does not need; texts stay as they are.
 * @param {string} line */
function squeezed(line) {
  return line.replaceAll(
    SPACED,
    (found, /** @type {string | undefined} */ operator, /** @type {string | undefined} */ comma) =>
      operator ?? comma ?? found,
  );
}

/**
 * @param {Script[]} scripts
 * @param {Map<string, Source>} sources
 */
function checkNames(scripts, sources) {
  for (const [index, { name, constant }] of scripts.entries()) {
    const other = scripts.slice(0, index).find((script) => script.constant === constant);
    if (other !== undefined) {
      sources.get(name)?.report(1, `${name} and ${other.name} would both be '${constant}'`);
    }
  }
}

/**
 * @param {Constants} constants
 * @param {Map<string, Source>} sources
 * @param {Report} report
 */
function checkUse(constants, sources, report) {
  const used = new Set(
    [...sources.values()].flatMap(({ chunk }) => chunk && constantsIn(chunk, constants)),
  );
  for (const [name, { line }] of constants) {
    if (!used.has(name)) {
      report(line, `no script uses ${name}`);
    }
  }
}
