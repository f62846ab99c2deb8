// @ts-check
// What the code of one Lua file may do with instants that are stored. The clock of a server may be set back,
// so that they are later than now. Which sort of instants a zset has is known by its name.
import { lineOf, redisCall, visits } from './check.mjs';

/**
 * @typedef {import('luaparse').Node} Node
 * @typedef {import('./header.mjs').Header} Header
 * @typedef {import('./header.mjs').Report} Report
 */

/**
 * - heard: when something was last heard of. Only lib/heard_* reads it: what is later than now is written
 *   as now there.
 * - rank: who has asked first. A new one comes from lib/rank_new, or from a client that was told it before.
 * - end: of a lease, or when Java evicts somebody.
 * - written: when a lease of ours was written, and its end. Only lib/leases_* reads it: one that was written
 *   later than now is written as now there.
 * - none: numbers that are no instants.
 * @type {Map<string, 'heard' | 'rank' | 'end' | 'written' | 'none'>}
 */
const SORTS = new Map([
  ['heartbeats', 'heard'],
  ['twin_heartbeats', 'heard'],
  ['twinHeartbeats', 'heard'],
  ['queue', 'rank'],
  ['writers', 'rank'],
  ['waiting', 'rank'],
  ['readers', 'end'],
  ['timeouts', 'end'],
  ['leases', 'written'],
  ['requests', 'none'],
]);

/** Commands that answer with scores, or choose by them. */
const READING = /^Z(?:SCORE|MSCORE|RANGE|REVRANGE|RANGEBYSCORE|REVRANGEBYSCORE|COUNT)$/;
/** What is handed any zset. */
const FOR_ANY = new Set(['lib/zadd_for', 'lib/needs_memory']);
const HEARD = /^lib\/heard_/;
const RANK_NEW = 'lib/rank_new';
/** Ends of ours alone, which name the lengths of their leases. */
const ENDS = /^lib\/ends_/;
const ENDS_SCORE = 'lib/ends_score';
const ENDS_LEFT = 'lib/ends_left';
/** When leases of ours were written, with their ends. */
const LEASES = /^lib\/leases_/;
const LEASES_SCORE = 'lib/leases_score';
/** Not of a lease. */
const LEASES_SETTING = new Set(['lib/leases_set_idle', 'lib/leases_set_total']);
const LEASES_LENGTH = 'lib/leases_length';
const ONE_SCORE = /^Z(?:SCORE|MSCORE|REVRANGE|RANGE)$/;

/**
 * @param {import('luaparse').Chunk} chunk
 * @param {{ path: string, header: Header | null, includes: Map<string, number> }} source
 * @param {Report} report
 */
export function checkInstants(chunk, { path, header, includes }, report) {
  for (const { name, type, line } of header?.KEYS ?? []) {
    if (type === 'zset' && !SORTS.has(name)) {
      report(
        line,
        `which sort of instants has the zset ${name}? scripts/lua/instants.mjs has to know`,
      );
    }
  }
  if (FOR_ANY.has(path)) {
    return;
  }
  for (const { node, parents } of visits(chunk)) {
    const { command, key } = commandOf(node);
    const name = key && nameOf(key, header);
    const sort = SORTS.get(name ?? '');
    const line = lineOf(node);
    if (command === 'HGETALL' && name === 'tickets' && !HEARD.test(path)) {
      report(line, 'what tickets were heard of is read by lib/heard_tickets only');
    } else if (!command.startsWith('Z')) {
      continue;
    } else if (sort === undefined) {
      report(
        line,
        `which sort of instants has this zset? Call it by a name in scripts/lua/instants.mjs`,
      );
    } else if (sort === 'heard' && READING.test(command) && !HEARD.test(path)) {
      if (!isQuestion(parents)) {
        report(
          line,
          `${name}: what was last heard is read by lib/heard_* only, or asked whether it is there`,
        );
      }
    } else if (
      name === 'readers' &&
      command === 'ZADD' &&
      !includes.has(ENDS_SCORE) &&
      !ENDS.test(path)
    ) {
      report(line, `${name}: an end is made by ${ENDS_SCORE}`);
    } else if (name === 'readers' && ONE_SCORE.test(command) && !includes.has(ENDS_LEFT)) {
      report(line, `${name}: an end is compared with now by ${ENDS_LEFT}`);
    } else if (
      sort === 'written' &&
      command === 'ZADD' &&
      !includes.has(LEASES_SCORE) &&
      !LEASES_SETTING.has(path)
    ) {
      report(line, `${name}: when a lease was written is made by ${LEASES_SCORE}`);
    } else if (
      sort === 'written' &&
      READING.test(command) &&
      !includes.has(LEASES_LENGTH) &&
      !LEASES.test(path)
    ) {
      report(line, `${name}: when a lease was written is read by lib/leases_* only`);
    } else if (sort === 'rank' && command === 'ZADD' && !includes.has(RANK_NEW)) {
      report(line, `${name}: a new rank is made by ${RANK_NEW}`);
    }
  }
}

/** @type {{ command: string, key?: Node | undefined }} */
const NO_COMMAND = { command: '' };

/** @param {Node} node @returns {typeof NO_COMMAND} */
function commandOf(node) {
  if (
    node.type === 'CallExpression' &&
    node.base.type === 'Identifier' &&
    node.base.name === 'zadd_for'
  ) {
    return { command: 'ZADD', key: node.arguments[0] };
  }
  const call = redisCall(node);
  return call === undefined ? NO_COMMAND : { command: call.command, key: call.operands[0] };
}

/** By what name a file calls a key. @param {Node} key @param {Header | null} header */
function nameOf(key, header) {
  if (key.type === 'Identifier') {
    return key.name;
  } else if (key.type === 'MemberExpression') {
    return key.identifier.name;
  } else if (key.type === 'IndexExpression' && key.index.type === 'NumericLiteral') {
    return header?.KEYS[key.index.value - 1]?.name;
  }
  return undefined;
}

/** It is only asked whether there is a score. @param {Node[]} parents */
function isQuestion([parent]) {
  const isCompared =
    parent?.type === 'BinaryExpression' &&
    ['==', '~='].includes(parent.operator) &&
    parent.right.type === 'BooleanLiteral';
  return isCompared || (parent?.type === 'UnaryExpression' && parent.operator === 'not');
}
