// @ts-check
// Single commands to servers that are being set up, and waiting for what they say.

import { Redis } from 'ioredis';

/**
 * Sends one command on its own connection.
 *
 * @param {{ port: number, host?: string, ca?: Buffer, timeoutMs?: number }} server
 * @param {string} command
 * @param {...(string | number)} args
 * @returns {Promise<unknown>} rejects with the server's error
 */
export async function call({ port, host = '127.0.0.1', ca, timeoutMs = 2_000 }, command, ...args) {
  const redis = new Redis({
    port,
    host,
    ...(ca === undefined ? {} : { tls: { ca, checkServerIdentity: () => undefined } }),
    lazyConnect: true,
    connectTimeout: timeoutMs,
    commandTimeout: timeoutMs,
    // Once, and also to a server that is loading: whoever asks decides whether to ask again.
    retryStrategy: () => null,
    enableReadyCheck: false,
    enableOfflineQueue: false,
    disableClientInfo: true,
    protocol: 2,
  });
  /** @type {unknown} why there is no connection, which the driver does not say again */
  let cause;
  redis.on('error', (error) => (cause = error));
  try {
    await redis.connect();
    return await redis.call(command, args);
  } catch (error) {
    throw cause ?? error;
  } finally {
    const { stream } = /** @type {{ stream?: import('node:net').Socket }} */ (redis);
    redis.disconnect();
    stream?.destroy();
  }
}

/**
 * One field of an INFO-like answer ("name:value" lines).
 *
 * @param {unknown} info
 * @param {string} name
 * @returns {string | undefined}
 */
export function field(info, name) {
  return new RegExp(`^${name}:(.*?)\\r?$`, 'm').exec(String(info))?.[1];
}

/**
 * Polls until the check says true.
 *
 * @param {string} what for the error
 * @param {() => Promise<boolean>} check a rejection counts as "not yet"
 * @param {{ withinMs: number, everyMs?: number }} limits
 * @returns {Promise<void>}
 */
export async function until(what, check, { withinMs, everyMs = 25 }) {
  const end = performance.now() + withinMs;
  /** @type {unknown} */
  let last;
  do {
    try {
      if (await check()) {
        return;
      }
    } catch (error) {
      last = error;
    }
    await new Promise((resolve) => {
      setTimeout(resolve, everyMs);
    });
  } while (performance.now() < end);
  throw new Error(`${what} did not happen within ${withinMs} ms`, { cause: last });
}
