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
];
