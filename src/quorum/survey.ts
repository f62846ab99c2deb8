import { OutcomeUnknownError } from '../errors.js';
import { deadline, type Clock, type Timer } from '../core/base/clock.js';
import { whenSettled } from '../core/base/async-context.js';
import { asError } from '../core/wire/replies.js';
import type { Member } from './member.js';
import type { Members } from './members.js';

/** Returns whether the result stays the same, whatever so many more servers answer. Others have failed. */
export type IsSettled<T> = (answers: readonly T[], missing: number, failed: number) => boolean;

interface SurveyTerms<T> {
  readonly isSettled: IsSettled<T>;
  /** It changes data. Servers that do not vote get it, too. The survey waits for each server to which it was sent. */
  readonly isCommand?: boolean;
}

/** How long a survey waits. */
interface SurveyLimits {
  /** For the servers that are missing when a majority has answered. */
  readonly missingMs: number;
  /** In all. */
  readonly totalMs: number;
}

/** Sends each server one question once it is connected. It ends when a majority has answered and one of these holds:
 * all servers have answered; all that were sent it have, and the others cannot change the result; the time for the
 * missing ones is up. It fails when no majority can answer. */
export class Survey<T> {
  readonly errors: Error[] = [];
  readonly #answers: T[] = [];
  readonly #members: Members;
  readonly #clock: Clock;
  readonly #ask: (member: Member) => Promise<T>;
  readonly #terms: SurveyTerms<T>;
  readonly #asked = new Set<Member>();
  /** The missing servers have had their time. */
  #isLate = false;
  #isOver = false;
  #hasEnded = false;
  #missing: Timer | undefined;
  /** Servers that do not vote yet, each with the timer that ends when it does. */
  readonly #silent = new Map<Member, Timer>();
  #over: Timer | undefined;
  #begin: () => Timer | undefined = () => undefined;
  #stop: () => void = () => {};
  #done: (answers: T[]) => void = () => {};
  #failed: () => void = () => {};

  constructor(
    members: Members,
    clock: Clock,
    ask: (member: Member) => Promise<T>,
    terms: SurveyTerms<T>,
  ) {
    this.#members = members;
    this.#clock = clock;
    this.#ask = ask;
    this.#terms = terms;
  }

  /** Calls one of the two; returns the function that ends it. */
  start(
    { missingMs, totalMs }: SurveyLimits,
    done: (answers: T[]) => void,
    failed: () => void,
  ): () => void {
    const clock = this.#clock;
    this.#done = done;
    this.#failed = failed;
    this.#begin = () =>
      deadline(clock, missingMs, () => {
        this.#isLate = true;
        this.#judge();
      });
    const over = (): void => {
      this.#isOver = true;
      this.#judge();
    };
    this.#over = deadline(clock, totalMs, over);
    this.#stop = this.#members.onConnection(() => this.#askReady());
    this.#members.assertFit();
    this.#askReady();
    return () => this.end();
  }

  end(): void {
    this.#hasEnded = true;
    this.#over?.cancel();
    this.#silent.forEach((timer) => timer.cancel());
    this.#missing?.cancel();
    this.#stop();
  }

  /** A server may have carried out what it was asked for. */
  get mayHaveRun(): boolean {
    const refused = this.errors.filter((error) => !(error instanceof OutcomeUnknownError));
    return refused.length < this.#asked.size;
  }

  #askReady(): void {
    for (const member of this.#members.all) {
      if (member.isReady && !this.#asked.has(member)) {
        if (member.votes || this.#terms.isCommand === true) {
          this.#askOne(member);
        } else {
          this.#askLater(member);
        }
      }
    }
  }

  #askOne(member: Member): void {
    this.#asked.add(member);
    whenSettled(
      this.#ask(member),
      (answer) => {
        this.#answers.push(answer);
        this.#judge();
      },
      (error) => {
        this.errors.push(asError(error));
        this.#judge();
      },
    );
  }

  /** Sends the question to a server that does not vote yet, once it does. */
  #askLater(member: Member): void {
    if (!this.#silent.has(member)) {
      const timer = this.#clock.after(member.memory.silentMs + 1, () => {
        this.#silent.delete(member);
        this.#askReady();
      });
      this.#silent.set(member, timer);
    }
  }

  #judge(): void {
    if (this.#hasEnded) {
      return;
    }
    const { all, majority } = this.#members;
    const heard = this.#answers.length + this.errors.length;
    if (this.#answers.length >= majority) {
      this.#missing ??= this.#begin();
      if (this.#isOver || this.#isComplete(all.length - heard, heard === this.#asked.size)) {
        this.#done(this.#answers);
      }
    } else if (all.length - this.errors.length < majority) {
      this.#failed();
    }
  }

  /** `isQuiet`: each server that was sent the question has answered. One that is not connected yet may have the vote
   * that decides. */
  #isComplete(missing: number, isQuiet: boolean): boolean {
    const { isSettled, isCommand } = this.#terms;
    return isQuiet
      ? missing === 0 || this.#isLate || isSettled(this.#answers, missing, this.errors.length)
      : this.#isLate && isCommand !== true;
  }
}
