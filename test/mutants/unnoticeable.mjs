// @ts-check
// Generated mistakes that nobody could notice, and why. `npm run mutants` does not make them.

/**
 * @typedef {object} Unnoticeable
 * @property {string} file
 * @property {string} line as it stands in the file, without the space around it, and with «» around
 *   what the mistake replaces; the beginning of it where that is longer than the line
 * @property {string} to what it puts there, spaces joined, at most the first 70 characters
 * @property {string} why
 */

/** @type {Unnoticeable[]} */
export const unnoticeable = [
  {
    file: 'lua/expirable-semaphore/acquire.lua',
    line: 'if served «>» 0 and life_ms > 0 then',
    to: '>=',
    why: 'where nobody was served, life_ms is -1 or -2',
  },
  {
    file: 'lua/expirable-semaphore/acquire.lua',
    line: 'if served > 0 and life_ms «>» 0 then',
    to: '>=',
    why: 'a semaphore with 0 ms to live takes its permits with it before anybody can ask again',
  },
  {
    file: 'src/semaphore/answers.ts',
    line: 'return { granted: «0», retryMs: -1, available: full, isRefused: true };',
    to: '1',
    why: 'a refused release is told as an error before anybody asks what it has granted',
  },
  {
    file: 'lua/rwlock/lease.lua',
    line: "return '0 ' .. (mode == 'write' and ttl or -«2»)",
    to: '3',
    why: 'the client takes the longest lease of all answers, and -2 where none is longer',
  },
  {
    file: 'lua/constants.lua',
    line: 'PERMITS_CHUNK = «1000»,',
    to: '999',
    why: 'only how many arguments one command has',
  },
  {
    file: 'lua/lib/token_issue.lua',
    line: 'if number and number + 1 «<» micros then',
    to: '<=',
    why: 'a counter that becomes equal to the clock is counted or set to the same',
  },
  {
    file: 'lua/lib/fair_first.lua',
    line: 'local client = string.sub(id, «1», CLIENT_ID_LENGTH)',
    to: '0',
    why: 'the part of a string from 0 on begins with its first character',
  },
  {
    file: 'lua/lib/fair_score_queue.lua',
    line: 'local client = string.sub(holder, «1», CLIENT_ID_LENGTH)',
    to: '0',
    why: 'the part of a string from 0 on begins with its first character',
  },
  {
    file: 'lua/rwlock/lease.lua',
    line: "if reader ~= 'mode' and string.sub(reader, -«6») ~= ':write' then",
    to: '5',
    why: 'a writer has no lease among those of readers, and no hold keys: it counts as none anyway',
  },
  {
    file: 'src/lock/fair-queue.ts',
    line: 'isAsking = «false»;',
    to: 'true',
    why: 'every ticket is asked for as soon as it is made',
  },
  {
    file: 'src/core/connection/endpoint.ts',
    line: 'disconnectTimeout: «1»,',
    to: '0',
    why: 'a timer of 0 ms is one of 1 ms in Node.js',
  },
  {
    file: 'src/core/base/nearest.ts',
    line: 'return row.at(-1) ?? «0»;',
    to: '1',
    why: 'a row has a number at least',
  },
  {
    file: 'src/core/locks/lock-questions.ts',
    line: 'return longestMs «>=» enoughMs;',
    to: '>',
    why: 'a lease of exactly the length that is asked for costs one page more',
  },
  {
    file: 'src/rwlock/read-protocol.ts',
    line: 'const newest = count === «1» ? first : holdKey(stem, holderId, count);',
    to: '0',
    why: 'the key of hold 1 is the first one, made twice',
  },
  {
    file: 'src/core/observe/troubles.ts',
    line: 'const SHOWS_EVERY_MS = «500»;',
    to: '501',
    why: 'a millisecond of a time that is chosen for people',
  },
  {
    file: 'src/core/lease/lease.ts',
    line: 'most = «1»;',
    to: '0',
    why: 'numbered keys of holds that a release removes begin with the second',
  },
  {
    file: 'src/core/lease/lease.ts',
    line: 'isReordered = «false»;',
    to: 'true',
    why: '`start` sets it before anybody reads it',
  },
  {
    file: 'src/rwlock/protocol.ts',
    line: 'return «false»;',
    to: 'true',
    why: 'releases here name no receivers, so that its share of the lock is never used up',
  },
  {
    file: 'lua/expirable-semaphore/acquire.lua',
    line: 'if served > 0 and life_ms > «0» then',
    to: '1',
    why: 'a semaphore with 1 ms to live takes its permits with it before anybody can ask again',
  },
  {
    file: 'src/expirable-semaphore/acquisition.ts',
    line: 'granted(call: PendingCall, { lifeMs = -«1» }: PermitAnswer): boolean {',
    to: '0',
    why: 'every answer of this kind of semaphore says it',
  },
  {
    file: 'src/rwlock/reader-queue.ts',
    line: 'this.#wakeUps «+=» 1;',
    to: '-=',
    why: 'it is only compared with what it was',
  },
  {
    file: 'src/lock/protocol.ts',
    line: "? { is: 'granted', fencingToken: BigInt(answer.slice(«1»)) }",
    to: '0',
    why: 'BigInt reads a plus sign before a number',
  },
  {
    file: 'lua/lib/rw_left.lua',
    line: 'for hold = 1, math.min(tonumber(holds) or 0, «100») do',
    to: '101',
    why: 'a bound of what one reader of Redisson may cost, one hold more or less',
  },
  {
    file: 'src/rwlock/read-protocol.ts',
    line: '...holdKeys(stem, holder, Math.max(«2», count + 1), upTo),',
    to: '0',
    why: 'the first key is removed twice',
  },
  {
    file: 'lua/lib/semaphore_new_record.lua',
    line: 'life_ms = ttl_ms > «0» and ttl_ms or GENERATION_TTL_MS,',
    to: '1',
    why: 'a semaphore that lives for 1 ms is gone, and its record means nothing to the next one',
  },
  {
    file: 'lua/expirable-semaphore/update-lease.lua',
    line: "local expiry = tonumber(redis.call('ZSCORE', timeouts, ARGV[3]) or «0»)",
    to: '1',
    why: 'either is an instant of long ago',
  },
  {
    file: 'src/core/connection/slots.ts',
    line: "const close = open < 0 ? -1 : key.indexOf('}', open + «1»);",
    to: '0',
    why: 'what stands at the place itself is the opening brace',
  },
  {
    file: 'src/core/observe/troubles.ts',
    line: 'const TOLD_AFTER_MS = «1_000»;',
    to: '1001',
    why: 'a millisecond of a patience of a second',
  },
  {
    file: 'src/core/connection/create-router.ts',
    line: 'const READY_LIMIT_MIN_MS = «2_000»;',
    to: '2001',
    why: 'a millisecond of a limit of seconds',
  },
  {
    file: 'src/core/connection/map-refresh.ts',
    line: 'if (waitMs > «0») {',
    to: '1',
    why: 'the map is read a millisecond sooner at most',
  },
  {
    file: 'src/core/observe/slow-wait.ts',
    line: 'if (dueAt «>» lastAt && dueAt <= firstAt + this.#togetherMs) {',
    to: '>=',
    why: 'the same instant is put down again',
  },
  {
    file: 'src/core/base/nearest.ts',
    line: 'let row = Array.from({ length: to.length + «1» }, (_, column) => column);',
    to: '2',
    why: 'the row is used up by the first letter; without letters all are one further away',
  },
  {
    file: 'lua/lib/rw_left.lua',
    line: 'for hold = 1, math.min(tonumber(holds) or «0», 100) do',
    to: '1',
    why: 'the holds of a reader are a number; where another text stands there, no hold key exists',
  },
  {
    file: 'src/core/name-entry.ts',
    line: '«end(waitLimit.ending);»',
    to: ';',
    why: 'only where a wait ends and another object takes the name in the microtask behind an answer',
  },
  {
    file: 'lua/lib/fair_enter_queue.lua',
    line: 'if length <= «100» or is_damaged then',
    to: '101',
    why: 'a bound of how long a queue is looked through for a place that was lost, one entry more',
  },
];
