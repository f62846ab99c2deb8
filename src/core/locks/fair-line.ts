// The commands of a fair lock's queue, in which those stand who wait for it, and their answers.

import { prefixed, privateKey, twinOf } from '../base/key-names.js';
import type { Router } from '../connection/router.js';
import type { ReleaseResult } from '../grant/release.js';
import { answerOf, lineKeys, type LineAnswer, type LineKeys } from './line.js';
import { releaseResultOf } from './release-results.js';
import { NOBODY, type ReleaseTerms } from './release-terms.js';
import type { Position } from './wait-queue.js';
import type { Command, CommandScript } from '../wire/call.js';
import { fairLockAcquire, fairLockRelease } from '../wire/scripts.generated.js';

/** The keys of one fair lock, and its channel. */
export interface FairKeys extends LineKeys {
  /** Redisson's wait queue, which is the line, and when Java counts its entries as absent. */
  readonly queue: string;
  readonly timeouts: string;
  /** Of our clients. */
  readonly heartbeats: string;
  /** The heartbeats of the name to which Redisson gives the same queue. */
  readonly twinHeartbeats: readonly string[];
}

export function fairKeys(key: string): FairKeys {
  const twin = twinOf(key);
  const queue = prefixed('redisson_lock_queue', key);
  return {
    ...lineKeys(key, false),
    line: queue,
    queue,
    timeouts: prefixed('redisson_lock_timeout', key),
    heartbeats: privateKey('beats', key),
    twinHeartbeats: twin === undefined ? [] : [privateKey('beats', twin)],
  };
}

/** Written out, since every acquisition and release needs them: a spread takes 2 µs. */
const keysOf = (keys: FairKeys, holder: string) => ({
  lock: keys.lock,
  tombstone: keys.tombstones + holder,
  queue: keys.queue,
  timeouts: keys.timeouts,
  heartbeats: keys.heartbeats,
  tickets: keys.tickets,
  twinHeartbeats: keys.twinHeartbeats,
});

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
  { holder, count, leaseMs, position, windowMs }: FairAsk,
): Command<T> {
  const operands = fairLockAcquire.operands(keysOf(keys, holder), {
    holder,
    count,
    leaseMs,
    position,
    windowMs,
    publish,
    channel: keys.channel,
  });
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
  { count, tombstoneMs, others = NOBODY }: ReleaseTerms,
): Command<ReleaseResult> {
  const operands = fairLockRelease.operands(keysOf(keys, holder), {
    holder,
    count,
    tombstoneMs,
    publish,
    channel: keys.channel,
    others,
  });
  return { script: release, operands };
}
