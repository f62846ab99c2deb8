// @ts-check
// What a failover has cost, from what the owners were told and what the new master has.

/**
 * A grant, as its owner was told of it. Instants are milliseconds of the one monotonic clock that all processes
 * of a machine share.
 *
 * @typedef {object} Grant
 * @property {string} name
 * @property {string} client
 * @property {string} holderId
 * @property {string} [token] of a fenced lock
 * @property {boolean} [isFixed] nothing renews its lease
 * @property {number} askedAt
 * @property {number} grantedAt
 * @property {number} [heldFrom] `isHeld` had been seen true by then for the first time; none: it never was
 * @property {number} [heldUntil] the last time that was followed by a true `isHeld`
 * @property {number} [releasedAt] its release was called then
 *
 * @typedef {object} Failover
 * @property {number} grantedUntil grants that were reported by then may be lost
 * @property {number} heldAt if they were held then: the master was gone
 * @property {Map<string, Set<string>>} kept the holder ids of each lock that the new master began with
 *
 * @typedef {object} Overlap
 * @property {Grant} first
 * @property {Grant} second
 * @property {number} ms for so long both were told `held`
 *
 * @typedef {object} Count
 * @property {number} grants that were reported as held
 * @property {number} held when the master died
 * @property {number} lost of them, those that the new master does not have
 * @property {Overlap[]} overlaps
 * @property {string[]} broken what must not happen in any failover
 */

/** @param {Grant[]} grants */
function byName(grants) {
  /** @type {Map<string, Grant[]>} */
  const names = new Map();
  for (const grant of grants) {
    const others = names.get(grant.name);
    if (others === undefined) {
      names.set(grant.name, [grant]);
    } else {
      others.push(grant);
    }
  }
  return names;
}

/**
 * The grants that their owners had when the master died, or that were reported afterwards, before there was a new one.
 *
 * @param {Grant[]} grants
 * @param {Failover} failover
 */
const heldOf = (grants, { heldAt, grantedUntil }) =>
  grants.filter(
    ({ grantedAt, heldUntil = -Infinity, releasedAt = Infinity }) =>
      grantedAt < grantedUntil && releasedAt > heldAt && heldUntil >= heldAt,
  );

/**
 * Each two grants of one lock that were held at one time.
 *
 * @param {Grant[]} grants
 * @returns {Overlap[]}
 */
export function overlapsOf(grants) {
  /** @type {Overlap[]} */
  const found = [];
  for (const all of byName(grants).values()) {
    const spans = all
      .flatMap((grant) => {
        const { heldFrom, heldUntil } = grant;
        return heldFrom === undefined || heldUntil === undefined
          ? []
          : [{ grant, heldFrom, heldUntil }];
      })
      .toSorted((one, other) => one.heldFrom - other.heldFrom);
    for (const [index, first] of spans.entries()) {
      for (const second of spans.slice(index + 1)) {
        if (second.heldFrom >= first.heldUntil) {
          break;
        }
        const ms = Math.min(first.heldUntil, second.heldUntil) - second.heldFrom;
        if (ms > 0) {
          found.push({ first: first.grant, second: second.grant, ms });
        }
      }
    }
  }
  return found;
}

/**
 * Tokens that did not grow: a grant that was asked for when another one was known has a larger one.
 *
 * @param {Grant[]} grants
 */
function shrunkTokens(grants) {
  /** @type {string[]} */
  const broken = [];
  for (const all of byName(grants).values()) {
    for (const { askedAt, token: later } of all) {
      for (const { grantedAt, token: earlier } of all) {
        const isKnown = earlier !== undefined && later !== undefined && grantedAt < askedAt;
        if (isKnown && BigInt(later) <= BigInt(earlier)) {
          broken.push(`a token of ${all[0]?.name} did not grow: ${earlier}, later ${later}`);
        }
      }
    }
  }
  return broken;
}

/**
 * @param {Grant[]} grants
 * @param {Failover} failover
 * @returns {Count}
 */
export function countOf(grants, failover) {
  const held = heldOf(grants, failover);
  const lost = held.filter(({ name, holderId }) => failover.kept.get(name)?.has(holderId) !== true);
  const overlaps = overlapsOf(grants);
  const inClient = overlaps.filter(({ first, second }) => first.client === second.client);
  return {
    grants: grants.length,
    held: held.length,
    lost: lost.length,
    overlaps,
    broken: [
      ...inClient.map(({ first, ms }) => `two owners of ${first.name} in one client for ${ms} ms`),
      ...shrunkTokens(grants),
    ],
  };
}
