// @ts-check
// A search through checks that never end: each has a slice of the time, and finds what it finds. It never stops at a
// finding; each is repeated alone in the end, and written down.

import { outcomeOf, runAlone } from '../gate/outcome.mjs';

/**
 * @typedef {import('../gate/outcome.mjs').Outcome} Outcome
 * @typedef {import('../gate/outcome.mjs').Failure} Failure
 *
 * @typedef {object} SearchCheck
 * @property {string} name
 * @property {number} roundS what a round takes at least, in seconds: with less it is not begun
 * @property {number} [seeds] how many seeds a round uses, from its own on; 1 by default
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
 * @param {number} seed of its first round; the next one begins where that has ended
 * @param {number} sliceMs
 * @returns {Promise<{ slice: Slice, found: Finding[] }>}
 */
async function runSlice({ name, roundS, seeds = 1, run }, seed, sliceMs) {
  const startedAt = performance.now();
  const leftMs = () => Math.round(startedAt + sliceMs - performance.now());
  /** @type {Finding[]} */
  const found = [];
  let [rounds, passed] = [0, 0];
  /** @type {Set<string>} */
  const missing = new Set();
  do {
    const roundSeed = seed + rounds * seeds;
    console.log(`\nsearch: ${name}, seed ${roundSeed}`);
    const round = async () => await run({ seed: roundSeed, leftMs: leftMs() });
    const repeat = `npm run search -- --only '${name}' --seed ${roundSeed}`;
    const outcome = await outcomeOf(name, repeat, round);
    rounds += 1;
    passed += outcome.passed;
    for (const { name: what, reason } of outcome.missing) {
      missing.add(`${what}: ${reason}`);
    }
    if (outcome.passed + outcome.failures.length + outcome.missing.length === 0) {
      missing.add('none of its tests was run');
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
 * @param {{ ms: number, seed: number, keep?: (findings: Finding[]) => void }} options `keep` is called after each
 *   slice with all findings so far
 * @returns {Promise<{ slices: Slice[], findings: Finding[] }>}
 */
export async function search(checks, { ms, seed, keep = () => undefined }) {
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
      keep(findings);
    }
  }
  return { slices, findings };
}

/**
 * Repeats each finding alone, one after the other, so that each has its share of the time. A repetition that is cut
 * off says nothing.
 *
 * @param {Finding[]} findings
 * @param {number} limitMs for all of them
 * @returns {Promise<Finding[]>}
 */
export async function repeated(findings, limitMs) {
  const endsAt = performance.now() + limitMs;
  const all = findings.map((finding) => ({ ...finding }));
  for (let round = 1; round <= REPEATS; round += 1) {
    for (const finding of all) {
      const { again, name } = finding.failure;
      const leftMs = Math.round(endsAt - performance.now());
      if (again !== undefined && leftMs > 0) {
        console.log(`\nsearch: repeats ${name}, ${round} of ${REPEATS}`);
        const result = await runAlone(again, { timeoutMs: leftMs });
        finding.repeated += result === 'cut off' ? 0 : 1;
        finding.failed += result === 'failed' ? 1 : 0;
      }
    }
  }
  return all;
}
