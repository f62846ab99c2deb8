import type { Answered } from './asked.js';
import type { Sending } from './call.js';
import type { Timer } from './clock.js';
import type { PermitAnswer, PermitSource, PermitWaiter } from './permit-source.js';
import { RECHECK_MAX_MS } from './rechecks.js';
import type { Request } from './requests.js';
import type { Runtime } from './runtime.js';
import { BEAT_MS } from './wait-queue.js';

/** Waiters that one call asks for at most: the server is never busy with it for long. */
const WAITERS_PER_ASK = 100;

/** A head that has waited this long takes a place in the line of all clients. */
const PASSED_OVER_MS = 5_000;

/** Of so many releases in a row one is open to all clients. */
const OPEN_EVERY = 4;

/** One call that asks for some waiters. */
interface Ask<W> {
  readonly waiters: readonly W[];
  /** Those of them that still want an answer. */
  readonly open: Set<W>;
  readonly mustQueue: boolean;
  /** Drops it, unless it has more to do than to ask. */
  drop: (() => void) | undefined;
}

/**
 * The waiters of one client for the permits of one semaphore, first come first served: one call
 * at a time asks for all of them. Who comes behind somebody who was told to wait sends nothing.
 *
 * Between clients whoever asks first is served, so a small request may pass a big one. A head that
 * was passed over for long takes a place in a line of all clients, and the others stand back until
 * it is served, leaves or shows no more sign of life.
 */
export class PermitQueue<W extends PermitWaiter> {
  /** True once the server has said that there are not enough permits. */
  contended = false;
  readonly #runtime: Runtime;
  readonly #source: PermitSource<W>;
  readonly #emptied: () => void;
  /** In order of arrival, those that are being asked for included. */
  readonly #waiters = new Set<W>();
  #head: W | undefined;
  #headSince = 0;
  /** The head was told to wait, and nobody can pass it. */
  #blocked = false;
  #ask: Ask<W> | undefined;
  #scheduled = false;
  /** A hint came while an ask was under way: its answer may be older than the hint. */
  #hinted = false;
  /** This client may have a place in the line of all clients. */
  #inLine = false;
  #passed = 0;
  #recheck: Timer | undefined;
  #stopListening: (() => void) | undefined;
  #ended = false;

  /** `emptied` is called once, when nobody is left; the queue is then not used any more. */
  constructor(runtime: Runtime, source: PermitSource<W>, emptied: () => void) {
    this.#runtime = runtime;
    this.#source = source;
    this.#emptied = emptied;
    if (runtime.hub.knows(source.channel)) {
      // Still subscribed from before: listening before the first ask saves the second.
      this.#listen();
    }
  }

  /** Adds a waiter behind all others, or refuses it at once when it would have to wait for them. */
  join(waiter: W): void {
    if (this.#blocked && !waiter.waits) {
      waiter.refused();
      return;
    }
    this.#waiters.add(waiter);
    this.#lookAtHead();
    if (this.#ask === undefined && !this.#blocked) {
      this.hint();
    }
  }

  /** A waiter gives up. If it stood in front, the next one may be luckier. */
  leave(waiter: W): void {
    if (!this.#waiters.delete(waiter)) {
      return;
    }
    const wasHead = waiter === this.#head;
    this.#lookAtHead();
    const ask = this.#ask;
    ask?.open.delete(waiter);
    if (ask?.open.size === 0) {
      ask.drop?.();
    }
    if (wasHead) {
      this.#blocked = false;
      this.hint();
    }
    this.#endIfEmpty();
  }

  /** Something may have changed: ask, once for all that happens in the same turn. */
  hint(): void {
    if (this.#ask !== undefined) {
      this.#hinted = true;
    } else if (!this.#scheduled) {
      this.#scheduled = true;
      queueMicrotask(() => {
        this.#scheduled = false;
        if (this.#ask === undefined && this.#waiters.size > 0) {
          this.#askNow();
        }
      });
    }
  }

  /** True when the next call that frees permits may serve these waiters in the same step, by
   * `serveWith`. One in four leaves them to whoever comes first: other clients get their share. */
  takesNextRelease(): boolean {
    if (this.#ask !== undefined || this.#waiters.size === 0) {
      return false;
    }
    this.#passed = (this.#passed + 1) % OPEN_EVERY;
    return this.#passed !== 0;
  }

  /** Has `run` send a call that serves the waiters it is given, in place of asking. */
  async serveWith<A extends PermitAnswer>(
    run: (waiters: readonly W[], mustQueue: boolean) => Promise<Answered<A>>,
  ): Promise<A> {
    const ask = this.#open();
    try {
      const { answer, call } = await run(ask.waiters, ask.mustQueue);
      this.#answered(ask, answer, call);
      return answer;
    } catch (error) {
      // Whatever it was, the waiters find out by themselves whether it concerns them.
      this.#ask = undefined;
      this.hint();
      throw error;
    }
  }

  #open(): Ask<W> {
    this.#recheck?.cancel();
    this.#hinted = false;
    const waiters = [...this.#waiters].slice(0, WAITERS_PER_ASK);
    const mustQueue = this.#wasPassedOver;
    this.#inLine ||= mustQueue;
    this.#ask = { waiters, open: new Set(waiters), mustQueue, drop: undefined };
    return this.#ask;
  }

  #askNow(): void {
    const { delivery } = this.#runtime;
    const ask = this.#open();
    const request = delivery.openRequest(this.#source.key);
    const settle = (mayRun: boolean): void =>
      mayRun
        ? this.#giveBack(request, ask.waiters)
        : delivery.settleRequest(this.#source.key, request);
    const prepared = this.#source.acquire(request, ask.waiters, ask.mustQueue);
    const call = delivery.start(prepared, {
      answered: (answer, answered) => {
        // Only a grant is recorded: a copy that comes late might still get one.
        settle(answer.granted === 0 && answered.strays > 0);
        this.#answered(ask, answer, answered);
      },
      failed: (error, failed) => {
        settle(failed.strays > 0);
        this.#failed(ask, error);
      },
    });
    ask.drop = () => {
      this.#ask = undefined;
      settle(delivery.abandon(call));
      this.hint();
    };
  }

  #answered(ask: Ask<W>, { granted, retryMs }: PermitAnswer, call: Sending): void {
    this.#ask = undefined;
    this.#inLine = ask.mustQueue && granted === 0;
    const served = ask.waiters.slice(0, granted);
    for (const waiter of served) {
      this.#waiters.delete(waiter);
    }
    this.#lookAtHead();
    this.#blocked = false;
    const first = ask.waiters[granted];
    if (first === undefined) {
      this.hint();
    } else {
      this.#tooFew(first, ask, retryMs);
    }
    for (const waiter of served) {
      waiter.granted(call);
    }
    this.#endIfEmpty();
  }

  /** There were not enough permits for `first`, whoever else was asked for. */
  #tooFew(first: W, { waiters }: Ask<W>, retryMs: number): void {
    this.contended = true;
    if (!this.#waiters.has(first)) {
      // It has left meanwhile; the next one may need less.
      this.hint();
    } else if (first.waits) {
      this.#blocked = true;
      this.#refuse(this.#waiters, 0);
      this.#listen();
      this.#sleep(retryMs);
    } else {
      // Who needs as much would have been refused as well; the others are asked for anew.
      this.#refuse(waiters, first.count);
      this.hint();
    }
  }

  /** Refuses those who do not wait and need at least `count`. */
  #refuse(waiters: Iterable<W>, count: number): void {
    for (const waiter of waiters) {
      if (!waiter.waits && waiter.count >= count && this.#waiters.delete(waiter)) {
        waiter.refused();
      }
    }
    this.#lookAtHead();
  }

  #failed(ask: Ask<W>, error: Error): void {
    this.#ask = undefined;
    for (const waiter of ask.open) {
      this.#waiters.delete(waiter);
      waiter.failed(error);
    }
    this.#lookAtHead();
    this.#blocked = false;
    this.hint();
    this.#endIfEmpty();
  }

  /** Cleans up behind a request of which a copy may still run. */
  #giveBack(request: Request, waiters: readonly W[]): void {
    const { delivery } = this.#runtime;
    const leaves = this.#waiters.size === 0;
    this.#inLine &&= !leaves;
    delivery.behind(this.#source.giveBack(request, waiters, leaves), () =>
      delivery.settleRequest(this.#source.key, request),
    );
  }

  get #wasPassedOver(): boolean {
    return this.#waiters.size > 0 && this.#runtime.clock.now() - this.#headSince >= PASSED_OVER_MS;
  }

  #lookAtHead(): void {
    const [head] = this.#waiters;
    if (head !== this.#head) {
      this.#head = head;
      this.#headSince = this.#runtime.clock.now();
    }
  }

  #sleep(retryMs: number): void {
    if (this.#hinted) {
      this.hint();
      return;
    }
    const { clock } = this.#runtime;
    const passedOverMs = this.#headSince + PASSED_OVER_MS - clock.now();
    const turnMs = passedOverMs > 0 ? passedOverMs : BEAT_MS;
    const delayMs = Math.min(retryMs < 0 ? RECHECK_MAX_MS : retryMs, turnMs, RECHECK_MAX_MS);
    this.#recheck?.cancel();
    this.#recheck = clock.after(delayMs + 1, () => this.hint());
  }

  #listen(): void {
    // Any message is a hint, and so is the confirmation of the subscription.
    this.#stopListening ??= this.#runtime.hub.listen(this.#source.channel, () => this.hint());
  }

  #endIfEmpty(): void {
    if (this.#waiters.size > 0 || this.#ended) {
      return;
    }
    this.#ended = true;
    this.#recheck?.cancel();
    this.#stopListening?.();
    if (this.#inLine) {
      // Burning a number that was never used gives up the place in the line.
      this.#giveBack(this.#runtime.delivery.openRequest(this.#source.key), []);
    }
    this.#emptied();
  }
}
