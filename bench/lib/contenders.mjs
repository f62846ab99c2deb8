// @ts-check
// Those that take one lock in turn, side by side in one run.
import { createClient } from '../../dist/index.js';
import { acquirer, setUp } from './kinds.mjs';
import { LuaQueue } from './lua-queue.mjs';
import { isPeer, locksOf, semaphoreOf } from './peers.mjs';
import { Polling } from './polling.mjs';

/**
 * @typedef {import('./kinds.mjs').Kind} Kind
 * @typedef {import('./kinds.mjs').Grant} Grant
 * @typedef {'direct' | 'strict'} HandOff
 * @typedef {HandOff | 'write' | 'fair' | 'permits'} Own
 * @typedef {Own | 'queue' | 'polling' | import('./peers.mjs').Peer | 'Redisson'} Contender
 *
 * @typedef {object} Contended
 * @property {string} url
 * @property {string} keyPrefix
 * @property {Kind | 'read-write lock'} kind
 * @property {string} name
 * @property {number} permits of a semaphore
 * @property {Contender} contender
 */

/**
 * @param {Contended} options
 * @returns {Promise<{ acquire(isShared: boolean): Promise<Grant>, readonly sent?: number }>} `sent`: commands
 *   that the server does not tell from those of scripts; `isShared`: of a read-write lock, to read
 */
export async function contenderOf({ url, keyPrefix, kind, name, permits, contender }) {
  if (contender === 'polling') {
    return new Polling(url, keyPrefix + name);
  }
  if (contender === 'queue') {
    const queue = new LuaQueue(url, keyPrefix + name, permits);
    await queue.open();
    return queue;
  }
  if (contender === 'Redisson') {
    throw new Error('Redisson has processes of its own');
  }
  if (isPeer(contender)) {
    if (kind === 'semaphore') {
      return { acquire: semaphoreOf(url, keyPrefix + name, permits) };
    }
    return { acquire: locksOf(contender, url)(keyPrefix + name) };
  }
  const [its, handOff] = wayOf(contender);
  const client = createClient({ redis: url, keyPrefix, handOff });
  if (kind === 'read-write lock') {
    const { readLock, writeLock } = client.getReadWriteLock(name);
    return { acquire: (isShared) => (isShared ? readLock : writeLock).acquire() };
  }
  await setUp(client, its ?? kind, name, permits);
  return { acquire: acquirer(client, its ?? kind, name) };
}

/**
 * The kind of object that a contender takes, if it takes one of its own, and how that is handed on.
 * @param {Own} contender
 * @returns {[Kind | undefined, HandOff]}
 */
function wayOf(contender) {
  switch (contender) {
    case 'write':
      return ['write lock', 'direct'];
    case 'fair':
      return ['fair lock', 'direct'];
    case 'permits':
      return ['permit-expirable semaphore', 'direct'];
    default:
      return [undefined, contender];
  }
}

/**
 * The locks of redlatch, or of another library, by name.
 * @param {object} options
 * @param {string} options.url
 * @param {string} options.keyPrefix
 * @param {'ours' | import('./peers.mjs').Peer} options.side
 * @param {number} options.leaseMs
 * @returns {import('./peers.mjs').Locks}
 */
export function locksOfSide({ url, keyPrefix, side, leaseMs }) {
  if (side !== 'ours') {
    const locks = locksOf(side, url, leaseMs);
    return (name) => locks(keyPrefix + name);
  }
  // A thousand calls at once may take long on a busy machine.
  const client = createClient({ redis: url, keyPrefix, leaseMs, commandTimeoutMs: 60_000 });
  return (name) => () => client.getLock(name).acquire();
}
