import { GrantFace } from '../grant/grant-face.js';
import type { Hold, LockHold, ShownHold } from './hold.js';

/** The object that the program has of a hold of any kind. */
export class HoldFace<S extends ShownHold = ShownHold> extends GrantFace<S> implements Hold {
  declare readonly fencingToken?: bigint;

  constructor(shown: S, origin: string | undefined) {
    super(shown, origin);
    const { fencingToken } = shown;
    if (fencingToken !== undefined) {
      // Not enumerable: a log of `{ ...hold }` must not meet a bigint, which JSON cannot show.
      Object.defineProperty(this, 'fencingToken', { value: fencingToken });
    }
  }

  get lockName(): string {
    return this.shown.lockName;
  }

  get holderId(): string {
    return this.shown.holderId;
  }

  get depth(): number {
    return this.shown.depth;
  }

  run<T>(task: () => T | Promise<T>): Promise<T> {
    return this.shown.run(task, this);
  }

  protected override get label(): string {
    return 'Hold';
  }
}

/** Makes of a hold what the caller gets; throws if it is none of that kind. `origin`: where the call was made. */
export type AsGranted<G> = (hold: LockHold, origin: string | undefined) => G;

/** For locks whose holds have nothing special. */
export const anyHold: AsGranted<HoldFace> = (hold, origin) => new HoldFace(hold, origin);
