import { Printable } from '../observe/printable.js';
import type { Reachable } from './reachable.js';

/** What the internals know of what a face shows. */
export interface Shown extends Reachable {
  readonly state: 'held' | 'suspect' | 'lost' | 'released';
  readonly signal: AbortSignal;
  readonly isHeld: boolean;
  readonly remainingMs: number;
  assertHeld(): void;
  extend(leaseMs: number): Promise<void>;
  detach(options?: { leaseMs?: number | undefined }): Promise<string>;
  /** `face` is kept as long as the listener is set. */
  onContended(listener: () => void, face: object): () => void;
  release(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
  toJSON(): object;
}

/** The object that the program has of a grant: it shows what the internals know, which do not refer to it. */
export abstract class GrantFace<S extends Shown> extends Printable implements AsyncDisposable {
  /** Those whose program may wait for nothing but the string of a `detach()`. */
  static readonly #detaching = new Set<object>();
  /** Hidden from loggers, which would walk through the whole client. */
  readonly #shown: S;

  constructor(shown: S, origin: string | undefined) {
    super();
    this.#shown = shown;
    shown.shownAs(this, origin);
  }

  protected get shown(): S {
    return this.#shown;
  }

  /** What a face shows; undefined for anything else. */
  static shownBy(value: unknown): Shown | undefined {
    return typeof value === 'object' && value !== null && #shown in value
      ? value.#shown
      : undefined;
  }

  /** It is released for the program, which need not keep it. */
  static keep(value: object): void {
    GrantFace.shownBy(value)?.keepFace(value);
  }

  get state(): Shown['state'] {
    return this.#shown.state;
  }

  /** Signals that derive from it abort with it, and do not keep it: it is kept from inside, and so is this. */
  get signal(): AbortSignal {
    this.#shown.keepFace(this);
    return this.#shown.signal;
  }

  get isHeld(): boolean {
    return this.#shown.isHeld;
  }

  get remainingMs(): number {
    return this.#shown.remainingMs;
  }

  assertHeld(): void {
    this.#shown.assertHeld();
  }

  extend(leaseMs: number): Promise<void> {
    return this.#shown.extend(leaseMs);
  }

  async detach(options?: { leaseMs?: number | undefined }): Promise<string> {
    GrantFace.#detaching.add(this);
    try {
      return await this.#shown.detach(options);
    } finally {
      GrantFace.#detaching.delete(this);
    }
  }

  onContended(listener: () => void): () => void {
    return this.#shown.onContended(listener, this);
  }

  release(): Promise<void> {
    return this.#shown.release();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#shown[Symbol.asyncDispose]();
  }

  override toJSON(): object {
    return this.#shown.toJSON();
  }
}
