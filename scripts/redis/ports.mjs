// @ts-check
// Loopback ports, below the range the system hands out by itself: a port of ours is not taken as
// somebody's source port between the check and its use. 6379 is outside the range.

import { createSocket } from 'node:dgram';
import { createServer } from 'node:net';

const lowest = 20_000;
const highest = 32_000;

/**
 * @typedef {object} Reservation
 * @property {number} port
 * @property {() => void} release idempotent; the end of this process does it too
 */

/**
 * @param {number} port
 * @returns {Promise<boolean>} whether nobody listens there
 */
async function isUnused(port) {
  const server = createServer();
  return await new Promise((resolve) => {
    server.once('error', () => resolve(false));
    server.listen({ port, host: '127.0.0.1', exclusive: true }, () => {
      server.close(() => resolve(true));
    });
  });
}

/**
 * Takes the UDP port of this number. Its TCP port is looked at only by whoever has that one, so
 * the owner of a reservation can listen, stop and listen again, and nobody comes between.
 *
 * @param {number} port
 * @returns {Promise<import('node:dgram').Socket | undefined>} undefined when either is taken
 */
async function take(port) {
  const socket = createSocket('udp4');
  const isBound = await new Promise((/** @type {(value: boolean) => void} */ resolve) => {
    socket.on('error', () => resolve(false));
    socket.bind({ port, address: '127.0.0.1', exclusive: true }, () => resolve(true));
  });
  if (isBound && (await isUnused(port))) {
    return socket.unref();
  }
  socket.close();
  return undefined;
}

/**
 * @param {number} port
 * @returns {Promise<boolean>} whether `reservePort` could hand it out
 */
export async function isFree(port) {
  const socket = await take(port);
  socket?.close();
  return socket !== undefined;
}

/**
 * A random free loopback port, which no other process that asks here gets until it is released.
 *
 * @param {{ andPlus?: number }} [options] `andPlus` reserves port + andPlus as well
 * @returns {Promise<Reservation>}
 */
export async function reservePort({ andPlus } = {}) {
  const span = highest - lowest - (andPlus ?? 0);
  for (let tries = 0; tries < 100; tries += 1) {
    const port = lowest + Math.floor(Math.random() * span);
    const wanted = andPlus === undefined ? [port] : [port, port + andPlus];
    const taken = await Promise.all(wanted.map(take));
    const sockets = taken.filter((socket) => socket !== undefined);
    const release = () => {
      for (const socket of sockets.splice(0)) {
        socket.close();
      }
    };
    if (sockets.length === wanted.length) {
      return { port, release };
    }
    release();
  }
  throw new Error('no free loopback port found in 100 tries');
}
