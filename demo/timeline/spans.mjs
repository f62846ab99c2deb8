// @ts-check
// From turns to what is drawn: spans on a worker's lane, and on the lane of what is shared.
import { isClaim, isGranted } from '../checks/finding.mjs';
import { msBetween } from '../events.mjs';
import { showMs } from './svg.mjs';

/** @typedef {import('../stage.mjs').Stage} Stage */
/** @typedef {import('../events.mjs').Turn} Turn */
/** @typedef {import('../checks/finding.mjs').Granted} Granted */

/**
 * @typedef {object} Span
 * @property {'wait' | 'hold' | 'read' | 'paused' | 'lost' | 'orphan'} kind
 * @property {bigint} from
 * @property {bigint} to
 * @property {string} tip
 * @property {string} [label] written on it where there is room
 * @property {boolean} [alone] on the lane of what is shared: nobody may be beside it
 */

/** @param {bigint} token the last digits, which are the ones that differ */
const shortToken = (token) => `…${String(token).slice(-6)}`;

/** What is written on a hold. @param {Stage} stage @returns {(turn: Turn) => string | undefined} */
function labeller(stage) {
  const labels = stage.act.labels?.(stage);
  return ({ token, holderId }) =>
    token === undefined ? labels?.get(holderId ?? '') : shortToken(token);
}

/** @param {Turn} turn */
const kindOf = ({ mode }) => (mode === 'read' ? 'read' : 'hold');

/** @param {Turn} turn */
const verb = ({ mode }) => (mode === 'read' ? 'read' : mode === 'write' ? 'wrote' : 'held');

/**
 * The spans of one worker.
 * @param {Stage} stage
 * @param {number} worker
 * @param {bigint} end of the picture
 * @returns {Span[]}
 */
export function spansOf(stage, worker, end) {
  const label = labeller(stage);
  const mine = stage.turns.filter((turn) => turn.worker === worker);
  return mine.flatMap((turn) => [
    ...waitsOf(turn, end),
    ...(isGranted(turn) ? holdsOf(turn, label(turn), end) : []),
  ]);
}

/** @param {Turn} turn @param {bigint} end @returns {Span[]} */
function waitsOf(turn, end) {
  const { worker, asked, pausedAt, continuedAt } = turn;
  const until = turn.held ?? turn.end ?? end;
  const tip = `worker ${worker} waited ${showMs(msBetween(asked, until))} ms`;
  if (pausedAt === undefined || pausedAt > until || continuedAt === undefined) {
    return [{ kind: 'wait', from: asked, to: until, tip }];
  }
  return [
    { kind: 'wait', from: asked, to: pausedAt, tip },
    {
      kind: 'paused',
      from: pausedAt,
      to: continuedAt,
      tip: `worker ${worker} was frozen for ${showMs(msBetween(pausedAt, continuedAt))} ms`,
      label: 'frozen while waiting (SIGSTOP)',
    },
    { kind: 'wait', from: continuedAt, to: until, tip },
  ];
}

/** @param {Granted} turn @param {string | undefined} label @param {bigint} end @returns {Span[]} */
function holdsOf(turn, label, end) {
  const { worker, asked, held, pausedAt, deadline, continuedAt, downgradedAt } = turn;
  const frozen = pausedAt !== undefined && pausedAt > held;
  const stop = (frozen ? pausedAt : downgradedAt) ?? turn.end ?? end;
  const waited = showMs(msBetween(asked, held));
  const told = turn.token === undefined ? '' : `, fencing token ${turn.token}`;
  const tip = `worker ${worker} ${verb(turn)} for ${showMs(msBetween(held, stop))} ms after ${waited} ms${told}`;
  const written = label === undefined ? {} : { label };
  /** @type {Span[]} */
  const spans = [{ kind: kindOf(turn), from: held, to: stop, tip, ...written }];
  if (frozen && deadline !== undefined && continuedAt !== undefined) {
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
  } else if (downgradedAt !== undefined) {
    spans.push({
      kind: 'read',
      from: downgradedAt,
      to: turn.end ?? end,
      tip: `worker ${worker} only read from here on`,
      label: 'reads on',
    });
  }
  return spans;
}

/**
 * The lane of what is shared: whose it was, and when it was nobody's because of an accident.
 * @param {Stage} stage
 * @returns {Span[]}
 */
export function spansOfResource(stage) {
  const { turns, act } = stage;
  const recovery = act.recovery(stage);
  return turns.filter(isClaim).flatMap((turn) => {
    const { worker, held, end, token, ended, pausedAt, downgradedAt } = turn;
    const told = token === undefined ? '' : `, fencing token ${token}`;
    const tip = `worker ${worker} ${verb(turn)} for ${showMs(msBetween(held, end))} ms${told}`;
    const label = token === undefined ? String(worker) : shortToken(token);
    const rest = `the rest of the lease of worker ${worker}`;
    const frozenAt = pausedAt !== undefined && pausedAt > held ? pausedAt : undefined;
    const alone = act.capacity === 1 || turn.mode === 'write';
    /** @type {Span[]} */
    const spans = [
      { kind: kindOf(turn), from: held, to: frozenAt ?? downgradedAt ?? end, tip, label, alone },
    ];
    if (frozenAt !== undefined) {
      spans.push({ kind: 'paused', from: frozenAt, to: end, tip, label: rest, alone });
    }
    if (downgradedAt !== undefined) {
      spans.push({ kind: 'read', from: downgradedAt, to: end, tip, label });
    }
    if (ended === 'killed' && recovery !== undefined) {
      const gone = `nobody's for ${showMs(msBetween(end, recovery.held))} ms: ${rest}`;
      spans.push({ kind: 'orphan', from: end, to: recovery.held, tip: gone, label: rest, alone });
    }
    return spans;
  });
}

/**
 * One row as long as one holds at a time, more where claims overlap.
 * @param {Span[]} spans in the order of their beginning
 */
export function rowsOf(spans) {
  /** @type {{ end: bigint, spans: Span[] }[]} */
  const rows = [];
  for (const span of spans.filter(({ alone }) => alone !== true)) {
    const free = rows.find((row) => row.end <= span.from);
    const row = free ?? { end: 0n, spans: [] };
    if (free === undefined) {
      rows.push(row);
    }
    row.end = span.to;
    row.spans.push(span);
  }
  return rows;
}

/**
 * The times from one worker's release to the next worker's hold.
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
