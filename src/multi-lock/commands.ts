// The two commands of a multi-lock, and their answers.

import { UnexpectedReplyError } from '../server-errors.js';
import type { Router } from '../core/connection/router.js';
import type { ReleaseResult } from '../core/grant/release.js';
import {
  answerOf as lineAnswerOf,
  listensOf,
  windowOf,
  type LineAnswer,
  type LineKeys,
} from '../core/locks/line.js';
import { releaseResultOf } from '../core/locks/release-results.js';
import type { ReleaseTerms } from '../core/locks/release-terms.js';
import type { Command, CommandScript } from '../core/wire/call.js';
import { multiLockAcquire, multiLockRelease } from '../core/wire/scripts.generated.js';

/** The server's answer to the ask of a multi-lock. Places count from 0. */
export type AskAnswer =
  | {
      /** The first so many locks are held now. */
      readonly is: 'held';
      readonly upTo: number;
      /** The first one that is not free; -1 where all are held. */
      readonly busyAt: number;
      /** For each of them: the token of a fenced lock that was taken. */
      readonly tokens: readonly (bigint | undefined)[];
      /** What the ticket in the line of the one that is not free was answered. */
      readonly entered: LineAnswer | undefined;
    }
  /** The lock at that place is not held any more by the holder id that was named for it. */
  | { readonly is: 'lost'; readonly at: number }
  /** The lock at that place holds something else. */
  | { readonly is: 'foreign'; readonly at: number; readonly message: string }
  /** The holder id has a tombstone. */
  | { readonly is: 'cancelled' };

function answerOf(reply: string): AskAnswer {
  if (reply === '-3') {
    return { is: 'cancelled' };
  }
  const [, mark, place, message = ''] = /^(lost |!)(\d+) ?(.*)$/s.exec(reply) ?? [];
  if (place !== undefined) {
    const at = Number(place) - 1;
    return mark === '!' ? { is: 'foreign', at, message } : { is: 'lost', at };
  }
  const [counts = '', entered] = reply.split('\n');
  if (!/^\d+ \d+( \d+)*$/.test(counts)) {
    throw new UnexpectedReplyError(`a multi-lock was answered ${JSON.stringify(reply)}`);
  }
  const [upTo, busyAt, ...tokens] = counts.split(' ');
  return {
    is: 'held',
    upTo: Number(upTo),
    busyAt: Number(busyAt) - 1,
    tokens: tokens.map((token) => (token === '0' ? undefined : BigInt(token))),
    entered: entered === undefined ? undefined : lineAnswerOf(entered),
  };
}

const ask: CommandScript<AskAnswer> = {
  ...multiLockAcquire,
  decode: (reply) => answerOf(multiLockAcquire.decode(reply)),
};

/** The terms of one ask. */
export interface AskTerms {
  readonly holder: string;
  /** The lease of each lock when all are held. */
  readonly leaseMs: number;
  /** The lease of each while some are missing. */
  readonly partMs: number;
  /** A lease that is longer is shortened. */
  readonly isExact: boolean;
  /** All or none. */
  readonly all: boolean;
}

/** One lock of an ask: the holder id of this client that has it, or how a ticket stands in its line. */
export interface AskedLock {
  readonly keys: LineKeys;
  readonly heldBy: string | undefined;
  /** No ticket is wanted in its line; else whether this client listens to the channel of the lock. */
  readonly ticket: 'none' | 'heard' | 'unheard';
}

const MARKS = { none: '-', heard: '1', unheard: '0' };

/** Takes locks in their order, as many as are free, and a ticket in the line of the next one. */
export function askOf(
  { publish }: Pick<Router, 'publish'>,
  locks: readonly AskedLock[],
  { holder, leaseMs, partMs, isExact, all }: AskTerms,
): Command<AskAnswer> {
  const ofLocks = keysOf(
    locks.map(({ keys }) => keys),
    (_, i) => locks[i]?.heldBy ?? holder,
  );
  const operands = multiLockAcquire.operands(
    { ofLocks },
    {
      holder,
      leaseMs,
      partMs,
      isExact: Number(isExact),
      all: Number(all),
      windowMs: windowOf({ leaseMs: partMs, renewed: true }),
      publish,
      terms: locks.map(({ heldBy, ticket }) => heldBy ?? MARKS[ticket]),
    },
  );
  return { script: ask, operands };
}

/** What is released of one lock. */
export interface PartRelease {
  readonly keys: LineKeys;
  readonly holderId: string;
  readonly terms: ReleaseTerms;
}

interface Refused {
  readonly is: 'refused';
  readonly message: string;
}

/** The outcome for one lock: the server's answer, or its error. */
export type PartResult = ReleaseResult | Refused;

/** The keys of the lock hold something else: it is released no more. */
const isForeign = ({ message }: Refused): boolean => message.includes('WRONGTYPE');

/** Why the server has refused to release one lock alone, as for want of a right: it may be released later, by a call
 * that begins with it and is refused as a whole until then. Undefined for any other result. */
export function refusalOf(result: PartResult | undefined): string | undefined {
  return result?.is === 'refused' && !isForeign(result) ? result.message : undefined;
}

const release: CommandScript<readonly PartResult[]> = {
  ...multiLockRelease,
  decode: (reply) => multiLockRelease.decode(reply).split('\n').map(resultOf),
};

function resultOf(text: string): PartResult {
  if (text.startsWith('!')) {
    return { is: 'refused', message: text.slice(1) };
  }
  return releaseResultOf(Number(text));
}

/** Releases several locks. */
export function releaseOf(
  { publish, channels }: Pick<Router, 'publish' | 'channels'>,
  parts: readonly PartRelease[],
  yields: boolean,
): Command<readonly PartResult[]> {
  const terms = parts.flatMap(({ keys: { channel }, holderId, terms: { count, tombstoneMs } }) => {
    const listens = listensOf({ channels }, channel, yields);
    return [holderId, `${count}`, `${tombstoneMs}`, channel, `${listens}`];
  });
  const locks = parts.map(({ keys }) => keys);
  const ofLocks = keysOf(locks, (_, i) => parts[i]?.holderId ?? '');
  return { script: release, operands: multiLockRelease.operands({ ofLocks }, { publish, terms }) };
}

function keysOf(
  locks: readonly LineKeys[],
  holderOf: (lock: LineKeys, place: number) => string,
): string[] {
  const keys: string[] = [];
  locks.forEach((lock, i) => {
    keys.push(lock.lock, lock.tombstones + holderOf(lock, i), lock.line, lock.tickets);
  });
  return [...keys, ...locks.flatMap(({ token }) => token)];
}
