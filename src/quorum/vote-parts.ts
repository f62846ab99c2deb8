import type { LeaseLostError, LeaseLostReason } from '../errors.js';
import type { ClaimCommands } from './claim-commands.js';
import type { PartResult } from '../multi-lock/commands.js';
import type { QuorumName } from './names.js';

/** What a server has answered to an ask. */
export type Answer =
  | { readonly is: 'granted'; readonly tokens: readonly (bigint | undefined)[] }
  | { readonly is: 'busy' }
  | { readonly is: 'failed'; readonly error: Error };

/** The claim that votes are cast for. */
export interface Candidate {
  readonly resource: string;
  readonly holderId: string;
  readonly names: readonly QuorumName[];
  /** Its holds want renewal. */
  readonly renewed: boolean;
  /** It ends by this instant, by our clock; Infinity: it has no bound. */
  readonly endsBy: number;
  /** Of each lock, for an ask that is sent now. */
  readonly leaseMs: number;
  /** Those that ask a server for it, and release it. */
  readonly commands: ClaimCommands;
  /** A vote is over. */
  voteLost(reason: LeaseLostReason, cause: Error): void;
  /** A vote cannot be proven just now. */
  voteDoubted(cause: Error | undefined): void;
  /** Whether so many other votes were confirmed after `at` that nobody else had a majority since. */
  isConfirmedSince(at: number): boolean;
}

/** A hold of a claim. */
export interface Claimant extends AsyncDisposable {
  readonly renewed: boolean;
  /** It ends by this instant; undefined: it has no bound. */
  readonly endsBy: number | undefined;
  lost(error: LeaseLostError): void;
  /** It is renewed. */
  lasts(): void;
  suspected(cause: Error | undefined): void;
  /** It is released here, as its claim goes to the next hold. */
  released(): void;
  /** It was passed on, and nothing proves that it was held then. */
  foundLost(error: LeaseLostError): void;
}

/** What became of a release. */
export type Released = 'released' | 'taken' | 'deleted' | 'nothing';

const RELEASED: ReadonlySet<PartResult['is']> = new Set(['freed', 'kept', 'handed', 'opened']);

/** All names were there, or it was no vote. */
export function outcomeOf(results: readonly PartResult[]): Released {
  const missing = results.find(({ is }) => !RELEASED.has(is));
  return missing === undefined ? 'released' : missing.is === 'taken' ? 'taken' : 'deleted';
}
