// @ts-check
// What the code of one Lua file may do about messages. A script records and changes first and notifies
// last: so a message that the server refuses can neither undo nor hide what was done.
import { isGlobal, lineOf, visits } from './check.mjs';

/**
 * @typedef {import('luaparse').Node} Node
 * @typedef {import('luaparse').Chunk} Chunk
 * @typedef {import('luaparse').CallExpression} CallExpression
 * @typedef {import('./header.mjs').Report} Report
 */

const COMMANDS = new Set(['call', 'pcall']);
const PUBLISH = /^s?publish$/i;

/**
 * Every command is named where it is called, and none of them publishes, but for lib/notify.
 * @param {Chunk} chunk
 * @param {Report} report
 */
export function checkCommands(chunk, report) {
  for (const { node, parents } of visits(chunk)) {
    const [parent, grandparent] = parents;
    if (!isGlobal(node) || node.name !== 'redis') {
      continue;
    }
    const name = parent?.type === 'MemberExpression' ? parent.identifier.name : undefined;
    if (name === undefined) {
      report(lineOf(node), `'redis' must stand in front of the name of one of its functions`);
    } else if (COMMANDS.has(name)) {
      checkCommand(name, parent, grandparent, report);
    }
  }
}

/**
 * @param {string} name
 * @param {Node | undefined} callee
 * @param {Node | undefined} call
 * @param {Report} report
 */
function checkCommand(name, callee, call, report) {
  const line = call === undefined ? 1 : lineOf(call);
  if (call?.type !== 'CallExpression' || call.base !== callee) {
    report(line, `redis.${name} must be called where it stands, as redis.${name}('COMMAND', ...)`);
    return;
  }
  const [command] = call.arguments;
  if (command?.type !== 'StringLiteral') {
    report(line, `redis.${name} must name its command; a message is published by lib/notify only`);
  } else if (PUBLISH.test(command.raw.slice(1, -1))) {
    report(line, 'a message is published by lib/notify only');
  }
}

/**
 * A script notifies last: the call stands as `return notify(...)`, and nowhere else.
 * @param {Chunk} chunk
 * @param {Set<string>} notifiers  the functions this file includes that publish
 * @param {boolean} isLib
 * @param {Report} report
 */
export function checkNotifying(chunk, notifiers, isLib, report) {
  for (const { node, parents } of visits(chunk)) {
    if (!isGlobal(node) || !notifiers.has(node.name)) {
      continue;
    }
    const [call, statement] = parents;
    const isCall = call?.type === 'CallExpression' && call.base === node;
    const isLast =
      isCall && statement?.type === 'ReturnStatement' && statement.arguments.length === 1;
    const depth = parents.filter(({ type }) => type === 'FunctionDeclaration').length;
    if (!isLast || depth !== (isLib ? 1 : 0)) {
      const line = lineOf(node);
      report(line, `${node.name} must be the last that a script does: 'return ${node.name}(...)'`);
    }
  }
}

/**
 * A counted script shows that it can record, changes, records, and then notifies.
 * @param {Chunk} chunk
 * @param {Set<string>} notifiers
 * @param {Report} report
 */
export function checkRecording(chunk, notifiers, report) {
  const called = [...visits(chunk)].flatMap(({ node }) =>
    node.type === 'CallExpression' && isGlobal(node.base) ? [node] : [],
  );
  /** @param {string} name */
  const callsOf = (name) => called.filter(({ base }) => isGlobal(base) && base.name === name);
  const [record] = callsOf('request_record');
  const [recalled] = callsOf('request_recall');
  if (record === undefined) {
    if (recalled !== undefined) {
      report(
        lineOf(recalled),
        'a counted script must request_record() its answer: a copy would run again',
      );
    }
    return;
  }
  if (!callsOf('request_keep_record').some((kept) => starts(kept) < starts(record))) {
    report(lineOf(record), 'request_keep_record() must come before request_record()');
  }
  for (const notified of [...notifiers].flatMap(callsOf)) {
    if (starts(record) > ends(notified)) {
      report(
        lineOf(notified),
        'a counted script must request_record() its answer before it notifies',
      );
    }
  }
}

/** @param {Node} node */
function starts({ loc }) {
  return loc === undefined ? 0 : loc.start.line * 1_000 + loc.start.column;
}

/** @param {Node} node */
function ends({ loc }) {
  return loc === undefined ? 0 : loc.end.line * 1_000 + loc.end.column;
}
