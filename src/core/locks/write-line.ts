// The commands of the line of writers, in which those stand who wait to write, and their answers.

import { prefixed, privateKey, suffixed } from '../base/key-names.js';
import type { Router } from '../connection/router.js';
import type { ReleaseResult } from '../grant/release.js';
import { answerOf, listensOf, type LineAnswer, type LineKeys, type TakenPlace } from './line.js';
import { releaseResultOf } from './release-results.js';
import type { ReleaseTerms } from './release-terms.js';
import { tombstoneKey } from './tombstones.js';
import type { Position } from './wait-queue.js';
import type { Command, CommandScript } from '../wire/call.js';
import { rwlockAcquireWrite, rwlockReleaseWrite } from '../wire/scripts.generated.js';

/** The keys of one read-write lock, and its channel. */
export interface ReadWriteKeys {
  readonly lock: string;
  /** Our readers, and the ends of their leases. */
  readonly readers: string;
  /** The wait queues of writers and of readers, and when each was heard of. */
  readonly writers: string;
  readonly waiting: string;
  readonly heartbeats: string;
  /** Of those writers that are handed the lock. */
  readonly tickets: string;
  /** The prefix of the key of each tombstone; the holder id follows. */
  readonly tombstones: string;
  /** Where releases of either side notify. */
  readonly channel: string;
  /** The prefix of the keys of Redisson's holds of readers. */
  readonly stem: string;
}

/** The key of our readers and the ends of their leases. */
export function readersKey(key: string): string {
  return privateKey('readers', key);
}

/** The prefix of the keys of Redisson's holds of readers. */
export function stemOf(key: string): string {
  return suffixed(key, '');
}

export function readWriteKeys(key: string): ReadWriteKeys {
  return {
    lock: key,
    readers: readersKey(key),
    writers: privateKey('writers', key),
    waiting: privateKey('waiting', key),
    heartbeats: privateKey('beats', key),
    tickets: privateKey('tickets', key),
    tombstones: tombstoneKey(key, ''),
    channel: prefixed('redisson_rwlock', key),
    stem: stemOf(key),
  };
}

/** The keys of its line. */
export function writeLineKeys({ writers, ...keys }: ReadWriteKeys): LineKeys {
  return { ...keys, line: writers, token: [] };
}

/** What an ask wants. */
export interface WriteAsk {
  readonly holder: string;
  readonly count: number;
  readonly leaseMs: number;
  readonly position: Position;
  /** The lease of a grant that its client is told of; 0: it is told that the lock is free. */
  readonly windowMs: number;
  /** Its client listens to the channel of the lock. */
  readonly isListening: boolean;
  readonly place: TakenPlace | undefined;
}

/** Written out, since every acquisition and release needs them: a spread takes 2 µs. */
const keysOf = (keys: ReadWriteKeys, holder: string) => ({
  lock: keys.lock,
  tombstone: `${keys.tombstones}${holder}:write`,
  readers: keys.readers,
  writers: keys.writers,
  waiting: keys.waiting,
  heartbeats: keys.heartbeats,
  tickets: keys.tickets,
});

/** Takes the lock, or an entry in the line. */
export function writeAskOf<T>(
  script: CommandScript<T>,
  { publish }: Pick<Router, 'publish'>,
  keys: ReadWriteKeys,
  ask: WriteAsk,
): Command<T> {
  const { holder, count, leaseMs, position, windowMs, isListening, place } = ask;
  const operands = rwlockAcquireWrite.operands(keysOf(keys, holder), {
    holder,
    count,
    leaseMs,
    position,
    windowMs,
    isListening: isListening ? 1 : 0,
    publish,
    channel: keys.channel,
    stem: keys.stem,
    replaces: place?.holderId ?? '',
    rank: place?.rank ?? 0,
  });
  return { script, operands };
}

/** The ask of a ticket. */
export const writeEnter: CommandScript<LineAnswer> = {
  ...rwlockAcquireWrite,
  decode: (reply) => answerOf(rwlockAcquireWrite.decode(reply)),
};

const release: CommandScript<ReleaseResult> = {
  ...rwlockReleaseWrite,
  decode: (reply) => releaseResultOf(rwlockReleaseWrite.decode(reply)),
};

/** Releases a writer, and takes its entry out of the line. */
export function writeReleaseOf(
  router: Pick<Router, 'publish' | 'channels'>,
  keys: ReadWriteKeys,
  holder: string,
  { count, tombstoneMs }: ReleaseTerms,
  yields: boolean,
): Command<ReleaseResult> {
  const { channel, stem } = keys;
  const operands = rwlockReleaseWrite.operands(keysOf(keys, holder), {
    holder,
    count,
    tombstoneMs,
    listens: listensOf(router, channel, yields),
    publish: router.publish,
    channel,
    stem,
  });
  return { script: release, operands };
}
