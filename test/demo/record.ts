// Records of acts that were never played, to show the checks what they must find. Times are
// milliseconds.

import { findAct } from '../../demo/acts/index.mjs';
import type { Recorded } from '../../demo/checks/finding.mjs';
import { turnsOf, type DemoEvent } from '../../demo/events.mjs';

export const LEASE_MS = 1_000;

const at = (ms: number): bigint => BigInt(ms) * 1_000_000n;

export function event(
  ms: number,
  worker: number,
  type: string,
  detail: Partial<Omit<DemoEvent, 'deadline'>> & { readonly deadlineMs?: number } = {},
): DemoEvent {
  const { deadlineMs, ...rest } = detail;
  const deadline = deadlineMs === undefined ? {} : { deadline: at(deadlineMs) };
  return { at: at(ms), worker, type, ...rest, ...deadline };
}

/** A worker asks, is granted, and releases. */
export function turn(
  worker: number,
  [asked, held, released]: readonly [number, number, number?],
  detail: Partial<DemoEvent> = {},
): DemoEvent[] {
  return [
    event(asked, worker, 'asked', detail),
    event(held, worker, 'held', { ...detail, isHeld: true }),
    ...(released === undefined ? [] : [event(released, worker, 'released', { isHeld: true })]),
  ];
}

/** A worker that holds when it is killed; its lease runs on. */
export const killedAt = (ms: number, worker: number, [asked, held]: readonly [number, number]) => [
  ...turn(worker, [asked, held]),
  event(ms - 10, worker, 'at-mercy', { isHeld: true, deadlineMs: ms - 10 + LEASE_MS }),
  event(ms, worker, 'killed'),
];

export function record(
  act: string,
  events: readonly DemoEvent[],
  seen: readonly (readonly [ms: number, members: string[]])[] = [],
): Recorded {
  const all = [...events];
  return {
    act: findAct(act),
    events: all,
    turns: turnsOf(all),
    sightings: seen.map(([ms, members]) => ({ at: at(ms), members })),
    workers: [...new Set(all.map(({ worker }) => worker))],
    leaseMs: LEASE_MS,
    nameOf: (worker) => `worker ${worker}`,
  };
}
