import { BranchMutex } from '../core/locks/branch-mutex.js';
import { OwnEntry, type ScopeEntry } from '../core/locks/scopes.js';
import type { Claim } from './claim.js';
import type { QuorumName } from './names.js';
import type { ScopedName } from './quorum-services.js';

/** One name of a hold: the claim that has it, and what it was re-entered through. */
export interface HeldName {
  readonly name: QuorumName;
  readonly claim: Claim;
  readonly outer: ScopedName | undefined;
}

/** What a hold is made of. */
export interface HoldFacts {
  readonly resource: string;
  readonly names: readonly HeldName[];
  readonly renewed: boolean;
  readonly endsBy: number | undefined;
  readonly startedAt: number;
}

/** The hold that names belong to. */
interface HoldOfNames extends Pick<ScopedName, 'state'> {
  assertNotOver(): void;
}

/** One name of a hold, as its scopes know it. */
export class HeldPart implements ScopedName {
  readonly lockId: string;
  readonly lockName: string;
  readonly claim: Claim;
  readonly #hold: HoldOfNames;
  readonly #outer: ScopedName | undefined;
  #reentries: BranchMutex | undefined;
  #ownEntry: OwnEntry<ScopedName> | undefined;

  constructor({ name, claim, outer }: HeldName, hold: HoldOfNames) {
    this.lockId = name.lockId;
    this.lockName = name.resource;
    this.claim = claim;
    this.#hold = hold;
    this.#outer = outer;
    if (outer !== undefined) {
      outer.reentries.owner = this;
    }
  }

  get state(): HoldOfNames['state'] {
    return this.#hold.state;
  }

  /** The next one outwards that was not released. */
  get outer(): ScopedName | undefined {
    const outer = this.#outer;
    return outer?.state === 'released' ? outer.outer : outer;
  }

  get depth(): number {
    return (this.#outer?.depth ?? 0) + 1;
  }

  get reentries(): BranchMutex {
    this.#reentries ??= new BranchMutex();
    return this.#reentries;
  }

  assertNotOver(): void {
    this.#hold.assertNotOver();
  }

  /** Its entry in scopes, which keep the face of the hold; watched: only they keep the entry. */
  entryWith(face: object, isWatched: boolean): ScopeEntry<ScopedName> {
    this.#ownEntry ??= new OwnEntry();
    return this.#ownEntry.with(this, face, isWatched);
  }

  watched(): void {
    this.#ownEntry?.watched();
  }

  /** Its scopes forget it. */
  forget(): void {
    this.#ownEntry?.forget();
  }

  /** The hold has ended: what re-enters through it acquires in another way. */
  ended(): void {
    this.#reentries?.close();
  }

  /** Its own turn among the re-entries through the hold around it ends. */
  freeTurn(): void {
    this.#outer?.reentries.free();
  }
}

/** The claims of some names, each once. */
export function claimsOf(names: readonly HeldName[]): readonly Claim[] {
  const [first] = names;
  return first !== undefined && names.length === 1
    ? [first.claim]
    : [...new Set(names.map(({ claim }) => claim))];
}

/** What was re-entered may be re-entered by others. */
export function freeTurns(taken: readonly ScopedName[]): void {
  for (const outer of taken) {
    outer.reentries.free();
  }
}
