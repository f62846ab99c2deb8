// @ts-check
// A search through checks that never end: each has a slice of the time, and finds what it finds. It never stops at a
// finding; each is repeated alone in the end, and written down.

import { outcomeOf, passesAlone } from '../gate/outcome.mjs';

/**
 * @typedef {import('../gate/outcome.mjs').Outcome} Outcome
 * @typedef {import('../gate/outcome.mjs').Failure} Failure
 *
 * @typedef {object} SearchCheck
 * @property {string} name
 * @property {number} roundS what a round takes at least, in seconds: with less it is not begun
 * @property {(round: { seed: number, leftMs: number }) => Promise<Outcome>} run one round
 *
 * @typedef {object} Slice
 * @property {string} name
 * @property {number} rounds 0: not reached
 * @property {number} passed
 * @property {number} findings
 * @property {number} ms
 * @property {string[]} missing
 *
 * @typedef {object} Finding
 * @property {string} check
 * @property {number} seed
 * @property {Failure} failure
 * @property {number} failed of how many repetitions
 * @property {number} repeated
 */

/** A finding is repeated so often, as long as there is time. */
const REPEATS = 5;

/**
 * The checks in the order of a commit: over as many commits as there are checks, each is the first once.
 *
 * @template T
 * @param {readonly T[]} checks
 * @param {number} commits
 * @returns {T[]}
 */
export function inOrderOf(checks, commits) {
  const first = commits % checks.length;
  return [...checks.slice(first), ...checks.slice(0, first)];
}

/**
 * Runs rounds of a check until its slice is over.
 *
 * @param {SearchCheck} check
 * @param {number} seed of its first round; each further one is one more
 * @param {number} sliceMs
 * @returns {Promise<{ slice: Slice, found: Finding[] }>}
 */
async function runSlice({ name, roundS, run }, seed, sliceMs) {
  const startedAt = performance.now();
  const leftMs = () => Math.round(startedAt + sliceMs - performance.now());
  /** @type {Finding[]} */
  const found = [];
  let [rounds, passed] = [0, 0];
  /** @type {Set<string>} */
  const missing = new Set();
  do {
    const roundSeed = seed + rounds;
    console.log(`\nsearch: ${name}, seed ${roundSeed}`);
    const round = async () => await run({ seed: roundSeed, leftMs: leftMs() });
    const outcome = await outcomeOf(name, round);
    rounds += 1;
    passed += outcome.passed;
    for (const { name: what, reason } of outcome.missing) {
      missing.add(`${what}: ${reason}`);
    }
    found.push(
      ...outcome.failures.map((failure) => ({
        check: name,
        seed: roundSeed,
        failure,
        failed: 0,
        repeated: 0,
      })),
    );
  } while (missing.size === 0 && leftMs() >= roundS * 1_000);
  const ms = performance.now() - startedAt;
  const slice = { name, rounds, passed, findings: found.length, ms, missing: [...missing] };
  return { slice, found };
}

/**
 * Gives each check a slice of what is left. One whose round takes longer than its share has that at least; where less
 * is left, it is not reached.
 *
 * @param {readonly SearchCheck[]} checks in order
 * @param {{ ms: number, seed: number }} options
 * @returns {Promise<{ slices: Slice[], findings: Finding[] }>}
 */
export async function search(checks, { ms, seed }) {
  const endsAt = performance.now() + ms;
  /** @type {Slice[]} */
  const slices = [];
  /** @type {Finding[]} */
  const findings = [];
  for (const [i, check] of checks.entries()) {
    const leftMs = endsAt - performance.now();
    const sliceMs = Math.max(leftMs / (checks.length - i), check.roundS * 1_000);
    if (sliceMs > leftMs) {
      const none = { rounds: 0, passed: 0, findings: 0, ms: 0, missing: [] };
      slices.push({ name: check.name, ...none });
    } else {
      const { slice, found } = await runSlice(check, seed, sliceMs);
      slices.push(slice);
      findings.push(...found);
    }
  }
  return { slices, findings };
}

const NEVER = { failed: 0, repeated: 0 };

/**
 * @param {string} name
 * @param {import('../gate/outcome.mjs').Again} again
 * @param {number} endsAt
 */
async function repeat(name, again, endsAt) {
  let { failed, repeated: times } = NEVER;
  while (times < REPEATS && performance.now() < endsAt) {
    console.log(`\nsearch: repeats ${name}, ${times + 1} of ${REPEATS}`);
    const leftMs = Math.max(1_000, Math.round(endsAt - performance.now()));
    failed += (await passesAlone(again, { timeoutMs: leftMs })) ? 0 : 1;
    times += 1;
  }
  return { failed, repeated: times };
}

/**
 * Repeats each finding alone.
 *
 * @param {Finding[]} findings
 * @param {number} limitMs for all of them
 * @returns {Promise<Finding[]>}
 */
export async function repeated(findings, limitMs) {
  const endsAt = performance.now() + limitMs;
  /** @type {Finding[]} */
  const all = [];
  for (const finding of findings) {
    const { again, name } = finding.failure;
    const counts = again === undefined ? NEVER : await repeat(name, again, endsAt);
    all.push({ ...finding, ...counts });
  }
  return all;
}
