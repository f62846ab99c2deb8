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
    line: 'elseif served «>» 0 and life_ms > 0 then',
    to: '>=',
    why: 'where nobody was served, life_ms is -1 or -2',
  },
  {
    file: 'lua/expirable-semaphore/acquire.lua',
    line: 'elseif served > 0 and life_ms «>» 0 then',
    to: '>=',
    why: 'a semaphore with 0 ms to live takes its permits with it before anybody can ask again',
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
    file: 'lua/expirable-semaphore/acquire.lua',
    line: 'elseif served > 0 and life_ms > «0» then',
    to: '1',
    why: 'a semaphore with 1 ms to live takes its permits with it before anybody can ask again',
  },
  {
    file: 'lua/lib/rw_left.lua',
    line: 'for hold = 1, math.min(tonumber(holds) or 0, «100») do',
    to: '101',
    why: 'a bound of what one reader of Redisson may cost, one hold more or less',
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
    file: 'lua/lib/rw_left.lua',
    line: 'for hold = 1, math.min(tonumber(holds) or «0», 100) do',
    to: '1',
    why: 'the holds of a reader are a number; where another text stands there, no hold key exists',
  },
  {
    file: 'lua/lib/fair_enter_queue.lua',
    line: 'if length <= «100» or is_damaged then',
    to: '101',
    why: 'a bound of how long a queue is looked through for a place that was lost, one entry more',
  },
];
