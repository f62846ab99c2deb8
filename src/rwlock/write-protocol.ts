import type { Command, CommandScript } from '../core/wire/call.js';
import { hashRenewal } from '../core/locks/hash-renewal.js';
import { ExclusiveQueue } from '../core/locks/exclusive-queue.js';
import type { ReleaseResult } from '../core/grant/grant-lifecycle.js';
import { releaseResultOf } from '../core/locks/release-results.js';
import { verdictOf, type LockProtocol, type Sibling } from '../core/locks/lock-protocol.js';
import type { ReleaseTerms } from '../core/locks/release-terms.js';
import type { Asks } from '../core/locks/ticket.js';
import { tombstoneKey } from '../core/locks/tombstones.js';
import type { EndpointServices } from '../core/endpoint-services.js';
import { rwlockAcquireWrite, rwlockReleaseWrite } from '../core/wire/scripts.generated.js';
import type { Position, Verdict, WaitQueue } from '../core/locks/wait-queue.js';
import { SideProtocol } from './protocol.js';
import { HEARTBEAT_MS } from '../core/waiting/timing.js';
import type { Renewal } from '../core/lease/renewal.js';

const acquireWrite: CommandScript<Verdict> = {
  ...rwlockAcquireWrite,
  decode: (reply) => verdictOf(rwlockAcquireWrite.decode(reply)),
};

const releaseWrite: CommandScript<ReleaseResult> = {
  ...rwlockReleaseWrite,
  decode: (reply) => releaseResultOf(rwlockReleaseWrite.decode(reply)),
};

const renewal = hashRenewal((holderId) => `${holderId}:write`);

/** The write side of a read-write lock: one holder, and no reader but itself. */
export class WriteProtocol extends SideProtocol implements LockProtocol {
  readonly kind = 'write-lock';
  readonly isShared = false;
  readonly keepsPosition = true;
  readonly heartbeatMs: number = HEARTBEAT_MS;
  readonly renewal: Renewal = renewal;
  readonly lockId: string;
  readonly sibling: Sibling;
  protected readonly mode = 'write';

  constructor(services: EndpointServices, name: string, key: string) {
    super(services, name, key);
    this.lockId = `${services.client.id}:write-lock:${key}`;
    this.sibling = {
      kind: 'read-lock',
      lockId: `${services.client.id}:read-lock:${key}`,
      admits: false,
    };
  }

  createQueue(asks: Asks): WaitQueue {
    return new ExclusiveQueue(asks, this);
  }

  acquire(holder: string, count: number, leaseMs: number, position: Position): Command<Verdict> {
    const { key, queueKeys, notice, stem } = this;
    const keys = {
      lock: key,
      tombstone: tombstoneKey(key, `${holder}:write`),
      ...queueKeys,
    };
    const args = { holder, count, leaseMs, position, ...notice, stem };
    return { script: acquireWrite, operands: rwlockAcquireWrite.operands(keys, args) };
  }

  release(holder: string, { count, tombstoneMs }: ReleaseTerms): Command<ReleaseResult> {
    const { key, queueKeys, notice, stem } = this;
    const keys = {
      lock: key,
      tombstone: tombstoneKey(key, `${holder}:write`),
      writers: queueKeys.writers,
      heartbeats: queueKeys.heartbeats,
      readers: queueKeys.readers,
    };
    const operands = rwlockReleaseWrite.operands(keys, {
      holder,
      count,
      tombstoneMs,
      ...notice,
      stem,
    });
    return { script: releaseWrite, operands };
  }
}
