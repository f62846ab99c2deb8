// @ts-check
// Which Redis brought each command that scripts call, and each word that they give to it: so the oldest
// server that runs all scripts is derived, not remembered.
import { lineOf, redisCall, visits } from './check.mjs';

/**
 * @typedef {import('luaparse').Chunk} Chunk
 * @typedef {import('./header.mjs').Report} Report
 * @typedef {{ does: 'reads' | 'frees' | 'grows', since: string, words?: Record<string, string> }} Command
 *   A command that `frees` writes, and is carried out at maxmemory; one that `grows` is refused there: it
 *   has the flag `denyoom`. `words` are the words in capitals that it may be given; those that it has always
 *   had are as old as the command
 * @typedef {{ version: string, needs: string[] }} Oldest  `needs` are what the version brought
 */

/** Sent only to a server that was found to know it. */
const WHERE_KNOWN = '0.0';

/** As the documentation of Redis has it ("Available since", and the history of each command). Versions
 * before 2.6, which had no scripts, are 2.6. @type {Record<string, Command>} */
const COMMANDS = {
  APPEND: { does: 'grows', since: '2.6' },
  DECR: { does: 'grows', since: '2.6' },
  DECRBY: { does: 'grows', since: '2.6' },
  DEL: { does: 'frees', since: '2.6' },
  EXISTS: { does: 'reads', since: '2.6' },
  EXPIRETIME: { does: 'reads', since: '7.0' },
  GET: { does: 'reads', since: '2.6' },
  GETDEL: { does: 'frees', since: '6.2' },
  GETEX: {
    does: 'frees',
    since: '6.2',
    words: { EX: '6.2', PX: '6.2', EXAT: '6.2', PXAT: '6.2', PERSIST: '6.2' },
  },
  HDEL: { does: 'frees', since: '2.6' },
  HEXISTS: { does: 'reads', since: '2.6' },
  HEXPIRE: {
    does: 'grows',
    since: '7.4',
    words: { NX: '7.4', XX: '7.4', GT: '7.4', LT: '7.4', FIELDS: '7.4' },
  },
  HGET: { does: 'reads', since: '2.6' },
  HGETALL: { does: 'reads', since: '2.6' },
  HINCRBY: { does: 'grows', since: '2.6' },
  HLEN: { does: 'reads', since: '2.6' },
  HMGET: { does: 'reads', since: '2.6' },
  HPEXPIRE: {
    does: 'grows',
    since: '7.4',
    words: { NX: '7.4', XX: '7.4', GT: '7.4', LT: '7.4', FIELDS: '7.4' },
  },
  HRANDFIELD: { does: 'reads', since: '6.2', words: { WITHVALUES: '6.2' } },
  HSCAN: { does: 'reads', since: '2.8', words: { MATCH: '2.8', COUNT: '2.8', NOVALUES: '7.4' } },
  HSET: { does: 'grows', since: '4.0' },
  INCR: { does: 'grows', since: '2.6' },
  INCRBY: { does: 'grows', since: '2.6' },
  LINDEX: { does: 'reads', since: '2.6' },
  LINSERT: { does: 'grows', since: '2.6', words: { BEFORE: '2.6', AFTER: '2.6' } },
  LLEN: { does: 'reads', since: '2.6' },
  LMOVE: { does: 'grows', since: '6.2', words: { LEFT: '6.2', RIGHT: '6.2' } },
  LPOS: {
    does: 'reads',
    since: '6.0.6',
    words: { RANK: '6.0.6', COUNT: '6.0.6', MAXLEN: '6.0.6' },
  },
  LPUSH: { does: 'grows', since: '2.6' },
  LRANGE: { does: 'reads', since: '2.6' },
  LREM: { does: 'frees', since: '2.6' },
  PERSIST: { does: 'frees', since: '2.6' },
  PEXPIRE: { does: 'frees', since: '2.6', words: { NX: '7.0', XX: '7.0', GT: '7.0', LT: '7.0' } },
  PEXPIREAT: { does: 'frees', since: '2.6', words: { NX: '7.0', XX: '7.0', GT: '7.0', LT: '7.0' } },
  PEXPIRETIME: { does: 'reads', since: '7.0' },
  PTTL: { does: 'reads', since: '2.6' },
  PUBLISH: { does: 'reads', since: '2.6' },
  PUBSUB: { does: 'reads', since: '2.8', words: { NUMSUB: '2.8', SHARDNUMSUB: WHERE_KNOWN } },
  RPUSH: { does: 'grows', since: '2.6' },
  SET: {
    does: 'grows',
    since: '2.6',
    words: {
      EX: '2.6.12',
      PX: '2.6.12',
      NX: '2.6.12',
      XX: '2.6.12',
      KEEPTTL: '6.0',
      GET: '6.2',
      EXAT: '6.2',
      PXAT: '6.2',
    },
  },
  SPUBLISH: { does: 'reads', since: WHERE_KNOWN },
  TIME: { does: 'reads', since: '2.6' },
  TYPE: { does: 'reads', since: '2.6' },
  UNLINK: { does: 'frees', since: '4.0' },
  ZADD: {
    does: 'grows',
    since: '2.6',
    words: { NX: '3.0.2', XX: '3.0.2', CH: '3.0.2', INCR: '3.0.2', GT: '6.2', LT: '6.2' },
  },
  ZCARD: { does: 'reads', since: '2.6' },
  ZCOUNT: { does: 'reads', since: '2.6' },
  ZMSCORE: { does: 'reads', since: '6.2' },
  ZPOPMIN: { does: 'frees', since: '5.0' },
  ZRANDMEMBER: { does: 'reads', since: '6.2', words: { WITHSCORES: '6.2' } },
  ZRANGE: {
    does: 'reads',
    since: '2.6',
    words: { WITHSCORES: '2.6', BYSCORE: '6.2', BYLEX: '6.2', REV: '6.2', LIMIT: '6.2' },
  },
  ZRANGEBYSCORE: { does: 'reads', since: '2.6', words: { WITHSCORES: '2.6', LIMIT: '2.6' } },
  ZREM: { does: 'frees', since: '2.6' },
  ZREMRANGEBYSCORE: { does: 'frees', since: '2.6' },
  ZREVRANGE: { does: 'reads', since: '2.6', words: { WITHSCORES: '2.6' } },
  ZREVRANGEBYSCORE: { does: 'reads', since: '2.6', words: { WITHSCORES: '2.6', LIMIT: '2.6' } },
  ZSCORE: { does: 'reads', since: '2.6' },
};

/** What a command does; undefined for one that is not in the table, which is reported.
 * @param {string} name  in capitals */
export function whatDoes(name) {
  return COMMANDS[name]?.does;
}

/** Scripts write behind TIME, which a server before it refuses. */
const SCRIPTS = { what: 'scripts that write behind TIME', version: '5.0' };

const WORD = /^[A-Z]+$/;

/**
 * The oldest Redis that knows all that these files call.
 * @param {Iterable<{ chunk: Chunk | null, report: Report }>} sources
 * @returns {Oldest}
 */
export function oldestServer(sources) {
  const used = [...sources].flatMap(({ chunk, report }) => (chunk ? usedIn(chunk, report) : []));
  used.push(SCRIPTS);
  const [newest = SCRIPTS] = used.toSorted((a, b) => compareVersions(b.version, a.version));
  const { version } = newest;
  const needs = used.filter((each) => each.version === version).map(({ what }) => what);
  return { version, needs: [...new Set(needs)].toSorted() };
}

/**
 * @param {Chunk} chunk
 * @param {Report} report
 * @returns {{ what: string, version: string }[]}
 */
function usedIn(chunk, report) {
  return [...visits(chunk)].flatMap(({ node }) => {
    const call = redisCall(node);
    return call === undefined ? [] : usedBy(call, lineOf(node), report);
  });
}

/**
 * @param {import('./check.mjs').RedisCall} call
 * @param {number} line
 * @param {Report} report
 */
function usedBy({ command: name, operands }, line, report) {
  const words = operands.map((each) =>
    each.type === 'StringLiteral' ? each.raw.slice(1, -1) : '',
  );
  const command = COMMANDS[name];
  if (command === undefined) {
    report(
      line,
      `${name} is not in the table of scripts/lua/commands.mjs: add it with the Redis that brought it`,
    );
    return [];
  }
  return [
    { what: name, version: command.since },
    ...words
      .filter((word) => WORD.test(word))
      .flatMap((word) => {
        const version = command.words?.[word];
        if (version === undefined) {
          report(
            line,
            `${name} with ${word} is not in the table of scripts/lua/commands.mjs: ` +
              'add it with the Redis that brought it',
          );
          return [];
        }
        return [{ what: `${name} with ${word}`, version }];
      }),
  ];
}

/**
 * @param {string} a such as 6.0.6
 * @param {string} b
 */
function compareVersions(a, b) {
  return a.localeCompare(b, 'en', { numeric: true });
}
