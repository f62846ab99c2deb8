import { OutcomeUnknownError } from '../errors.js';
import { deadline, type Clock, type Timer } from '../core/base/clock.js';
import { whenSettled } from '../core/base/async-context.js';
import { asError } from '../core/wire/replies.js';
import type { Member } from './member.js';
import type { Members } from './members.js';

/** Asks each server the same question, as soon as it is connected. It ends when a
 * majority has answered, and all others that were asked, or they take too long; or when no majority can any more. */
export class Survey<T> {
  readonly errors: Error[] = [];
  readonly #answers: T[] = [];
  readonly #members: Members;
  readonly #ask: (member: Member) => Promise<T>;
  /** Those that do not vote are asked as well. */
  readonly #all: boolean;
  readonly #asked = new Set<Member>();
  #isOverdue = false;
  readonly #timers: Timer[] = [];
  #stop: () => void = () => {};
  #done: (answers: T[]) => void = () => {};
  #failed: () => void = () => {};

  constructor(members: Members, ask: (member: Member) => Promise<T>, all: boolean) {
    this.#members = members;
    this.#ask = ask;
    this.#all = all;
  }

  /** Calls one of the two; returns the function that ends it. */
  start(
    clock: Clock,
    timeoutMs: number,
    done: (answers: T[]) => void,
    failed: () => void,
  ): () => void {
    this.#done = done;
    this.#failed = failed;
    const overdue = (): void => {
      this.#isOverdue = true;
      this.#judge();
    };
    this.#timers.push(deadline(clock, timeoutMs, overdue));
    this.#stop = this.#members.onConnection(() => this.#askReady());
    this.#members.assertFit();
    this.#askReady();
    // Those that begin to vote meanwhile are asked then.
    const silent = this.#members.all.filter(({ isReady, votes }) => isReady && !votes);
    for (const { memory } of silent) {
      this.#timers.push(clock.after(memory.silentMs + 1, () => this.#askReady()));
    }
    return () => this.end();
  }

  end(): void {
    this.#timers.forEach((timer) => timer.cancel());
    this.#stop();
  }

  /** A server may have carried out what it was asked for. */
  get mayHaveRun(): boolean {
    const refused = this.errors.filter((error) => !(error instanceof OutcomeUnknownError));
    return refused.length < this.#asked.size;
  }

  #askReady(): void {
    for (const member of this.#members.all) {
      const isAskable = this.#all ? member.isReady : member.votes;
      if (isAskable && !this.#asked.has(member)) {
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
    }
  }

  #judge(): void {
    const { all, majority } = this.#members;
    const answered = this.#answers.length;
    const isAll = answered + this.errors.length === this.#asked.size;
    if (answered >= majority && (this.#isOverdue || isAll)) {
      this.#done(this.#answers);
    } else if (all.length - this.errors.length < majority) {
      this.#failed();
    }
  }
}
