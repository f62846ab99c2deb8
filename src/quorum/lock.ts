import { DeadlockError, NotHeldError } from '../errors.js';
import { whenSettled } from '../core/base/async-context.js';
import { checkInteger } from '../core/base/arguments.js';
import { least } from '../core/base/least.js';
import type { EndpointServices } from '../core/endpoint-services.js';
import { contention } from '../core/locks/acquisition.js';
import { Locking, type LockTerms } from '../core/locks/locking.js';
import { ObjectProtocol } from '../core/object-protocol.js';
import type { Holder } from '../core/observe/events.js';
import type { HoldInScope } from '../core/observe/wait-circle.js';
import type { MultiHoldFace } from '../multi-lock/multi-hold.js';
import type { MultiLock } from '../multi-lock/multi-lock.js';
import type { Ending } from '../core/waiting/wait-limit.js';
import { QuorumAcquisition } from './acquisition.js';
import type { Claim } from './claim.js';
import { quorumHoldOf, type AsGranted } from './granted.js';
import { freeTurns, type HeldName } from './held-name.js';
import { QuorumHold } from './hold.js';
import type { QuorumName } from './names.js';
import type { QuorumServices, ScopedName } from './quorum-services.js';
import { Steps } from './steps.js';
import { waitedFor } from './waited.js';

/** A quorum lock as errors, events and the calls of its client name it. */
class QuorumProtocol extends ObjectProtocol<EndpointServices> {
  readonly kind = 'quorum-lock' as const;
  readonly family = 'quorum-lock';
}

const ignore = (): void => {};

/** What a call re-enters through: a hold that it names; none (null); or that of its scope. */
type Within = QuorumHold | null | undefined;

/** What an acquisition has come to: what was re-entered, with the turns that it took, and the claim on the rest. */
interface Entered {
  readonly claim: Claim | undefined;
  readonly outers: readonly (ScopedName | undefined)[];
  readonly taken: ScopedName[];
}

/** The public object of one or several locks of a quorum. */
export class QuorumLockFace<G extends MultiHoldFace = MultiHoldFace>
  extends Locking<G, QuorumProtocol>
  implements MultiLock
{
  readonly #quorum: QuorumServices;
  readonly #names: readonly QuorumName[];
  readonly #fenced: boolean;
  readonly #asGranted: AsGranted<G>;

  constructor(
    quorum: QuorumServices,
    names: readonly QuorumName[],
    fenced: boolean,
    asGranted: AsGranted<G>,
  ) {
    const { services } = quorum.members.first;
    const resource = names.map((each) => each.resource).join(', ');
    super(services, new QuorumProtocol(services, resource, names[0]?.key ?? '', ''));
    this.#quorum = quorum;
    this.#names = names;
    this.#fenced = fenced;
    this.#asGranted = asGranted;
  }

  protected override get label(): string {
    return 'Lock';
  }

  get names(): readonly string[] {
    return this.#names.map(({ resource }) => resource);
  }

  async isLocked(): Promise<boolean> {
    return await this.#quorum.questions.isLocked(this.name, this.#names);
  }

  async holders(): Promise<Holder[]> {
    return await this.#quorum.questions.holders(this.name, this.#names);
  }

  async holdCount(): Promise<number> {
    this.services.client.assertOpen(this.name);
    const counts = this.#names.map(
      ({ lockId }) => this.#quorum.scopes.enclosing(lockId)?.claim.holds.size ?? 0,
    );
    return await Promise.resolve(least(counts));
  }

  async remainingLeaseMs(): Promise<number | null> {
    return await this.#quorum.questions.remainingLeaseMs(this.name, this.#names);
  }

  async forceRelease(): Promise<boolean> {
    return await this.#quorum.questions.forceRelease(this.name, this.#names);
  }

  protected override begin(given: unknown, waiting: boolean): Promise<G> {
    return this.checked(
      given,
      waiting,
      (options) => this.#checkOptions(options),
      async (terms, within) =>
        this.#asGranted(await this.#acquire(terms, within), terms.waitLimit.origin),
    );
  }

  #checkOptions(options: object): Within {
    const {
      within: given,
      leaseMs,
      replicas,
    } = options as {
      within?: unknown;
      leaseMs?: unknown;
      replicas?: unknown;
    };
    if (leaseMs !== undefined) {
      checkInteger('leaseMs', leaseMs, 1, this.#quorum.maxLeaseMs);
    }
    if (replicas !== undefined) {
      throw new TypeError('replicas: a quorum lock has a majority in their place');
    }
    if (given === undefined || given === null) {
      return given;
    }
    const within = quorumHoldOf(given);
    if (this.#names.every(({ lockId }) => within.partOf(lockId) === undefined)) {
      throw new NotHeldError(
        `within must be a hold that this client has on "${this.name}", got one of "${within.lockName}"`,
        { resource: this.name },
      );
    }
    within.assertNotOver();
    return within;
  }

  /** What is re-entered of a name. */
  #outerOf({ lockId }: QuorumName, given: Within): ScopedName | undefined {
    const isExplicit = this.services.client.settings.reentry === 'explicit';
    const within = given === undefined && isExplicit ? null : given;
    if (within === null) {
      return undefined;
    }
    return within?.partOf(lockId) ?? this.#quorum.scopes.enclosing(lockId);
  }

  async #acquire(terms: LockTerms, within: Within): Promise<QuorumHold> {
    try {
      for (;;) {
        const hold = await this.#acquireOnce(terms, within);
        if (hold !== undefined) {
          return hold;
        }
      }
    } finally {
      terms.waitLimit.dispose();
    }
  }

  /** Undefined when a hold that it would re-enter through was released meanwhile. */
  async #acquireOnce(terms: LockTerms, within: Within): Promise<QuorumHold | undefined> {
    const outers = this.#names.map((name) => this.#outerOf(name, within));
    if (outers.every((outer) => outer === undefined)) {
      return await this.#enter(terms, outers, []);
    }
    const taken: ScopedName[] = [];
    try {
      const entered = outers.filter((outer) => outer !== undefined);
      for (const outer of entered) {
        outer.assertNotOver();
        if (!(await this.#takeTurn(outer, terms))) {
          freeTurns(taken);
          return undefined;
        }
        taken.push(outer);
      }
      if (entered.some(({ state }) => state === 'released')) {
        freeTurns(taken);
        return undefined;
      }
      await this.#confirm(entered, terms);
      return await this.#enter(terms, outers, taken);
    } catch (error) {
      freeTurns(taken);
      throw error;
    }
  }

  /** Other branches that have re-entered are waited for; false when the hold was released first. */
  async #takeTurn(outer: ScopedName, { waits, waitLimit }: LockTerms): Promise<boolean> {
    const { reentries } = outer;
    if (reentries.tryTake()) {
      return true;
    }
    const { client } = this.services;
    const { name: resource } = this;
    const { owner } = reentries;
    const isInside = owner !== undefined && this.#quorum.scopes.isInside(owner);
    if (isInside && client.settings.reentry === 'scope') {
      const message = `re-entering "${resource}" here would wait for the hold that this code runs in`;
      throw new DeadlockError(message, { resource });
    }
    const waited = (): Error =>
      contention(resource, client.clock.now() - waitLimit.startedAt, isInside, waitLimit.holders);
    if (!waits) {
      throw waited();
    }
    const stopWatching = client.slowWaits.watch(
      waitedFor(this.#quorum, resource, this.#names),
      waitLimit,
      {
        holds: this.#quorum.scopes.entries,
        isBehind: (hold) => hold === reentries.owner,
        isHeldAround: () => isInside && reentries.owner === owner,
      },
    );
    const result = await reentries.take(waitLimit);
    stopWatching();
    if (result === 'ended' && waitLimit.ending !== undefined) {
      throw client.errorOf(waitLimit.ending, resource, waited);
    }
    if (result === 'closed' && outer.state === 'lost') {
      outer.assertNotOver();
    }
    return result === 'taken';
  }

  /** A re-entry shows that a majority has the lock yet, for as long as it wants. */
  async #confirm(entered: readonly ScopedName[], { leaseMs, waitLimit }: LockTerms): Promise<void> {
    const claims = [...new Set(entered.map(({ claim }) => claim))];
    if (claims.length === 0) {
      return;
    }
    const { client } = this.services;
    const startedAt = client.clock.now();
    const errorOf = (ending: Ending): unknown =>
      client.errorOf(ending, this.name, () =>
        this.#quorum.members.noMajority(this.name, client.clock.now() - startedAt, []),
      );
    const extending = Promise.all(
      claims.map((claim) => claim.extend(Math.max(1, Math.min(leaseMs, claim.boundMs)))),
    );
    await new Steps(client.clock, waitLimit, errorOf).run<unknown>((resolve, reject) => {
      whenSettled(extending, resolve, reject);
      return ignore;
    });
    for (const outer of entered) {
      outer.assertNotOver();
    }
  }

  async #enter(
    terms: LockTerms,
    outers: readonly (ScopedName | undefined)[],
    taken: ScopedName[],
  ): Promise<QuorumHold> {
    const { name: resource } = this;
    const fresh = this.#names.filter((_, i) => outers[i] === undefined);
    const holds = this.#quorum.scopes.entries;
    const isBehind = ({ lockId, state }: HoldInScope): boolean =>
      state === 'held' && fresh.some((name) => name.lockId === lockId);
    const isHeldAround = (): boolean =>
      holds.some(({ hold }) => hold !== undefined && isBehind(hold));
    const place = { holds, isBehind, isHeldAround };
    const wanted = { resource, names: fresh, fenced: this.#fenced, ...place };
    const acquisition = new QuorumAcquisition(this.#quorum, wanted, terms);
    const give = (claim?: Claim): QuorumHold => this.#give(terms, { claim, outers, taken });
    const hold = fresh.length === 0 ? give() : await acquisition.run(give);
    // What was re-entered may have been lost while the rest was waited for.
    if (hold.state === 'lost') {
      await hold.release();
    }
    return hold;
  }

  #give(terms: LockTerms, { claim, outers, taken }: Entered): QuorumHold {
    const names = this.#names.flatMap((name, i): HeldName[] => {
      const outer = outers[i];
      const of = outer?.claim ?? claim;
      return of === undefined ? [] : [{ name, claim: of, outer }];
    });
    const { name: resource } = this;
    const { renewed, maxHoldMs, waitLimit } = terms;
    const { startedAt } = waitLimit;
    const now = this.#quorum.clock.now();
    const endsBy = maxHoldMs === undefined ? undefined : (claim?.endsBy ?? now + maxHoldMs);
    const hold = new QuorumHold(this.#quorum, { resource, names, renewed, endsBy, startedAt });
    claim?.keep();
    // The hold frees these turns with its end.
    taken.length = 0;
    return hold;
  }
}
