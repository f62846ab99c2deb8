import { DeadlineQueue } from '../core/base/deadline-queue.js';
import type { ClientServices } from '../core/client-services.js';
import type { Endpoint } from '../core/connection/driver-types.js';
import type { Environment } from '../core/connection/environment.js';
import type { RouterSettings } from '../core/connection/create-router.js';
import { Scopes, type ScopedHold } from '../core/locks/scopes.js';
import type { BranchMutex } from '../core/locks/branch-mutex.js';
import type { Claim, ClaimServices } from './claim.js';
import { Claims } from './claims.js';
import { Lines } from './line.js';
import { Members } from './members.js';
import { Questions } from './questions.js';
import type { Claimant } from './vote-parts.js';

/** A hold as it stands in a scope, for one of its names. */
export interface ScopedName extends ScopedHold {
  readonly outer: ScopedName | undefined;
  readonly claim: Claim;
  readonly depth: number;
  /** Makes the re-entries through it exclude each other. */
  readonly reentries: BranchMutex;
  /** Passes while its hold was neither lost nor released. */
  assertNotOver(): void;
}

/** Shared by all clients, as those of other locks are. */
const scopes = new Scopes<ScopedName>();

/** What a quorum client consists of, beside what its public objects are. */
export interface QuorumTerms {
  readonly endpoints: readonly Endpoint[];
  readonly settings: RouterSettings;
  readonly serverTimeoutMs: number;
  readonly maxLeaseMs: number;
}

/** The state that all locks of a quorum client share. */
export class QuorumServices implements ClaimServices {
  readonly client: ClientServices;
  readonly members: Members;
  readonly questions: Questions;
  readonly scopes: Scopes<ScopedName> = scopes;
  readonly lines: Lines = new Lines();
  readonly claims: Claims;
  readonly serverTimeoutMs: number;
  readonly maxLeaseMs: number;
  /** The rounds that servers have to answer in time. */
  readonly timeouts: DeadlineQueue;

  constructor(client: ClientServices, environment: Environment, terms: QuorumTerms) {
    this.client = client;
    this.serverTimeoutMs = terms.serverTimeoutMs;
    this.maxLeaseMs = terms.maxLeaseMs;
    this.timeouts = new DeadlineQueue(client.clock, terms.serverTimeoutMs);
    this.claims = new Claims(client.clock, client.settings.leaseMs / 3);
    this.members = new Members(terms.endpoints, {
      client,
      environment,
      settings: terms.settings,
      maxLeaseMs: terms.maxLeaseMs,
      forgot: (member) => this.claims.forget(member),
      connected: (member) => this.claims.restore(member),
    });
    this.questions = new Questions(client, this.members, terms.serverTimeoutMs);
  }

  get clock(): ClientServices['clock'] {
    return this.client.clock;
  }

  get renewedLeaseMs(): number {
    return this.client.settings.leaseMs;
  }

  /** This client holds a lock. */
  holds(lockId: string): boolean {
    return this.claims.has(lockId);
  }

  get holdCount(): number {
    return this.#holds.size;
  }

  get #holds(): Set<Claimant> {
    const holds = new Set<Claimant>();
    this.claims.held.forEach((claim) => claim.holds.forEach((hold) => holds.add(hold)));
    return holds;
  }

  /** Releases all holds; never rejects. */
  async releaseAll(): Promise<void> {
    await Promise.all([...this.#holds].map((hold) => hold[Symbol.asyncDispose]()));
  }

  /** Ends all connections, timers and subscriptions. */
  shutDown(): void {
    this.claims.close();
    this.timeouts.close();
    for (const { services } of this.members.all) {
      services.shutDown();
    }
  }
}
