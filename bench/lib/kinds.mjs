// @ts-check
// What can be acquired and released, as redlatch offers it.

/**
 * @typedef {import('../../dist/index.js').Client} Client
 *
 * @typedef {'lock' | 'fenced lock' | 'fair lock' | 'write lock' | 'read lock'
 *   | 'permit-expirable semaphore'} LeasedKind
 * @typedef {LeasedKind | 'semaphore'} Kind
 *
 * @typedef {{ release(): Promise<void> }} Grant
 * @typedef {Grant & { readonly signal: AbortSignal, readonly isHeld: boolean }} LeasedGrant
 * @typedef {() => Promise<void>} Cycle one acquire and release
 */

/** Of which a cycle takes one. */
export const PERMITS = 100;

/**
 * What grants that are renewed are taken of.
 * @type {Record<LeasedKind,
 *   (client: Client, name: string) => { acquire(): Promise<LeasedGrant> }>}
 */
export const leased = {
  lock: (client, name) => client.getLock(name),
  'fenced lock': (client, name) => client.getFencedLock(name),
  'fair lock': (client, name) => client.getFairLock(name),
  'write lock': (client, name) => client.getReadWriteLock(name).writeLock,
  'read lock': (client, name) => client.getReadWriteLock(name).readLock,
  'permit-expirable semaphore': (client, name) => client.getPermitExpirableSemaphore(name),
};

/**
 * Has the client connect; gives a semaphore its permits unless it has some.
 * @param {Client} client
 * @param {Kind} kind
 * @param {string} name
 * @param {number} [permits]
 */
export async function setUp(client, kind, name, permits = PERMITS) {
  if (kind === 'semaphore') {
    await client.getSemaphore(name).trySetPermits(permits);
  } else if (kind === 'permit-expirable semaphore') {
    await client.getPermitExpirableSemaphore(name).trySetPermits(permits);
  } else {
    await client.getLock('connected').isLocked();
  }
}

/**
 * @param {Client} client
 * @param {Kind} kind
 * @param {string} name
 * @returns {() => Promise<Grant>}
 */
export function acquirer(client, kind, name) {
  const object = kind === 'semaphore' ? client.getSemaphore(name) : leased[kind](client, name);
  return () => object.acquire();
}
