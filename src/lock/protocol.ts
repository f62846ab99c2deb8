import { UnexpectedReplyError } from '../server-errors.js';
import { commandOf, type Command, type CommandScript } from '../core/wire/call.js';
import { elements } from '../core/wire/replies.js';
import { detachableLock } from '../core/locks/detachable.js';
import type { Detachable } from '../core/grant/detachable.js';
import { hashRenewal } from '../core/locks/hash-renewal.js';
import { HandOffQueue } from '../core/locks/hand-off-queue.js';
import {
  enterOf,
  hasLine,
  lineKeys,
  releaseOf,
  type LineAnswer,
  type LineKeys,
} from '../core/locks/line.js';
import type { LineTicket } from '../core/locks/line-ticket.js';
import type { ReleaseResult } from '../core/grant/release.js';
import { ObjectProtocol } from '../core/object-protocol.js';
import type { ReleaseTerms } from '../core/locks/release-terms.js';
import type { Asks } from '../core/locks/ticket.js';
import { allTombstones, tombstoneKey } from '../core/locks/tombstones.js';
import {
  FIRST_PAGE,
  LAST_PAGE,
  verdictOf,
  type HolderPage,
  type LeasePage,
  type LockProtocol,
} from '../core/locks/lock-protocol.js';
import type { EndpointServices } from '../core/endpoint-services.js';
import {
  lockAcquire,
  lockAcquireFenced,
  lockForceRelease,
  lockHoldCount,
  lockInspect,
  lockLease,
} from '../core/wire/scripts.generated.js';
import type { Position, Verdict, WaitQueue } from '../core/locks/wait-queue.js';
import type { Renewal } from '../core/lease/renewal.js';
import type { ObjectKind } from '../core/observe/events.js';

const acquirePlain: CommandScript<Verdict> = {
  ...lockAcquire,
  decode: (reply) => verdictOf(lockAcquire.decode(reply)),
};

const acquireFenced: CommandScript<Verdict> = {
  ...lockAcquireFenced,
  decode(reply) {
    const answer = lockAcquireFenced.decode(reply);
    return answer.startsWith('+')
      ? { is: 'granted', fencingToken: BigInt(answer.slice(1)) }
      : verdictOf(Number(answer));
  },
};

/** The lock has a single lease, so there is only one page. */
const lease: CommandScript<LeasePage> = {
  ...lockLease,
  decode: (reply) => ({ cursor: LAST_PAGE, leaseMs: lockLease.decode(reply) }),
};

const inspect: CommandScript<HolderPage> = {
  ...lockInspect,
  decode: (reply) => readPage(lockInspect.decode(reply)),
};

function readPage(json: string): HolderPage {
  const [cursor, ttl, ...fields] = elements(json);
  const ttlMs = Number(ttl);
  const remainingMs = ttlMs < 0 ? Number.POSITIVE_INFINITY : ttlMs;
  const holders = [];
  for (let i = 0; i < fields.length; i += 2) {
    const depth = Number(fields[i + 1]);
    if (!Number.isInteger(depth)) {
      throw new UnexpectedReplyError(`a lock has a hold count of ${JSON.stringify(fields[i + 1])}`);
    }
    holders.push({ holderId: String(fields[i]), depth, remainingMs });
  }
  return { cursor: String(cursor), holders };
}

const renewal = hashRenewal((holderId) => holderId);

/** The common part of all Redisson locks on one hash: release, renewal, forced release. */
export class HashLockProtocol extends ObjectProtocol<EndpointServices> implements LockProtocol {
  readonly kind: ObjectKind;
  readonly family: string;
  readonly lockId: string;
  readonly renewal: Renewal = renewal;
  readonly lineKeys: LineKeys;

  constructor(
    services: EndpointServices,
    kind: ObjectKind,
    name: string,
    key: string,
    keys: LineKeys = lineKeys(key, kind === 'fenced-lock'),
  ) {
    super(services, name, key, keys.channel);
    this.lineKeys = keys;
    this.kind = kind;
    this.family = kind;
    this.lockId = [services.client.id, kind, key].join(':');
  }

  get isShared(): boolean {
    return false;
  }

  get keepsPosition(): boolean {
    return false;
  }

  get canBeHandedOn(): boolean {
    return true;
  }

  get detachable(): Detachable {
    return detachableLock({ ...this.lineKeys, waiting: [this.lineKeys.line] });
  }

  createQueue(asks: Asks): WaitQueue {
    return new HandOffQueue(asks, this);
  }

  acquire(holder: string, count: number, leaseMs: number, _position: Position): Command<Verdict> {
    const operands = lockAcquire.operands(
      { lock: this.key, tombstone: tombstoneKey(this.key, holder) },
      { holder, count, leaseMs },
    );
    return { script: acquirePlain, operands };
  }

  release(holder: string, terms: ReleaseTerms): Command<ReleaseResult> {
    const { services } = this;
    return releaseOf(services.router, this.lineKeys, holder, terms, hasLine(services));
  }

  /** The ask of a ticket. */
  enter(ticket: LineTicket): Command<LineAnswer> {
    return enterOf(this.services.router, ticket.terms, ticket);
  }

  serveLine(): Command<ReleaseResult> {
    // A release by nobody serves the line of a lock that is free.
    return this.release(`${this.services.client.id}:0`, { count: 0, tombstoneMs: 0, upTo: 1 });
  }

  forceRelease(request: { number: number; lowWater: number }): Command<string> {
    const keys = { ...this.lineKeys, requests: this.requestsKey };
    const args = { ...request, ...this.notice, ...allTombstones(this.key) };
    return commandOf(lockForceRelease, keys, args);
  }

  lease(): Command<LeasePage> {
    return { script: lease, operands: lockLease.operands({ lock: this.key }, {}) };
  }

  holdCount(holder: string): Command<number> {
    return commandOf(lockHoldCount, { lock: this.key }, { holder });
  }

  holders(cursor: string): Command<HolderPage> {
    return { script: inspect, operands: lockInspect.operands({ lock: this.key }, { cursor }) };
  }

  obstacles(): Command<HolderPage> {
    return this.holders(FIRST_PAGE);
  }
}

/** Adds a fencing token to every grant. */
export class FencedLockProtocol extends HashLockProtocol {
  override get sideKeys(): readonly string[] {
    return this.lineKeys.token;
  }

  override acquire(holder: string, count: number, leaseMs: number): Command<Verdict> {
    const keys = {
      lock: this.key,
      tombstone: tombstoneKey(this.key, holder),
      token: this.lineKeys.token[0] ?? '',
    };
    const operands = lockAcquireFenced.operands(keys, { holder, count, leaseMs });
    return { script: acquireFenced, operands };
  }
}
