// What was told to callers, when, by one monotonic clock that all processes of a machine share.

export type LockKind = 'lock' | 'fair' | 'fenced' | 'read' | 'write';

/** Milliseconds, the same in every process of this machine. */
export const now = (): number => Number(process.hrtime.bigint()) / 1e6;

/** No copy of a call is on its way for longer. */
export const LATE_COPY_MS = 1_200;

/** A hold or permit that somebody was told to have. */
export interface Claim {
  readonly id: number;
  readonly name: string;
  readonly kind: LockKind | 'permit';
  /** Which client, by its place and generation. */
  readonly client: string;
  readonly actor: string;
  /** The outermost acquisition that it belongs to: re-entries have that of their outer hold. */
  readonly root: number;
  /** The hold that it re-entered. */
  readonly parent: number | undefined;
  readonly holderId: string;
  readonly depth: number;
  readonly token: bigint | undefined;
  readonly askedAt: number;
  readonly grantedAt: number;
  /** First and last instant at which `isHeld` was true: it was true all the time between. */
  first: number | undefined;
  last: number | undefined;
  /** When its release was called. */
  releasedAt: number | undefined;
}

/** Something after which a claim may outlive what the server knows, for a while. */
export interface Disturbance {
  readonly what: string;
  /** Undefined: every object. */
  readonly name: string | undefined;
  /** Undefined: every permit. */
  readonly permit?: string | undefined;
  /** Whose call it was: its own holds are told with the answer. */
  readonly client: string | undefined;
  readonly from: number;
  /** It has happened by then; Infinity while nobody knows. */
  until: number;
}

/** What became of a call. `not done` never runs; `unknown` may have run, once. */
export type Outcome =
  | 'done'
  | 'no'
  | 'busy'
  | 'not done'
  | 'unknown'
  | 'lost'
  | 'not held'
  | 'deadlock'
  | 'aborted';

export interface Call {
  readonly what: string;
  readonly name: string;
  readonly client: string;
  readonly actor: string;
  readonly from: number;
  /** Within which it has to settle; undefined: whenever it gets in. */
  readonly limitMs: number | undefined;
  /** When it was aborted. */
  abortedAt: number | undefined;
  until: number | undefined;
  outcome: Outcome | undefined;
  /** What it adds to a count, if it is done. */
  delta: number;
  /** How long what it sets is there. */
  lifeMs: number;
}

/** Permits of a counting semaphore that somebody has. */
export interface Handle {
  readonly name: string;
  readonly actor: string;
  readonly count: number;
  readonly askedAt: number;
  readonly grantedAt: number;
  releasedAt: number | undefined;
}

export interface Violation {
  readonly property: string;
  readonly text: string;
  readonly at: number;
  readonly name: string | undefined;
}

export interface Note {
  readonly at: number;
  readonly who: string;
  /** Undefined: it concerns everybody. */
  readonly name: string | undefined;
  readonly text: string;
}

/** A time in which this process could not run: nothing can settle in it. */
export interface Stall {
  readonly from: number;
  readonly until: number;
}

export class History {
  readonly startedAt = now();
  readonly claims: Claim[] = [];
  readonly disturbances: Disturbance[] = [];
  readonly calls: Call[] = [];
  readonly handles: Handle[] = [];
  readonly stalls: Stall[] = [];
  readonly notes: Note[] = [];
  readonly violations: Violation[] = [];
  /** The longest lease ever asked for, by root: the holds of one holder share a lease. */
  readonly leases = new Map<number, number>();

  note(who: string, name: string | undefined, text: string): void {
    this.notes.push({ at: now(), who, name, text });
  }

  violated(property: string, name: string | undefined, text: string, at = now()): void {
    this.violations.push({ property, text, at, name });
  }

  wasFlushedIn(from: number, until: number): boolean {
    return this.disturbances.some(
      (cause) => cause.what === 'flush' && cause.from <= until && cause.until >= from,
    );
  }

  lengthen(root: number, leaseMs: number): void {
    this.leases.set(root, Math.max(leaseMs, this.leases.get(root) ?? 0));
  }

  /** How long of a span this process could not run. */
  stalledMs(from: number, until: number): number {
    let sum = 0;
    for (let i = this.stalls.length - 1; i >= 0; i -= 1) {
      const stall = this.stalls[i]!;
      if (stall.until < from) {
        break;
      }
      sum += Math.max(0, Math.min(stall.until, until) - Math.max(stall.from, from));
    }
    return sum;
  }
}
