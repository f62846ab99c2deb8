// @ts-check
// Free loopback ports, below the range the system hands out by itself: a port of ours is not taken
// as somebody's source port between the check and its use. 6379 is outside the range.

import { createServer } from 'node:net';

const lowest = 20_000;
const highest = 32_000;

/**
 * @param {number} port
 * @returns {Promise<boolean>}
 */
async function isFree(port) {
  const server = createServer();
  return await new Promise((resolve) => {
    server.once('error', () => resolve(false));
    server.listen({ port, host: '127.0.0.1', exclusive: true }, () => {
      server.close(() => resolve(true));
    });
  });
}

/**
 * A random free loopback port. Somebody may take it before the caller does: retry on a race.
 *
 * @param {{ andPlus?: number }} [options] `andPlus` asks for port + andPlus to be free as well
 * @returns {Promise<number>}
 */
export async function freePort({ andPlus } = {}) {
  for (let tries = 0; tries < 100; tries += 1) {
    const port = lowest + Math.floor(Math.random() * (highest - lowest));
    if ((await isFree(port)) && (andPlus === undefined || (await isFree(port + andPlus)))) {
      return port;
    }
  }
  throw new Error('no free loopback port found in 100 tries');
}
