import type { Command, CommandScript } from '../core/wire/call.js';
import { detachableLock } from '../core/locks/detachable.js';
import type { Detachable } from '../core/grant/detachable.js';
import { hashRenewal } from '../core/locks/hash-renewal.js';
import { HandOffQueue } from '../core/locks/hand-off-queue.js';
import { hasLine, type LineAnswer, type LineKeys } from '../core/locks/line.js';
import type { LineTicket } from '../core/locks/line-ticket.js';
import { writeAskOf, writeEnter, writeLineKeys, writeReleaseOf } from '../core/locks/write-line.js';
import type { ReleaseResult } from '../core/grant/release.js';
import { verdictOf, type LockProtocol, type Sibling } from '../core/locks/lock-protocol.js';
import type { ReleaseTerms } from '../core/locks/release-terms.js';
import type { Asks } from '../core/locks/ticket.js';
import type { EndpointServices } from '../core/endpoint-services.js';
import { rwlockAcquireWrite } from '../core/wire/scripts.generated.js';
import type { Position, Verdict, WaitQueue } from '../core/locks/wait-queue.js';
import { SideProtocol } from './protocol.js';
import { HEARTBEAT_MS } from '../core/waiting/timing.js';
import type { Renewal } from '../core/lease/renewal.js';

/** Without a ticket. */
const acquire: CommandScript<Verdict> = {
  ...rwlockAcquireWrite,
  decode(reply) {
    const answer = rwlockAcquireWrite.decode(reply);
    return verdictOf(answer.startsWith('+') ? null : Number(answer));
  },
};

const renewal = hashRenewal((holderId) => `${holderId}:write`);

/** The write side of a read-write lock: one holder, and no reader but itself. */
export class WriteProtocol extends SideProtocol implements LockProtocol {
  readonly kind = 'write-lock';
  readonly isShared = false;
  readonly canBeHandedOn = true;
  readonly keepsPosition = true;
  readonly heartbeatMs: number = HEARTBEAT_MS;
  readonly isSharedWithOthers = true;
  readonly renewal: Renewal = renewal;
  readonly lockId: string;
  readonly sibling: Sibling;
  protected readonly mode = 'write';
  #lineKeys: LineKeys | undefined;

  constructor(services: EndpointServices, name: string, key: string) {
    super(services, name, key);
    this.lockId = `${services.client.id}:write-lock:${key}`;
    this.sibling = {
      kind: 'read-lock',
      lockId: `${services.client.id}:read-lock:${key}`,
      admits: false,
    };
  }

  get detachable(): Detachable {
    const { writers, waiting } = this.keys;
    return detachableLock({ ...this.keys, waiting: [writers, waiting] }, ':write');
  }

  createQueue(asks: Asks): WaitQueue {
    return new HandOffQueue(asks, this);
  }

  get lineKeys(): LineKeys {
    return (this.#lineKeys ??= writeLineKeys(this.keys));
  }

  /** The ask of a ticket. */
  enter({
    holderId: holder,
    terms,
    windowMs,
    isListening,
    place,
  }: LineTicket): Command<LineAnswer> {
    const { leaseMs } = terms;
    return writeAskOf(writeEnter, this.services.router, this.keys, {
      holder,
      count: 1,
      leaseMs,
      position: 'queue',
      windowMs,
      isListening,
      place,
    });
  }

  /** No reader waits for longer than the next writer. */
  mayPass(queues: { has(lockId: string): boolean }): boolean {
    return !queues.has(this.sibling.lockId);
  }

  acquire(holder: string, count: number, leaseMs: number, position: Position): Command<Verdict> {
    return writeAskOf(acquire, this.services.router, this.keys, {
      holder,
      count,
      leaseMs,
      position,
      windowMs: 0,
      isListening: false,
      place: undefined,
    });
  }

  release(holder: string, terms: ReleaseTerms): Command<ReleaseResult> {
    const { services, keys } = this;
    return writeReleaseOf(services.router, keys, holder, terms, hasLine(services));
  }
}
