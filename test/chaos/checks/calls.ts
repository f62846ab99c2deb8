// Every call settles within its bound, and an aborted one at once.

import type { History } from '../history.js';

/** What a busy machine may add. */
const SLACK_MS = 200;
const ABORT_MS = 150;

export function checkCalls(history: History): void {
  for (const { what, name, actor, from, until, limitMs, abortedAt } of history.calls) {
    const end = until ?? Number.POSITIVE_INFINITY;
    const tell = (text: string): void =>
      history.violated('calls settle in time', name, `${actor}: ${what} ${text}`, from);
    if (limitMs !== undefined) {
      const tookMs = end - from - history.stalledMs(from, end);
      if (tookMs > limitMs * 1.1 + SLACK_MS) {
        tell(`took ${tookMs.toFixed(0)} ms, and had ${limitMs}`);
      }
    }
    if (abortedAt !== undefined && end > abortedAt) {
      const tookMs = end - abortedAt - history.stalledMs(abortedAt, end);
      if (tookMs > ABORT_MS) {
        tell(`settled ${tookMs.toFixed(0)} ms after it was aborted`);
      }
    }
  }
}
