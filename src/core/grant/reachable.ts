import type { Leaks, Watched } from '../observe/leaks.js';

/**
 * What is held, as the internals know it. The program has another object for it, its face. From the first round of
 * renewals that finds this held, the internals do not refer to the face any more: so it is known when the program has
 * lost it.
 */
export abstract class Reachable implements Watched {
  /** Until that round, so that what is held shortly costs nothing; and for good once the program may have
   * something else than the face. */
  #face: object | undefined;
  #watch: 'before' | 'on' | 'off' = 'before';
  #origin: string | undefined;

  abstract get held(): Watched['held'];
  abstract get grantedAt(): number;
  abstract get isRenewed(): boolean;
  protected abstract get leaks(): Leaks;

  get origin(): string | undefined {
    return this.#origin;
  }

  /** The face has been made, for a call that was made at `origin`. */
  shownAs(face: object, origin: string | undefined): void {
    this.#face = face;
    this.#origin = origin;
  }

  /** The face is not kept from here any more. */
  protected get isWatched(): boolean {
    return this.#watch === 'on';
  }

  /** A round of renewals finds it held. */
  lasts(): void {
    if (this.#watch === 'before' && this.#face !== undefined) {
      this.#watch = 'on';
      this.leaks.watch(this.#face, this);
      this.#face = undefined;
      this.watched();
    }
  }

  /** Whatever else keeps the face from here has to let go of it. */
  protected watched(): void {}

  /** The program has something by which it may know of this, or end it, without its face. */
  keepFace(face: object): void {
    if (this.#watch !== 'off') {
      this.endWatch();
      this.#face = face;
    }
  }

  /** It is over. */
  protected endWatch(): void {
    if (this.#watch === 'on') {
      this.leaks.unwatch(this);
    }
    this.#watch = 'off';
    this.#face = undefined;
  }
}
