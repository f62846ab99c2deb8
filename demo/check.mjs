// @ts-check
// The invariants, computed from what was recorded. Each finding says in one sentence what was
// proven, or what was violated. A run in which too little happened proves nothing, so that counts
// as a violation too.
import { msBetween, ofType } from './events.mjs';

/** @typedef {import('./events.mjs').DemoEvent} DemoEvent */
/** @typedef {import('./events.mjs').Turn} Turn */
/** @typedef {import('./stage.mjs').Stage} Stage */
/** @typedef {Turn & { held: bigint, end: bigint }} Claim a turn that was granted and has ended */
/** @typedef {{ ok: boolean, said: string }} Finding */

/** Contended grants without which a run would prove nothing. */
const ENOUGH = 20;

/** What a busy machine may add to a lease before the next holder has it in hand. */
const GRACE_MS = 500;

/** @param {boolean} ok @param {string} proven @param {string} [violated] @returns {Finding} */
const finding = (ok, proven, violated = proven) => ({ ok, said: ok ? proven : violated });

/** @param {Turn} turn @returns {turn is Claim} */
const isClaim = (turn) => turn.held !== undefined && turn.end !== undefined;

/**
 * What holds for every act.
 * @param {Stage} stage
 * @returns {Finding[]}
 */
export const checkEveryAct = ({ act, events, turns }) => [
  neverTooMany(turns, act.capacity),
  contended(turns),
  noTrouble(events),
];

/**
 * What holds for the latches around every act.
 * @param {Stage} stage
 * @returns {Finding[]}
 */
export const checkLatches = ({ events, workers }) => [
  startGun(events, workers),
  finishLine(events),
];

/**
 * Claims of different workers never overlap, or at most `capacity` of them do.
 * @param {Turn[]} turns
 * @param {number} capacity
 */
function neverTooMany(turns, capacity) {
  const claims = turns.filter(isClaim);
  const together = claims.filter(
    (claim) =>
      claims.filter((other) => other.held <= claim.held && claim.held < other.end).length >
      capacity,
  ).length;
  const many = capacity === 1 ? 'two' : String(capacity + 1);
  return finding(
    together === 0,
    `${claims.length} holds, never ${many} at once`,
    `${together} of ${claims.length} holds began while ${capacity} other was held`,
  );
}

/** @param {Turn[]} turns */
function contended(turns) {
  const wanted = turns.filter(({ worker, held: grant }) =>
    turns.some(
      (other) =>
        grant !== undefined &&
        other.worker !== worker &&
        other.asked < grant &&
        grant < (other.held ?? grant + 1n),
    ),
  ).length;
  return finding(
    wanted >= ENOUGH,
    `${wanted} of them granted while others waited`,
    `only ${wanted} contended holds, ${ENOUGH} would prove something`,
  );
}

/** @param {DemoEvent[]} events @param {number[]} workers */
function startGun(events, workers) {
  const [gun] = ofType(events, 'gun');
  const passes = ofType(events, 'go');
  const early = passes.filter((pass) => gun === undefined || pass.at < gun.at).length;
  return finding(
    early === 0 && passes.length === workers.length,
    `start gun: ${passes.length} workers passed, none before the shot`,
    `start gun: ${passes.length} of ${workers.length} passed, ${early} before the shot`,
  );
}

/** @param {DemoEvent[]} events */
function finishLine(events) {
  const arrivals = ofType(events, 'arrived');
  const passes = ofType(events, 'finished');
  const last = arrivals.map((event) => event.at).reduce((a, b) => (a > b ? a : b), 0n);
  const early = passes.filter((pass) => pass.at < last).length;
  return finding(
    early === 0 && passes.length === arrivals.length && passes.length > 1,
    `finish line: ${passes.length} workers passed, none before the last had arrived`,
    `finish line: ${passes.length} of ${arrivals.length} passed, ${early} before the last arrival`,
  );
}

/** @param {DemoEvent[]} events */
function noTrouble(events) {
  const [trouble] = ofType(events, 'trouble');
  return finding(
    trouble === undefined,
    'all workers ended by themselves, none met an error',
    `worker ${trouble?.worker}: ${trouble?.message ?? 'did not end by itself'}`,
  );
}

/** @param {DemoEvent[]} events @param {number} final the counter's last value */
export function noLostUpdate(events, final) {
  const acknowledged = ofType(events, 'increment').length;
  return finding(
    final === acknowledged && final > 0,
    `the counter is ${final} after ${acknowledged} acknowledged increments: no update lost`,
    `the counter is ${final} after ${acknowledged} acknowledged increments: updates were lost`,
  );
}

/** @param {Turn[]} turns */
export function tokensGrow(turns) {
  const tokens = turns.filter((turn) => turn.held !== undefined).map((turn) => turn.token);
  const stuck = tokens.filter((token, index) => {
    const before = tokens[index - 1];
    return token === undefined || (before !== undefined && token <= before);
  }).length;
  return finding(
    stuck === 0 && tokens.length > 0,
    `${tokens.length} fencing tokens, each larger than the one before`,
    `${stuck} of ${tokens.length} fencing tokens were not larger than the one before`,
  );
}

/** @param {import('./token-store.mjs').StoreWrite[]} writes */
export function storeNeverWentBack(writes) {
  const taken = writes.filter((write) => write.accepted);
  const back = taken.filter((write, index) => write.token < (taken[index - 1]?.token ?? 0n)).length;
  return finding(
    back === 0 && taken.length > 0,
    `the store took ${taken.length} writes, none with a smaller token than before`,
    `the store took ${back} writes with a smaller token than it had taken before`,
  );
}

/**
 * @param {Stage} stage
 * @returns {Finding[]}
 */
export function killed({ events, turns, leaseMs }) {
  const [shot] = ofType(events, 'killed');
  const atMercy = ofType(events, 'at-mercy', shot?.worker)[0];
  const last = turns.findLast((turn) => turn.worker === shot?.worker);
  const holding = atMercy?.isHeld === true && last?.ended === 'killed' && last.held !== undefined;
  return [
    finding(
      holding,
      `worker ${shot?.worker} was killed while it held`,
      'nobody was killed while holding',
    ),
    goneOn(turns, shot, atMercy?.deadline, leaseMs),
  ];
}

/**
 * @param {Stage} stage
 * @returns {Finding[]}
 */
export function paused({ events, turns, leaseMs }) {
  const [stop] = ofType(events, 'paused');
  const [awake] = ofType(events, 'resumed', stop?.worker);
  const frozen = turns.find((turn) => turn.pausedAt !== undefined);
  const stale = ofType(events, 'write', stop?.worker).find((event) => event.stale === true);
  const holding = frozen?.held !== undefined && frozen.held < (frozen.pausedAt ?? 0n);
  const outlived = (frozen?.continuedAt ?? 0n) > (frozen?.deadline ?? 0n);
  return [
    finding(
      holding && outlived,
      `worker ${stop?.worker} was frozen while it held, until its lease was over`,
      'nobody was frozen while holding until the lease was over',
    ),
    finding(
      awake?.isHeld === false && awake.aborted === true,
      'its first line after the pause read isHeld false and signal.aborted true',
      `its first line after the pause read isHeld ${awake?.isHeld}, aborted ${awake?.aborted}`,
    ),
    finding(
      stale?.accepted === false,
      `its late write was refused: token ${stale?.token} is too old`,
      `its late write was ${stale === undefined ? 'never sent' : 'taken by the store'}`,
    ),
    goneOn(turns, stop, frozen?.deadline, leaseMs),
  ];
}

/**
 * The others wait for the rest of the lease, and no longer.
 * @param {Turn[]} turns
 * @param {DemoEvent | undefined} accident
 * @param {bigint | undefined} deadline before that the lease cannot have been over
 * @param {number} leaseMs
 */
function goneOn(turns, accident, deadline, leaseMs) {
  if (accident === undefined || deadline === undefined) {
    return finding(false, 'there was no accident');
  }
  const ms = Math.round(recoveryMs(turns, accident));
  const earliest = Math.floor(msBetween(accident.at, deadline));
  return finding(
    ms >= earliest && ms <= leaseMs + GRACE_MS,
    `the others went on ${ms} ms later, as soon as its lease of ${leaseMs} ms was over`,
    `the others went on ${ms} ms later; the lease was over after ${earliest} to ${leaseMs} ms`,
  );
}

/**
 * From an accident until another worker held, NaN if none ever did.
 * @param {Turn[]} turns
 * @param {DemoEvent} accident
 */
export function recoveryMs(turns, accident) {
  const next = firstGrantAfter(turns, accident);
  return next === undefined ? Number.NaN : msBetween(accident.at, next.held);
}

/**
 * @param {Turn[]} turns
 * @param {DemoEvent} accident
 */
export const firstGrantAfter = (turns, { at, worker }) =>
  turns.find(
    /** @returns {turn is Turn & { held: bigint }} */
    (turn) => turn.worker !== worker && turn.held !== undefined && turn.held > at,
  );
