// @ts-check
// What must have happened in an act besides: the accident, and that it cost the others no more than it may.
/** @typedef {import('./history.mjs').Claim} Claim */
/** @typedef {{ ok: boolean, said: string }} Finding one sentence: what was shown, or what was violated */
/**
 * An act that is over.
 * @typedef {Pick<import('./stage.mjs').Stage, 'act' | 'events' | 'leaseMs' | 'gunAt' | 'workers' | 'nameOf'> &
 *   { history: import('../test/simulation/history.js').History }} Scene
 */

/** What a busy machine may add to a lease before the next holder has it in hand. */
const GRACE_MS = 500;

/** How long the dead and the frozen in a line, and cut connections, may keep others waiting. */
const AT_MOST_MS = 5_000;

/** @param {boolean} ok @param {string} shown @param {string} [violated] @returns {Finding} */
export const finding = (ok, shown, violated = shown) => ({ ok, said: ok ? shown : violated });

/** What befell somebody first. @param {Pick<Scene, 'history'>} scene */
export const accidentOf = ({ history: { faults } }) => faults[0];

/** The first grant after the accident that fulfils a condition. @param {Scene} scene @param {(claim: Claim) => boolean} [is] */
export function grantAfter(scene, is = () => true) {
  const accident = accidentOf(scene);
  return scene.history.claims.find(
    (claim) =>
      accident !== undefined &&
      claim.from > accident.from &&
      claim.client !== accident.client &&
      is(claim),
  );
}

/** The grant with which the accident was overcome. @param {Scene} scene */
export const recoveryOf = (scene) => (scene.act.recovery ?? grantAfter)(scene);

/** From the accident until it was overcome; NaN if it never was. @param {Scene} scene */
export function recoveryMs(scene) {
  const [accident, recovery] = [accidentOf(scene), recoveryOf(scene)];
  return accident === undefined || recovery === undefined
    ? Number.NaN
    : recovery.from - accident.from;
}

/** @param {Scene} scene @returns {Finding} */
export function goneOn(scene) {
  const ms = Math.round(recoveryMs(scene));
  const { recovered, isLeaseOver } = scene.act;
  const most = isLeaseOver ? scene.leaseMs + GRACE_MS : AT_MOST_MS;
  return finding(
    ms <= most,
    `${recovered} ${ms} ms after the accident, in ${most} ms at most`,
    `${recovered} ${ms} ms after the accident, and had ${most} ms`,
  );
}

/** Somebody was killed while holding. @param {Scene} scene @returns {Finding} */
export function diedHolding({ history: { claims, faults }, nameOf }) {
  const dead = claims.find(({ end, client, from }) =>
    faults.some((f) => end === 'open' && f.what === 'kill' && f.client === client && f.from > from),
  );
  return finding(
    dead !== undefined,
    `${nameOf(dead?.client ?? 0)} was killed while it held`,
    'nobody was killed while holding',
  );
}

/** Somebody was frozen while holding until the lease was over, was told, and wrote all the same. @param {Scene} scene @returns {Finding[]} */
export function sleptThrough({ history: { claims, faults, fencedStore }, nameOf }) {
  const stall = faults.find(({ what }) => what === 'stall');
  const lost = claims.find(
    ({ client, end, from, until, toldLostAt }) =>
      client === stall?.client &&
      end === 'lost' &&
      from < stall.from &&
      until < stall.until &&
      toldLostAt !== undefined,
  );
  const late = fencedStore.writes.find(({ isAccepted }) => !isAccepted);
  const name = nameOf(stall?.client ?? 0);
  return [
    finding(
      lost !== undefined,
      `${name} was frozen while it held until its lease was over, and was told so when it woke`,
      'nobody was frozen while holding until the lease was over, and told so',
    ),
    finding(
      late !== undefined && late.owner === lost?.owner,
      `its late write was refused: token ${late?.token} is too old`,
      'its late write was never sent, or the store took it',
    ),
  ];
}

/** Some waited in line when one of them was killed and another one frozen, which was served at last. @param {Scene} scene @returns {Finding} */
export function lostInLine({ history: { operations, faults } }) {
  const [dead, frozen] = [
    faults.find((f) => f.what === 'kill'),
    faults.find((f) => f.what === 'stall'),
  ];
  const at = dead?.from ?? 0;
  const line = operations.filter(
    (o) => o.action === 'acquire' && o.calledAt < at && o.returnedAt > at,
  );
  const wait = line.find(({ client }) => client === frozen?.client);
  const isDeadThere = line.some(({ client }) => client === dead?.client);
  return finding(
    isDeadThere && wait?.outcome === 'ok' && line.length > 2,
    `worker ${dead?.client} was killed and worker ${frozen?.client} frozen among ${line.length} who waited; the frozen one was served when it ran again`,
    'nobody was killed and nobody frozen in front of others, or the frozen one was never served',
  );
}

/** Permits, or readers, were in use together. @param {Scene} scene @param {number} count @param {(claim: Claim) => boolean} [is] @returns {Finding} */
export function usedTogether({ history: { claims } }, count, is = () => true) {
  const own = claims.filter(is);
  const times = own.filter((claim) => insideAt(own, claim.from) >= count).length;
  return finding(
    times > 0,
    `${times} times somebody came in and ${count} or more were inside`,
    `${count} were never inside at once`,
  );
}

/** How many claims there are at an instant. @param {readonly Claim[]} claims @param {number} at */
export const insideAt = (claims, at) =>
  claims.reduce((sum, { from, until }) => sum + (from <= at && until > at ? 1 : 0), 0);

/** Connections were cut under calls that waited. @param {Scene} scene @returns {Finding} */
export function cutWaiting({ history: { operations, faults } }) {
  const cuts = faults.filter(({ what }) => what === 'cut');
  const waits = operations.filter(({ action, client, calledAt, returnedAt }) =>
    cuts.some(
      (f) =>
        action === 'acquire' && f.client === client && calledAt < f.from && returnedAt > f.from,
    ),
  );
  return finding(
    waits.length > 0,
    `all connections of ${cuts.length} workers were cut, ${waits.length} of which waited`,
    'no connections were cut of somebody who waited',
  );
}
