import { isWithoutAnswer } from '../acquisition.js';
import { asError } from '../wire/replies.js';
import type { DeclaredNumber } from './declared-number.js';
import type { PermitAnswer, PermitWaiter } from './permit-source.js';
import type { PermitWaiters } from './permit-waiters.js';

/** There is no semaphore, and it was not deleted: an object that has a number states it again. */
export const isHealable = ({ exists, isDeleted }: PermitAnswer): boolean =>
  exists === false && isDeleted !== true;

/** The numbers of permits that the objects of the waiters for one semaphore declare. */
export class WaitersNumbers<W extends PermitWaiter> {
  /** How many statements of a number were made while somebody waited. */
  statements = 0;
  /** A number is stated again, since there is no semaphore: nothing is asked until that is done. */
  isHealing = false;
  readonly #all: PermitWaiters<W>;
  readonly #askSoon: () => void;

  constructor(all: PermitWaiters<W>, askSoon: () => void) {
    this.#all = all;
    this.#askSoon = askSoon;
  }

  /** Those whose object takes no other number than its own do not wait for permits of another one. */
  judge(waiters: readonly W[], answer: PermitAnswer): void {
    for (const waiter of waiters) {
      const error = waiter.number?.judge(answer);
      if (error !== undefined) {
        this.#fail(waiter, error);
      }
    }
  }

  /** A number is stated before what is asked from now on: a refusal from before proves nothing. */
  stated(): void {
    this.statements += 1;
  }

  /** True when there is no semaphore, though a waiter declares its number, and it was not deleted: the number is stated
   * again, and all are asked for anew. */
  heals(answer: PermitAnswer): boolean {
    const declaring = isHealable(answer) ? this.#all.declaring() : [];
    const number = declaring[0]?.number;
    if (number === undefined) {
      return false;
    }
    this.isHealing = true;
    void this.#heal(number, declaring);
    return true;
  }

  async #heal(number: DeclaredNumber, declaring: readonly W[]): Promise<void> {
    try {
      await number.again();
    } catch (error) {
      for (const waiter of isWithoutAnswer(error) ? [] : declaring) {
        if (waiter.number === number) {
          this.#fail(waiter, asError(error));
        }
      }
    }
    this.isHealing = false;
    this.#askSoon();
  }

  #fail(waiter: W, error: Error): void {
    if (this.#all.delete(waiter)) {
      waiter.failed(error);
    }
  }
}
