// The commands of a fair lock's queue, in which those stand who wait for it, and their answers.

import { prefixed, privateKey, twinOf } from '../base/key-names.js';
import type { Router } from '../connection/router.js';
import type { ReleaseResult } from '../grant/grant-lifecycle.js';
import { answerOf, lockChannel, type LineAnswer, type LineKeys } from './line.js';
import { releaseResultOf } from './release-results.js';
import type { ReleaseTerms } from './release-terms.js';
import { tombstoneKey } from './tombstones.js';
import type { Position } from './wait-queue.js';
import type { Command, CommandScript } from '../wire/call.js';
import { fairLockAcquire, fairLockRelease } from '../wire/scripts.generated.js';

/** The keys of one fair lock. */
export interface FairKeys {
  readonly lock: string;
  /** Redisson's wait queue, and when Java counts its entries as absent. */
  readonly queue: string;
  readonly timeouts: string;
  /** Of our clients. */
  readonly heartbeats: string;
  /** Of those waiters that are handed the lock. */
  readonly tickets: string;
  /** The heartbeats of the name to which Redisson gives the same queue. */
  readonly twinHeartbeats: readonly string[];
}

export function fairKeys(key: string): FairKeys {
  const twin = twinOf(key);
  return {
    lock: key,
    queue: prefixed('redisson_lock_queue', key),
    timeouts: prefixed('redisson_lock_timeout', key),
    heartbeats: privateKey('latchkey_beats', key),
    tickets: privateKey('latchkey_tickets', key),
    twinHeartbeats: twin === undefined ? [] : [privateKey('latchkey_beats', twin)],
  };
}

/** The same keys as those of a line. */
export function fairLineKeys({ lock, queue, tickets }: FairKeys): LineKeys {
  return { lock, line: queue, tickets, token: [] };
}

/** What an ask wants. */
export interface FairAsk {
  readonly holder: string;
  readonly count: number;
  readonly leaseMs: number;
  readonly position: Position;
  /** The lease of a grant that its client is told of; 0: it is told that the lock is free. */
  readonly windowMs: number;
}

type Notice = Pick<Router, 'publish'>;

/** Takes the lock, or an entry in its queue. */
export function fairAskOf<T>(
  script: CommandScript<T>,
  { publish }: Notice,
  keys: FairKeys,
  ask: FairAsk,
): Command<T> {
  const operands = fairLockAcquire.operands(
    { ...keys, tombstone: tombstoneKey(keys.lock, ask.holder) },
    { ...ask, publish, channel: lockChannel(keys.lock) },
  );
  return { script, operands };
}

/** The ask of a ticket. */
export const fairEnter: CommandScript<LineAnswer> = {
  ...fairLockAcquire,
  decode(reply) {
    const text = fairLockAcquire.decode(reply);
    // Nothing but a holder id has a colon.
    const named = / (\S+:\S+)$/.exec(text);
    if (named === null) {
      return answerOf(text);
    }
    const answer = answerOf(text.slice(0, named.index));
    return answer.is === 'waiting' ? { ...answer, ownHolder: named[1] } : answer;
  },
};

const release: CommandScript<ReleaseResult> = {
  ...fairLockRelease,
  decode: (reply) => releaseResultOf(fairLockRelease.decode(reply)),
};

/** Releases a holder, and takes its entry out of the queue. */
export function fairReleaseOf(
  { publish }: Notice,
  keys: FairKeys,
  holder: string,
  { count, tombstoneMs, served = [] }: ReleaseTerms,
): Command<ReleaseResult> {
  const operands = fairLockRelease.operands(
    { ...keys, tombstone: tombstoneKey(keys.lock, holder) },
    { holder, count, tombstoneMs, publish, channel: lockChannel(keys.lock), served },
  );
  return { script: release, operands };
}
