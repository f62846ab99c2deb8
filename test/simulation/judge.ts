// What the checkers say of a history.

import { checkAll, violationsOf, type Finding } from './checkers/index.js';
import { counts, isCounted, type Counts } from './checkers/counted.js';
import { runsOf } from './checkers/runs.js';
import type { History, Violation } from './history.js';
import type { Plan } from './plan.js';

/** Somebody was refused, and that much went wrong: faults, losses, leases that ended, waits that were
 * given up. */
const TROUBLES_MIN = 2;

/** In a crowd clients passed the lock on inside themselves. */
const RUNS_MIN = 5;

/** In a flow so many had to wait for others, and got in. */
const CONTENDED_MIN = 3;

const wasDisturbed = ({ faults, losses, expiries, cancelledWaits }: Counts): boolean =>
  faults + losses + expiries + cancelledWaits >= TROUBLES_MIN;

export interface Judgement {
  readonly findings: readonly Finding[];
  readonly violations: readonly Violation[];
  /** Enough happened in it. */
  readonly isCounted: boolean;
  readonly happened: Counts;
}

/** A client that connects takes several turns before its first call arrives. */
const COLD_TURNS = 8;

export function judge(history: History, { terms, startsCold }: Plan): Judgement {
  const turns = startsCold ? COLD_TURNS : 1;
  const findings = checkAll(history, {
    bounds: {
      networkMs: (terms.latencyMaxMs + terms.latenessMs) * turns + 5,
      // The ask, the message, and the turn in which it is read.
      toldMs: 2 * (terms.latencyMaxMs + terms.latenessMs) * turns + 1,
      leaseMs: terms.leaseMs,
      commandTimeoutMs: terms.commandTimeoutMs,
    },
  });
  const happened = counts(history);
  return {
    findings,
    violations: violationsOf(findings),
    isCounted: hasHappened(history, happened),
    happened,
  };
}

function hasHappened(history: History, happened: Counts): boolean {
  if (history.isCrowd) {
    return runsOf(history.claims).length >= RUNS_MIN;
  }
  return history.isFlow
    ? isCounted(history, { contended: CONTENDED_MIN })
    : isCounted(history, { operations: 10, refusals: 1 }) && wasDisturbed(happened);
}
