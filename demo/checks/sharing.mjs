// @ts-check
// Readers together, writers alone, and neither for ever.
import { later, msBetween } from '../events.mjs';
import { finding, GRACE_MS, isClaim, isGranted, occupiedUntil } from './finding.mjs';
import { insideAt } from './overlap.mjs';

/** @typedef {import('../events.mjs').Turn} Turn */
/** @typedef {import('./finding.mjs').Finding} Finding */
/** @typedef {import('./finding.mjs').Recorded} Recorded */
/** @typedef {import('./finding.mjs').Claim} Claim */

/** What those who came first may add to the lease of a dead reader. */
const ROUND_MS = 1_000;

/** @param {Turn} turn */
const writes = ({ mode }) => mode === 'write';

/**
 * No claim of a writer overlaps any other.
 * @param {Turn[]} turns
 */
export function writersAlone(turns) {
  const claims = turns.filter(isClaim);
  const writers = claims.filter(writes);
  const inside = insideAt(
    claims.map(({ held }) => held),
    claims.map((claim) => ({ from: claim.held, to: occupiedUntil(claim) })),
  );
  const disturbed = claims.filter((claim, index) => {
    const next = claims[index + 1]?.held;
    const until = claim.downgradedAt ?? claim.end;
    return writes(claim) && ((inside[index] ?? 0) > 1 || (next !== undefined && next < until));
  }).length;
  return finding(
    disturbed === 0 && writers.length > 0,
    `${writers.length} times somebody wrote, always alone`,
    `${disturbed} of ${writers.length} times somebody wrote while another wrote or read`,
  );
}

/**
 * Readers do read at the same time.
 * @param {Turn[]} turns
 * @param {number} readers how many there are
 */
export function readersOverlap(turns, readers) {
  const times = turns.filter(isClaim).filter((turn) => !writes(turn)).length;
  const most = mostReaders(turns);
  return finding(
    most > 1,
    `${times} times somebody read, up to ${most} of ${readers} readers at once`,
    `${times} times somebody read, but never two of ${readers} readers at once`,
  );
}

/** How many have read at once. @param {Turn[]} turns */
function mostReaders(turns) {
  const claims = turns.filter(isClaim).filter((turn) => !writes(turn));
  const inside = insideAt(
    claims.map(({ held }) => held),
    claims.map(({ held, end }) => ({ from: held, to: end })),
  );
  return inside.reduce((most, count) => Math.max(most, count), 0);
}

/**
 * Nobody who asked to read after a writer stood in line, as seen in Redis, got in before it.
 * @param {Recorded} stage
 */
export function nobodyPassesWriters({ turns, sightings }) {
  const granted = turns.filter(isGranted);
  const readers = granted.filter((turn) => !writes(turn));
  const behind = granted.filter(writes).flatMap((writer) => {
    const stood = sightings.find(({ members }) => members.includes(writer.holderId ?? ''))?.at;
    const after = stood === undefined ? [] : readers.filter(({ asked }) => stood < asked);
    return after
      .filter(({ asked }) => asked < writer.held)
      .map((reader) => ({ passed: reader.held < writer.held }));
  });
  const passed = behind.filter((each) => each.passed).length;
  return finding(
    passed === 0 && behind.length > 0,
    `${behind.length} times somebody asked to read behind a waiting writer, and none passed it`,
    `${passed} of ${behind.length} readers that asked behind a waiting writer passed it`,
  );
}

/**
 * Whoever asked to write got in although readers kept coming.
 * @param {Turn[]} turns
 * @param {number} leaseMs
 */
export function writersGetIn(turns, leaseMs) {
  const writers = turns.filter(writes);
  const waits = writers.filter(isGranted).map(({ asked, held }) => msBetween(asked, held));
  const longest = Math.round(Math.max(0, ...waits));
  return finding(
    waits.length > 0 && waits.length === writers.length && longest <= leaseMs + ROUND_MS,
    `every writer got in although readers kept coming, the slowest after ${longest} ms`,
    `${waits.length} of ${writers.length} writers got in, the slowest after ${longest} ms`,
  );
}

/**
 * All who waited to read got in while the writer that had let go of writing still read.
 * @param {Recorded} stage
 */
export function downgraded({ turns }) {
  const down = downgradeOf(turns);
  if (down === undefined) {
    return finding(false, 'no writer became a reader');
  }
  const { writer, readers, at } = down;
  const inside = readers.filter(({ held }) => held !== undefined && held < writer.end);
  const last = inside.map(({ held }) => held ?? at).reduce(later, at);
  const ms = msBetween(at, last);
  return finding(
    inside.length === readers.length && readers.length > 1 && ms <= GRACE_MS,
    `a writer became a reader, and all ${readers.length} that waited read with it ${ms.toFixed(1)} ms later`,
    `a writer became a reader, and ${inside.length} of ${readers.length} that waited read with it, after ${ms.toFixed(1)} ms`,
  );
}

/**
 * The turn that was downgraded, and who waited to read at that moment.
 * @param {Turn[]} turns
 */
export function downgradeOf(turns) {
  const writer = turns.filter(isClaim).find((turn) => turn.downgradedAt !== undefined);
  if (writer?.downgradedAt === undefined) {
    return undefined;
  }
  const at = writer.downgradedAt;
  const readers = turns.filter(
    (turn) => !writes(turn) && turn.asked < at && (turn.held ?? turn.end ?? at) >= at,
  );
  return { writer, at, readers };
}
