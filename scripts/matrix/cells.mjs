// @ts-check
// Which combinations of a server, a release of Node.js and a driver are run.

/**
 * @template S, N, D
 * @typedef {{ server: S, node: N, driver: D }} Cell
 */

/**
 * Pairs of neighbours: each server, Node.js and driver is in two of them at least, and so is each pair of Node.js
 * and driver in one, where there are enough servers. The two of a server have nothing else in common.
 *
 * @template S, N, D
 * @param {readonly S[]} servers
 * @param {readonly N[]} nodes
 * @param {readonly D[]} drivers
 * @returns {Cell<S, N, D>[]}
 */
export function pairs(servers, nodes, drivers) {
  if (servers.length === 0 || nodes.length === 0 || drivers.length === 0) {
    return [];
  }
  const count = 2 * Math.max(servers.length, nodes.length, drivers.length);
  const cells = Array.from({ length: count }, (_, index) => ({
    server: at(servers, Math.floor(index / 2)),
    node: at(nodes, index),
    driver: at(drivers, index),
  }));
  return cells.filter((cell, index) => cells.findIndex((other) => isSame(cell, other)) === index);
}

/**
 * @template S, N, D
 * @param {readonly S[]} servers
 * @param {readonly N[]} nodes
 * @param {readonly D[]} drivers
 * @returns {Cell<S, N, D>[]}
 */
export function product(servers, nodes, drivers) {
  return servers.flatMap((server) =>
    nodes.flatMap((node) => drivers.map((driver) => ({ server, node, driver }))),
  );
}

/**
 * @template T
 * @param {readonly T[]} values
 * @param {number} index
 */
function at(values, index) {
  return /** @type {T} */ (values[index % values.length]);
}

/**
 * @param {Cell<unknown, unknown, unknown>} a
 * @param {Cell<unknown, unknown, unknown>} b
 */
function isSame(a, b) {
  return a.server === b.server && a.node === b.node && a.driver === b.driver;
}
