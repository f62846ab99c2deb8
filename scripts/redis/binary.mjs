// @ts-check
// Finds a server program that is already on this machine.

import { accessSync, constants } from 'node:fs';
import { delimiter, join, resolve } from 'node:path';
import { RedisUnavailableError } from './errors.mjs';

/**
 * @typedef {object} Binary
 * @property {string} path
 * @property {NodeJS.ProcessEnv} env what it needs besides our own environment
 */

/**
 * @param {string} path
 * @returns {boolean}
 */
function isExecutable(path) {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/**
 * REDIS_SERVER_BIN, else redis-server or valkey-server on PATH.
 *
 * @returns {Binary | undefined}
 */
export function findBinary() {
  const named = process.env['REDIS_SERVER_BIN'] ?? '';
  if (named !== '') {
    if (!isExecutable(named)) {
      throw new RedisUnavailableError(`REDIS_SERVER_BIN is not an executable file: "${named}"`);
    }
    return { path: resolve(named), env: {} };
  }
  const folders = (process.env['PATH'] ?? '').split(delimiter).filter((folder) => folder !== '');
  const path = ['redis-server', 'valkey-server']
    .flatMap((name) => folders.map((folder) => join(folder, name)))
    .find(isExecutable);
  return path === undefined ? undefined : { path, env: {} };
}
