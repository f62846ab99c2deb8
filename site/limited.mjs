// @ts-check
// At most so many tasks at a time, begun in the order in which they were given.

/**
 * @param {number} most
 * @returns {<T>(task: () => Promise<T>) => Promise<T>}
 */
export function limited(most) {
  let running = 0;
  /** @type {(() => void)[]} */
  const queue = [];
  return async (task) => {
    if (running === most) {
      await new Promise((resolve) => queue.push(() => resolve(undefined)));
    } else {
      running += 1;
    }
    try {
      return await task();
    } finally {
      const next = queue.shift();
      if (next === undefined) {
        running -= 1;
      } else {
        next(); // takes the place over
      }
    }
  };
}
