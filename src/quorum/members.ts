import { CommandTimeoutError } from '../errors.js';
import { Member, type MemberTerms } from './member.js';
import type { Router } from '../core/connection/router.js';
import type { Endpoint } from '../core/connection/driver-types.js';

/** The servers of a quorum. */
export class Members {
  readonly all: readonly Member[];
  readonly first: Member;
  readonly majority: number;
  readonly #waiting = new Set<() => void>();
  /** Those that were examined, the newest last. */
  readonly #found = new Set<Member>();

  /** `upkeep` gets what happens to the members. */
  constructor(endpoints: readonly Endpoint[], terms: Omit<MemberTerms, 'examined'>) {
    this.majority = Math.floor(endpoints.length / 2) + 1;
    const own: MemberTerms = {
      ...terms,
      examined: (member) => this.#judge(member),
      connected: (member) => {
        terms.connected(member);
        for (const goOn of this.#waiting) {
          goOn();
        }
      },
    };
    this.all = endpoints.map((endpoint) => new Member(endpoint, own));
    const [first] = this.all;
    if (first === undefined) {
      throw new RangeError('a quorum has servers');
    }
    this.first = first;
  }

  /** Their commands are the same. */
  get router(): Router {
    return this.first.services.router;
  }

  /** Throws where a server can be no member: every call rejects then. */
  assertFit(): void {
    const fault = this.all.find((member) => member.fault !== undefined)?.fault;
    if (fault !== undefined) {
      throw fault;
    }
  }

  /** A server was examined: of two members that are one server the one that was found later has no vote. */
  #judge(member: Member): void {
    this.#found.delete(member);
    this.#found.add(member);
    const seen = new Map<string, Member>();
    for (const each of this.#found) {
      const { runId, address, memory } = each;
      const twin = runId === undefined ? undefined : seen.get(runId);
      if (runId !== undefined && twin === undefined) {
        seen.set(runId, each);
      }
      const replica = `servers must be independent masters: ${address} is a replica (role:slave), and has what its master had a moment ago`;
      each.fault =
        twin === undefined
          ? memory.isReplica
            ? new TypeError(replica)
            : undefined
          : new TypeError(
              `servers must be different: ${twin.address} and ${address} are one server (run_id ${runId})`,
            );
    }
  }

  /** The server that is asked first where clients race. */
  get firstVoting(): Member | undefined {
    return this.all.find((member) => member.votes);
  }

  get isMajorityReady(): boolean {
    return this.all.filter(({ isReady }) => isReady).length >= this.majority;
  }

  /** Calls `goOn` with each new connection, until the returned function is called. */
  onConnection(goOn: () => void): () => void {
    this.#waiting.add(goOn);
    return () => {
      this.#waiting.delete(goOn);
    };
  }

  /** The error of a call that no majority has answered. */
  noMajority(resource: string, waitedMs: number, causes: readonly Error[]): CommandTimeoutError {
    const whyNot = this.all.flatMap((member) => member.whyNot ?? []);
    const known = [
      ...causes,
      ...whyNot.filter(({ message }) => !causes.some((each) => each.message === message)),
    ];
    const cause = new AggregateError(known, known.map(({ message }) => message).join('; '));
    const needed = `${this.majority} of ${this.all.length} servers`;
    const message = `no majority (${needed}) has answered within ${Math.round(waitedMs)} ms for "${resource}"`;
    const why = cause.message === '' ? '' : `: ${cause.message}`;
    return new CommandTimeoutError(`${message}${why}`, { resource, cause });
  }
}
