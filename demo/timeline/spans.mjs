// @ts-check
// From turns to what is drawn: spans on a worker's lane, and on the lane of the lock itself.
import { msBetween, ofType } from '../events.mjs';
import { showMs } from './svg.mjs';

/** @typedef {import('../stage.mjs').Stage} Stage */
/** @typedef {import('../events.mjs').Turn} Turn */

/**
 * @typedef {object} Span
 * @property {'wait' | 'hold' | 'paused' | 'lost' | 'orphan'} kind
 * @property {bigint} from
 * @property {bigint} to
 * @property {string} tip
 * @property {string} [label] written on it where there is room
 */

/** @param {bigint} token the last digits, which are the ones that differ */
const shortToken = (token) => `…${String(token).slice(-6)}`;

/**
 * The spans of one worker.
 * @param {Stage} stage
 * @param {number} worker
 * @param {bigint} end of the picture
 * @returns {Span[]}
 */
export function spansOf({ turns }, worker, end) {
  const mine = turns.filter((turn) => turn.worker === worker);
  return mine.flatMap((turn) => spansOfTurn(turn, end));
}

/** @param {Turn} turn @param {bigint} end @returns {Span[]} */
function spansOfTurn(turn, end) {
  const { worker, asked, held, pausedAt, deadline, continuedAt } = turn;
  const waited = showMs(msBetween(asked, held ?? end));
  /** @type {Span} */
  const wait = {
    kind: 'wait',
    from: asked,
    to: held ?? end,
    tip: `worker ${worker} waited ${waited} ms`,
  };
  if (held === undefined) {
    return [wait];
  }
  const stop = pausedAt ?? turn.end ?? end;
  const told = turn.token === undefined ? '' : `, fencing token ${turn.token}`;
  const tip = `worker ${worker} held for ${showMs(msBetween(held, stop))} ms after ${waited} ms${told}`;
  const label = turn.token === undefined ? {} : { label: shortToken(turn.token) };
  /** @type {Span[]} */
  const spans = [wait, { kind: 'hold', from: held, to: stop, tip, ...label }];
  if (pausedAt !== undefined && deadline !== undefined && continuedAt !== undefined) {
    spans.push(
      {
        kind: 'paused',
        from: pausedAt,
        to: deadline,
        tip: `worker ${worker} was frozen for ${showMs(msBetween(pausedAt, continuedAt))} ms; until here its lease ran`,
        label: 'frozen while holding (SIGSTOP)',
      },
      {
        kind: 'lost',
        from: deadline,
        to: continuedAt,
        tip: `worker ${worker} was still frozen, and its lease was over: isHeld is false`,
        label: 'lease over, hold lost',
      },
    );
  }
  return spans;
}

/**
 * The lane of the lock: whose it was, and when it was nobody's because of an accident.
 * @param {Stage} stage
 * @returns {Span[]}
 */
export function spansOfResource({ turns }) {
  const granted = turns.filter((turn) => turn.held !== undefined);
  return granted.flatMap((turn, index) => {
    const { worker, held, end, token, ended, pausedAt } = turn;
    if (held === undefined || end === undefined) {
      return [];
    }
    const told = token === undefined ? '' : `, fencing token ${token}`;
    const tip = `held by worker ${worker} for ${showMs(msBetween(held, end))} ms${told}`;
    const label = token === undefined ? String(worker) : shortToken(token);
    const rest = `the rest of the lease of worker ${worker}`;
    /** @type {Span[]} */
    const spans = [{ kind: 'hold', from: held, to: pausedAt ?? end, tip, label }];
    if (pausedAt !== undefined) {
      spans.push({ kind: 'paused', from: pausedAt, to: end, tip, label: rest });
    }
    const next = granted[index + 1]?.held;
    if (ended === 'killed' && next !== undefined) {
      const free = `nobody's for ${showMs(msBetween(end, next))} ms: ${rest}`;
      spans.push({ kind: 'orphan', from: end, to: next, tip: free, label: rest });
    }
    return spans;
  });
}

/**
 * The median time from one worker's release to the next worker's hold.
 * @param {Turn[]} turns
 */
export function handOvers(turns) {
  return turns.slice(1).flatMap((turn, index) => {
    const before = turns[index];
    return turn.held === undefined || before?.end === undefined || before.ended !== 'released'
      ? []
      : [msBetween(before.end, turn.held)];
  });
}

/** The moment of the accident that the lens looks at. @param {Stage} stage */
export const accidentOf = ({ events }) =>
  ofType(events, 'killed')[0] ?? ofType(events, 'paused')[0];
