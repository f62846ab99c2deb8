// A ticket of a client that listens, whose ask was sent just now.

import {
  lineKeys,
  type LineAnswer,
  type PushedGrant,
  type TakenPlace,
} from '../../src/core/locks/line.js';
import type { LineGrant, LineQueue } from '../../src/core/locks/line-queue.js';
import { Contention } from '../../src/core/waiting/contention.js';
import { LineTicket } from '../../src/core/locks/line-ticket.js';
import type { Asks, Left } from '../../src/core/locks/ticket.js';
import type { Call, Command } from '../../src/core/wire/call.js';
import { fakeClock } from './fake-clock.js';

export const SERVER_MS = 1_800_000_000_000;
export const WINDOW_MS = 10_000;

/** The answer to the ask: it ran at this time of the server. */
export const waits = (atMs = 0, isSeen = true): LineAnswer & { is: 'waiting' } => ({
  is: 'waiting',
  busyMs: -1,
  serverMs: SERVER_MS + atMs,
  isOurs: true,
  isSeen,
});
export const grant = (atMs: number, windowMs = WINDOW_MS): PushedGrant => ({
  holderId: 'us:1',
  serverMs: SERVER_MS + atMs,
  windowMs,
  lastToken: undefined,
  key: 'lock',
  kind: 'lock',
  holdsMax: Infinity,
});

/** A ticket of a client that listens, whose ask was sent just now. */
export function stage(place?: TakenPlace) {
  const clock = fakeClock();
  const told: string[] = [];
  const grants: LineGrant[] = [];
  let isForcing = false;
  let isListening = true;
  const services = {
    client: { newHolderId: () => 'us:1' },
    clock,
    epoch: 1,
    delivery: {
      newestOrder: 7,
      start: () => ({ sent: true }),
      abandon: () => true,
      hasOpenRequest: () => isForcing,
    },
    router: { channels: { isConfirmed: () => false } },
  };
  const handOffs = {
    channels: {
      resume: () => undefined,
      isListening: () => isListening,
      epochOf: () => services.epoch,
    },
    expect: () => told.push('expected'),
    forget: () => told.push('forgotten'),
    replaced: () => told.push('forgotten'),
    sleepNoMore: () => undefined,
    recheckLater: () => told.push('later'),
  };
  const asks = {
    locks: { services, handOffs },
    cancel: ({ holderId, hasUnackedCopy }: Left) =>
      told.push(`cancels ${holderId}${hasUnackedCopy ? ' for good' : ''}`),
  } as unknown as Asks;
  const keys = lineKeys('lock', false);
  const terms = { keys, leaseMs: 30_000, renewed: true, tokens: 3 };
  const queue: LineQueue<LineTicket> = {
    contention: new Contention(),
    enter: () => ({}) as Command<LineAnswer>,
    recheck(waiting) {
      told.push('re-check');
      waiting.recheckItem();
      waiting.rechecking(call());
    },
    reconnected: () => undefined,
    missed: () => undefined,
    proofFor: ({ proof }) => proof,
    granted: (_, given) => grants.push(given),
    lapsed: (_ticket, _call, windowMs) => told.push(`lapsed ${windowMs}`),
    waits: () => undefined,
    isVoid: () => told.push('void'),
    failed: (_, error) => told.push(error.message),
  };
  const ticket = new LineTicket(asks, terms, queue, place);
  const sentAt = clock.now();
  const call = (): Call<LineAnswer> =>
    ({ sent: true, sentAt, lastSentAt: sentAt, unackedCopies: 0 }) as unknown as Call<LineAnswer>;
  const force = (): void => {
    isForcing = true;
  };
  const goDeaf = (): void => {
    isListening = false;
  };
  ticket.ask();
  told.length = 0;
  return { clock, told, grants, services, ticket, call, sentAt, force, goDeaf };
}
