// The commands of a line, the server's list of those who wait for a lock, and their answers.

import { UnexpectedReplyError } from '../../server-errors.js';
import { prefixed, privateKey } from '../base/key-names.js';
import type { Router } from '../connection/router.js';
import type { EndpointServices } from '../endpoint-services.js';
import type { ReleaseResult } from '../grant/release.js';
import { releaseResultOf } from './release-results.js';
import type { ReleaseTerms } from './release-terms.js';
import { tombstoneKey } from './tombstones.js';
import { commandOf, type Command, type CommandScript } from '../wire/call.js';
import { lockEnter, lockRecheck, lockRelease } from '../wire/scripts.generated.js';

/** The channel on which the releases of a lock notify. */
function lockChannel(key: string): string {
  return prefixed('redisson_lock__channel', key);
}

const NO_TOKEN: readonly string[] = [];

/** A grant that is not confirmed within this time, or a third of a longer lease, is over. */
const WINDOW_MIN_MS = 4_000;

/** The lease of a grant that a waiter is told of. A renewed one is confirmed soon after, so that a
 * waiter that is gone does not cost the others a whole lease; a fixed one is not prolonged. */
export function windowOf({ leaseMs, renewed }: { leaseMs: number; renewed: boolean }): number {
  return renewed ? Math.min(leaseMs, Math.max(WINDOW_MIN_MS, Math.ceil(leaseMs / 3))) : leaseMs;
}

/** The server's answer to a ticket. */
export type LineAnswer =
  | {
      readonly is: 'granted';
      /** Clients without a hold wait in the line, or have done so lately. */
      readonly others: boolean;
      /** It may be passed on inside its client. */
      readonly mayPass: boolean;
      /** The rest of the lease in ms; undefined: all of it. */
      readonly leftMs?: number;
      /** The last of its fencing tokens. */
      readonly lastToken: bigint | undefined;
    }
  | {
      readonly is: 'waiting';
      /** What the lease of another holder has left; -1: no limit. */
      readonly busyMs: number;
      /** The server's time. */
      readonly serverMs: number;
      /** The client of the holder listens to its own channel: with its release it serves the line. */
      readonly isOurs: boolean;
      /** The server has seen this client listen to its own channel; undefined: no ticket was made. */
      readonly isSeen: boolean | undefined;
      /** Of a fair lock: the holder, if it is of the same client. It may not know of its grant. */
      readonly ownHolder?: string | undefined;
    }
  | {
      /** Its holder id has a tombstone, or the server knows nothing of it. */
      readonly is: 'void';
    };

/** A message that a ticket was granted. */
export interface PushedGrant {
  readonly holderId: string;
  readonly serverMs: number;
  readonly windowMs: number;
  /** It may have so many holds inside its client. */
  readonly holdsMax: number;
  /** The last of its fencing tokens. */
  readonly lastToken: bigint | undefined;
  /** Key of the lock. */
  readonly key: string;
  readonly kind: 'lock' | 'fair-lock' | 'write-lock';
}

/** The keys of one lock that has a line, and its channel. */
export interface LineKeys {
  readonly lock: string;
  readonly line: string;
  readonly tickets: string;
  /** Of a fenced lock: the key of its token. */
  readonly token: readonly string[];
  /** The prefix of the key of each tombstone; the holder id follows. */
  readonly tombstones: string;
  /** Where releases that free the lock openly notify. */
  readonly channel: string;
}

export function lineKeys(key: string, isFenced: boolean): LineKeys {
  return {
    lock: key,
    line: privateKey('line', key),
    tickets: privateKey('tickets', key),
    token: isFenced ? [prefixed('redisson_lock_token', key)] : NO_TOKEN,
    tombstones: tombstoneKey(key, ''),
    channel: lockChannel(key),
  };
}

/** What a ticket asks for. */
export interface LineTerms {
  readonly keys: LineKeys;
  readonly leaseMs: number;
  readonly renewed: boolean;
  /** How many fencing tokens it can use; the server may issue more, up to the `TOKEN_BLOCK`. */
  readonly tokens: number;
}

const tokenOf = (text = ''): bigint | undefined => (text === '0' ? undefined : BigInt(text));

/** Decodes what a ticket was answered. */
export function answerOf(text: string): LineAnswer {
  const [first = '', second = '', third = '', fourth = ''] = text.split(' ');
  if (first === '?' || first === '-3') {
    return { is: 'void' };
  }
  if (first === '+') {
    const others = second !== '0';
    return { is: 'granted', others, mayPass: second !== '2', lastToken: tokenOf(third) };
  }
  if (first === '=') {
    const lastToken = tokenOf(third);
    return { is: 'granted', leftMs: Number(second), others: true, mayPass: true, lastToken };
  }
  if (!/^-?\d+ \d+ \d [012]$/.test(text)) {
    throw new UnexpectedReplyError(`a ticket was answered ${JSON.stringify(text)}`);
  }
  return {
    is: 'waiting',
    busyMs: Number(first),
    serverMs: Number(second),
    isOurs: third === '1',
    isSeen: fourth === '2' ? undefined : fourth === '1',
  };
}

/** Written out, since every acquisition and release needs them: a spread takes 2 µs. */
const keysOf = ({ lock, line, tickets, token, tombstones }: LineKeys, holder: string) => ({
  lock,
  line,
  tickets,
  token,
  tombstone: tombstones + holder,
});

const enter: CommandScript<LineAnswer> = {
  ...lockEnter,
  decode: (reply) => answerOf(lockEnter.decode(reply)),
};

/** The place of another ticket in a line, which a new ticket takes. */
export interface TakenPlace {
  readonly holderId: string;
  /** The server's time in microseconds at which the waiter of the new ticket began to wait, never too
   * early; 0: not known. */
  readonly rank: number;
}

/** A ticket that is asked for. */
interface EnteringTicket {
  readonly holderId: string;
  readonly windowMs: number;
  /** This client listens to the channel of the lock. */
  readonly isListening: boolean;
  readonly place: TakenPlace | undefined;
}

/** Takes the lock, or a ticket. */
export function enterOf(
  { publish }: Pick<Router, 'publish'>,
  terms: LineTerms,
  { holderId: holder, windowMs, isListening, place }: EnteringTicket,
): Command<LineAnswer> {
  const { keys, leaseMs, tokens } = terms;
  const operands = lockEnter.operands(keysOf(keys, holder), {
    holder,
    leaseMs,
    windowMs,
    isListening: isListening ? 1 : 0,
    tokens,
    publish,
    replaces: place?.holderId ?? '',
  });
  return { script: enter, operands };
}

/** One ticket of a re-check. */
export interface RecheckItem {
  readonly terms: LineTerms;
  readonly windowMs: number;
  readonly holderId: string;
  /** This client listens to the channel of the lock. */
  readonly isListening: boolean;
}

const recheck: CommandScript<readonly LineAnswer[]> = {
  ...lockRecheck,
  decode: (reply) => lockRecheck.decode(reply).split(',').map(answerOf),
};

/** Asks what has become of some tickets. */
export function recheckOf(
  { publish }: Pick<Router, 'publish'>,
  items: readonly RecheckItem[],
): Command<readonly LineAnswer[]> {
  const ofTickets: string[] = [];
  const wanted: string[] = [];
  for (const { terms, windowMs, holderId, isListening } of items) {
    const { lock, line, tickets } = terms.keys;
    const [token] = terms.keys.token;
    ofTickets.push(lock, line, tickets);
    if (token !== undefined) {
      ofTickets.push(token);
    }
    // A grant with a fixed lease is not prolonged.
    const leaseMs = terms.renewed ? terms.leaseMs : 0;
    const isFenced = token === undefined ? '0' : '1';
    wanted.push(holderId, `${leaseMs}`, `${windowMs}`, isListening ? '1' : '0', isFenced);
  }
  return { ...commandOf(lockRecheck, { ofTickets }, { publish, terms: wanted }), script: recheck };
}

const release: CommandScript<ReleaseResult> = {
  ...lockRelease,
  decode: (reply) => releaseResultOf(lockRelease.decode(reply)),
};

/** Whether a message comes of the server that has the lock. Without sharded messages the nodes of a cluster
 * know only of those who listen there, and pass messages on. */
export function isDirect({ isCluster, publish }: Pick<Router, 'isCluster' | 'publish'>): boolean {
  return !isCluster || publish === 'SPUBLISH';
}

/** Whether those who wait for a lock stand in its line: for the votes of a quorum nobody does. */
export function hasLine({ client }: Pick<EndpointServices, 'client'>): boolean {
  return client.settings.handOff !== undefined;
}

/** How many connections of this client listen to the channel of a lock; -1: it does not stand back for
 * those in no line. */
export function listensOf(
  { channels }: Pick<Router, 'channels'>,
  channel: string,
  yields: boolean,
): number {
  return yields ? Number(channels.isConfirmed(channel)) : -1;
}

/** Releases a holder, and gives up its ticket. */
export function releaseOf(
  { publish, channels }: Pick<Router, 'publish' | 'channels'>,
  keys: LineKeys,
  holder: string,
  { count, tombstoneMs }: ReleaseTerms,
  yields: boolean,
): Command<ReleaseResult> {
  const { channel } = keys;
  const listens = listensOf({ channels }, channel, yields);
  const operands = lockRelease.operands(keysOf(keys, holder), {
    holder,
    count,
    tombstoneMs,
    publish,
    channel,
    listens,
  });
  return { script: release, operands };
}

const KINDS = { g: 'lock', f: 'fair-lock', x: 'write-lock' } as const;

/** Reads the message `g<holder id> <time> <window> <token> <key>`. That about a fair lock begins with
 * `f`, and has in place of the token how many waiters of the same client are right behind it; that about a
 * write lock begins with `x`, and has there whether readers wait. */
export function pushedGrant(message: string): PushedGrant {
  const [, letter, holderId = '', serverMs, windowMs, number, key = ''] =
    /^([gfx])(\S+) (\d+) (\d+) (\d+) (.*)$/s.exec(message) ?? [];
  if (letter !== 'g' && letter !== 'f' && letter !== 'x') {
    throw new UnexpectedReplyError(`a client was told ${JSON.stringify(message)}`);
  }
  let holdsMax = Infinity;
  if (letter === 'f') {
    holdsMax = 1 + Number(number);
  } else if (letter === 'x' && number !== '0') {
    holdsMax = 1;
  }
  return {
    holderId,
    serverMs: Number(serverMs),
    windowMs: Number(windowMs),
    holdsMax,
    lastToken: letter === 'g' ? tokenOf(number) : undefined,
    key,
    kind: KINDS[letter],
  };
}
