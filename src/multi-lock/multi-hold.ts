import type { Hold, ShownHold } from '../core/locks/hold.js';
import { HoldFace } from '../core/locks/hold-face.js';

/**
 * The hold of a multi-lock: it is held while each of its names is.
 *
 * @example
 * ```ts
 * const hold: MultiHold = await client.getMultiLock(['from', 'to'], { fenced: true }).acquire();
 * for (const token of hold.fencingTokens.values()) {
 *   await save({ token }); // that of each name
 * }
 * await hold.release();
 * ```
 */
export interface MultiHold extends Hold {
  /** The names joined by `, `, in the order in which they are taken. */
  readonly lockName: string;
  /** That of the first name. */
  readonly holderId: string;
  /** The least of all names. */
  readonly depth: number;
  /** The fencing token of each name; empty unless the multi-lock was made with `fenced`. */
  readonly fencingTokens: ReadonlyMap<string, bigint>;
}

/** The tokens as logs show them: JSON knows no bigint. */
export function shownTokens(tokens: ReadonlyMap<string, bigint>): object {
  const shown: Record<string, string> = Object.fromEntries(
    [...tokens].map(([name, token]) => [name, `${token}`]),
  );
  return tokens.size === 0 ? {} : { fencingTokens: shown };
}

/** What the internals know of a hold of several names. */
export interface ShownMultiHold extends ShownHold {
  readonly fencingTokens: ReadonlyMap<string, bigint>;
}

/** The object that the program has of it. */
export class MultiHoldFace extends HoldFace<ShownMultiHold> implements MultiHold {
  get fencingTokens(): ReadonlyMap<string, bigint> {
    return this.shown.fencingTokens;
  }
}
