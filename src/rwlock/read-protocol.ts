import { commandOf, type Command, type CommandScript } from '../core/wire/call.js';
import { integer } from '../core/wire/replies.js';
import { UnexpectedReplyError } from '../server-errors.js';
import type { ReleaseResult } from '../core/grant/release.js';
import { releaseResultOf } from '../core/locks/release-results.js';
import { verdictOf, type LockProtocol, type Sibling } from '../core/locks/lock-protocol.js';
import { NOBODY, type ReleaseTerms } from '../core/locks/release-terms.js';
import type { Asks } from '../core/locks/ticket.js';
import type { EndpointServices } from '../core/endpoint-services.js';
import {
  rwlockAcquireRead,
  rwlockLeaveQueue,
  rwlockReleaseRead,
  rwlockRenewRead,
} from '../core/wire/scripts.generated.js';
import type { Position, Verdict, WaitQueue } from '../core/locks/wait-queue.js';
import { hasLine, listensOf } from '../core/locks/line.js';
import { readersKey, stemOf } from '../core/locks/write-line.js';
import { holdKey, holdKeys, SideProtocol } from './protocol.js';
import { ReaderQueue, type ReadAttempt, type ReaderCommands } from './reader-queue.js';
import {
  renewalAnswers,
  type Renewal,
  type RenewalAnswer,
  type RenewalItem,
} from '../core/lease/renewal.js';

function verdictsOf(reply: unknown): Verdict[] {
  const [rank, ...codes] = rwlockAcquireRead.decode(reply).split(' ');
  return codes.map((code) => {
    if (code === 'T') {
      return { is: 'granted' };
    }
    const ms = integer(code);
    return ms < -1 ? verdictOf(ms) : { is: 'busy', busyMs: ms, rank: Number(rank) };
  });
}

const acquireMany: CommandScript<Verdict[]> = { ...rwlockAcquireRead, decode: verdictsOf };

const acquireOne: CommandScript<Verdict> = {
  ...rwlockAcquireRead,
  decode(reply) {
    const [verdict] = verdictsOf(reply);
    if (verdict === undefined) {
      throw new UnexpectedReplyError('a reader was not answered');
    }
    return verdict;
  },
};

const releaseRead: CommandScript<ReleaseResult> = {
  ...rwlockReleaseRead,
  decode: (reply) => releaseResultOf(rwlockReleaseRead.decode(reply)),
};

const renew: CommandScript<readonly RenewalAnswer[]> = {
  ...rwlockRenewRead,
  decode: (reply) => renewalAnswers(rwlockRenewRead.decode(reply).split(' ')),
};

function renewal(items: readonly RenewalItem[]): Command<readonly RenewalAnswer[]> {
  const ofClaims: string[] = [];
  const terms: string[] = [];
  for (const { key, holderId, count, leaseMs } of items) {
    const holds = holdKeys(stemOf(key), holderId, 1, count);
    ofClaims.push(key, readersKey(key));
    for (const hold of holds) {
      ofClaims.push(hold);
    }
    terms.push(holderId, String(holds.length), String(leaseMs));
  }
  return { script: renew, operands: rwlockRenewRead.operands({ ofClaims }, { claims: terms }) };
}

/** The read side of a read-write lock: many holders at once. */
export class ReadProtocol extends SideProtocol implements LockProtocol, ReaderCommands {
  readonly kind = 'read-lock';
  readonly isShared = true;
  readonly canBeHandedOn = false;
  /** The entry belongs to the client, which removes it with its last waiting reader. */
  readonly keepsPosition = false;
  readonly renewal: Renewal = renewal;
  readonly lockId: string;
  readonly sibling: Sibling;
  protected readonly mode = 'read';

  constructor(services: EndpointServices, name: string, key: string) {
    super(services, name, key);
    this.lockId = `${services.client.id}:read-lock:${key}`;
    this.sibling = {
      kind: 'write-lock',
      lockId: `${services.client.id}:write-lock:${key}`,
      admits: true,
    };
  }

  createQueue(asks: Asks): WaitQueue {
    return new ReaderQueue(asks, this);
  }

  acquire(
    holderId: string,
    count: number,
    leaseMs: number,
    position: Position,
    beside = '',
  ): Command<Verdict> {
    const claim = { holderId, count, leaseMs, rank: 0, beside };
    // Other readers of this client may wait: its entry in the wait queue must not move back.
    const joins = position === 'none' ? 'none' : 'join';
    return { script: acquireOne, operands: this.#claim([claim], joins) };
  }

  acquireMany(claims: readonly ReadAttempt[], rest: number): Command<Verdict[]> {
    return { script: acquireMany, operands: this.#claim(claims, 'queue', rest) };
  }

  leaveQueue(): Command<number> {
    const { keys, services, notice } = this;
    return commandOf(rwlockLeaveQueue, keys, { client: services.client.id, ...notice });
  }

  release(
    holder: string,
    { count, tombstoneMs, upTo, others = NOBODY }: ReleaseTerms,
  ): Command<ReleaseResult> {
    const { keys, services } = this;
    const { stem, channel } = keys;
    const { publish } = services.router;
    const listens = listensOf(services.router, channel, hasLine(services));
    const holds = [
      holdKey(stem, holder, 1),
      ...holdKeys(stem, holder, Math.max(2, count + 1), upTo),
    ];
    for (const other of others) {
      holds.push(keys.tombstones + other, holdKey(stem, other, 1));
    }
    const operands = rwlockReleaseRead.operands(
      {
        lock: keys.lock,
        tombstone: keys.tombstones + holder,
        readers: keys.readers,
        writers: keys.writers,
        waiting: keys.waiting,
        heartbeats: keys.heartbeats,
        tickets: keys.tickets,
        holds,
      },
      { holder, count, tombstoneMs, listens, publish, channel, stem, others },
    );
    return { script: releaseRead, operands };
  }

  #claim(
    claims: readonly ReadAttempt[],
    position: 'none' | 'join' | 'queue',
    rest = 0,
  ): ReturnType<typeof rwlockAcquireRead.operands> {
    const { keys, services } = this;
    const { channel, stem } = keys;
    const { publish } = services.router;
    const ofClaims: string[] = [];
    const terms: string[] = [];
    for (const { holderId, count, leaseMs, rank, beside = '' } of claims) {
      const first = holdKey(stem, holderId, 1);
      const newest = count === 1 ? first : holdKey(stem, holderId, count);
      ofClaims.push(keys.tombstones + holderId, first, newest);
      terms.push(holderId, String(count), String(leaseMs), String(rank), beside);
    }
    return rwlockAcquireRead.operands(
      {
        lock: keys.lock,
        readers: keys.readers,
        writers: keys.writers,
        waiting: keys.waiting,
        heartbeats: keys.heartbeats,
        tickets: keys.tickets,
        ofClaims,
      },
      { client: services.client.id, position, publish, channel, rest, claims: terms },
    );
  }
}
