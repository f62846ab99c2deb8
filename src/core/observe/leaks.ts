import type { Clock } from '../base/clock.js';
import { warnLater } from '../base/program-calls.js';
import type { ObjectKind } from './events.js';
import { MinuteLimit } from './minute-limit.js';
import { spanOf } from './spans.js';

const CODE = 'REDLATCH_LEAK';

/** What is held, and renewed, while the program has an object for it. */
export interface Watched {
  readonly held: { readonly resource: string; readonly kind: ObjectKind };
  readonly grantedAt: number;
  /** Where it was acquired, if that is known. */
  readonly origin: string | undefined;
  /** It is neither over, nor has its owner set its end. */
  readonly isRenewed: boolean;
}

/** Reports by warnings of the process what is renewed while the program has lost the object by which it is released. */
export class Leaks {
  readonly #clock: Clock;
  readonly #limit: MinuteLimit;
  /** Made with the first that lasts. */
  #registry: FinalizationRegistry<Watched> | undefined;
  #isClosed = false;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#limit = new MinuteLimit(clock, (more) => {
      const what = more === 1 ? '1 more is' : `${more} more are`;
      warnLater(`${what} renewed, and nothing in this program refers to them any more`, CODE);
    });
  }

  /** Reports `watched` when nothing refers to `face` any more. Nothing that `watched` refers to may do that. */
  watch(face: object, watched: Watched): void {
    this.#registry ??= new FinalizationRegistry((lost) => this.#lost(lost));
    this.#registry.register(face, watched, watched);
  }

  unwatch(watched: Watched): void {
    this.#registry?.unregister(watched);
  }

  close(): void {
    this.#isClosed = true;
    this.#limit.idle();
  }

  #lost(watched: Watched): void {
    if (!this.#isClosed && watched.isRenewed && this.#limit.admits()) {
      warnLater(textOf(watched, this.#clock.now()), CODE);
    }
  }
}

function textOf({ held, grantedAt, origin }: Watched, now: number): string {
  const what = held.kind === 'permit-expirable-semaphore' ? 'permit' : 'hold';
  const facts = [
    `the ${what} of the ${held.kind} "${held.resource}" (held for ${spanOf(now - grantedAt)}) is renewed, but nothing ` +
      'in this program refers to it any more, so the program does not release it',
    `Keep the ${what} until it is released, or use using()`,
    origin === undefined
      ? 'NODE_DEBUG=redlatch shows where it was acquired'
      : `It was acquired here:\n${origin}`,
  ];
  return facts.join('. ');
}
