// @ts-check
// Through which files one operation walks.

/**
 * @typedef {object} Walk
 * @property {number} files that were entered
 * @property {number} functions that were entered
 * @property {number} calls of functions
 * @property {number} moves from one file to another
 * @property {number} returns to a file that was left before
 */

/** @type {string[] | undefined} */
let log;

Object.assign(globalThis, {
  /** @param {string} place */
  entered: (place) => log?.push(place),
});

/** @param {string} place */
const fileOf = (place) => place.slice(0, place.indexOf(':'));

/**
 * Runs an operation of the copy that reports what it enters.
 *
 * @template T
 * @param {() => Promise<T>} operation
 * @returns {Promise<{ value: T, route: string[] }>} the functions in the order in which they were entered
 */
export async function routeOf(operation) {
  log = [];
  const value = await operation();
  const route = log;
  log = undefined;
  return { value, route };
}

/**
 * @param {string[]} route
 * @returns {Walk}
 */
export function walkOf(route) {
  const rooms = route.map(fileOf).filter((file, i, all) => file !== all[i - 1]);
  const files = new Set(rooms).size;
  return {
    files,
    functions: new Set(route).size,
    calls: route.length,
    moves: Math.max(0, rooms.length - 1),
    returns: rooms.length - files,
  };
}

/**
 * The files in the order in which they were entered first.
 *
 * @param {string[]} route
 */
export function filesOf(route) {
  return [...new Set(route.map(fileOf))];
}
