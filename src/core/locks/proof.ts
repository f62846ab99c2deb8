// What an answer proves about the times of the server, by the clock of this client.

import type { Clock } from '../base/clock.js';
import type { PushedGrant } from './line.js';

/** The server counts whole milliseconds: two of its times may be this much nearer than they were. */
const GRAIN_MS = 2;

/** How much faster or slower the clock of the server may run. */
const DRIFT = 0.01;

/** An answer shows for so long at what time of the server a waiter began to wait. */
const SHOWS_MS = 10_000;

/** The times of an answer that a ticket waits, from which the deadline of its grant follows. */
export interface Proof {
  /** The instant before the command was sent, by the clock of this client. */
  readonly sentAt: number;
  /** When it ran, by the clock of the server. */
  readonly serverMs: number;
  /** Both connections are still the same ones. */
  readonly epoch: number;
  /** The server has seen that this client listens: only then it can have sent what the client hears. */
  readonly isSeen: boolean;
}

/** The instant from which the window of a grant counts, if it runs at `now`. Undefined: a paused process
 * reads an old message, or a clock was set. */
export function startOf(
  { sentAt, serverMs }: Proof,
  grant: Pick<PushedGrant, 'serverMs' | 'windowMs'>,
  now: number,
): number | undefined {
  const elapsedMs = grant.serverMs - serverMs;
  // That ask ran no earlier than it was sent; a clock of the server that is fast shortens the window.
  const startsAt = sentAt + elapsedMs * (1 - DRIFT) - GRAIN_MS;
  const isPlausible = elapsedMs <= (now - sentAt) * (1 + DRIFT) + GRAIN_MS;
  const isInTime = now < startsAt + grant.windowMs * (1 - DRIFT) - GRAIN_MS;
  return isPlausible && isInTime ? startsAt : undefined;
}

/** An answer, and when it was given by the clock of the server, in microseconds. */
export interface Shown {
  readonly sentAt: number;
  readonly micros: number;
  readonly epoch: number;
}

/** The server's time in microseconds at which a waiter began to wait. The answer was given no earlier than
 * its command was sent, so this is never too early. 0: it shows nothing, since it is old, or of another
 * connection, or the clock of this client was set forward between the two. */
export function rankAt(
  shown: Shown | undefined,
  startedAt: number,
  { clock, epoch }: { clock: Pick<Clock, 'now' | 'steppedSince'>; epoch: number },
): number {
  if (shown?.epoch !== epoch || clock.now() - shown.sentAt >= SHOWS_MS) {
    return 0;
  }
  const hasStepped = clock.steppedSince(Math.min(shown.sentAt, startedAt)) > 0;
  return hasStepped ? 0 : Math.round(shown.micros + (startedAt - shown.sentAt) * 1_000);
}
