import type { LocalQueue } from '../acquisition.js';
import type { Answered } from '../delivery/pending-reply.js';
import type { PendingCall } from '../wire/call.js';
import type { Timer } from '../base/clock.js';
import { soon } from '../base/async-context.js';
import { givingBack } from './permit-source.js';
import type { Ask, PermitAnswer, PermitSource, PermitWaiter } from './permit-source.js';
import { PermitNews } from './permit-news.js';
import { PermitWaiters } from './permit-waiters.js';
import { isHealable, WaitersNumbers } from './waiters-numbers.js';
import type { Request } from '../delivery/requests.js';
import { Contention } from '../waiting/contention.js';
import type { EndpointServices } from '../endpoint-services.js';
import { HEARTBEAT_MS, PASSED_OVER_MS, RECHECK_MAX_MS, SECOND_POLL_MS } from '../waiting/timing.js';

/** One of this many releases leaves its permits to all clients. */
const OPEN_EVERY = 4;

/**
 * The waiters of one client for the permits of one semaphore, first come first served: one call at a time asks for
 * all of them. A waiter behind one that the server refused sends nothing.
 *
 * Between clients the first that asks is served, so a small request may pass a big one. When a head was passed over
 * for long, its client enters the wait queue on the server, and other clients get nothing until that head is served
 * or leaves, or the heartbeat of its client stops.
 */
export class PermitQueue<W extends PermitWaiter> implements LocalQueue<W> {
  /** What this client hears of the semaphore. */
  readonly news: PermitNews = new PermitNews();
  readonly contention: Contention = new Contention();
  readonly #services: EndpointServices;
  readonly #source: PermitSource<W>;
  readonly #emptied: () => void;
  /** All waiters, also those of the call under way. */
  readonly #waiters: PermitWaiters<W>;
  /** The server refused the head, after so many statements of a number: those behind it wait as well. `heals`: except
   * those that have a number, since there was no semaphore. */
  #refusal: { readonly statements: number; readonly heals: boolean } | undefined;
  readonly numbers: WaitersNumbers<W>;
  #ask: Ask<W> | undefined;
  #scheduled = false;
  /** This client may have an entry in the wait queue. */
  #hasPosition = false;
  #passed = 0;
  #recheck: Timer | undefined;
  #stopListening: (() => void) | undefined;
  /** True while there are no waiters. */
  #idle = true;

  /** `emptied` is called when no waiter is left. The queue may be used again, where there is no other one. */
  constructor(services: EndpointServices, source: PermitSource<W>, emptied: () => void) {
    this.#services = services;
    this.#source = source;
    this.#waiters = new PermitWaiters(services.clock);
    this.numbers = new WaitersNumbers(this.#waiters, () => this.#askSoon());
    this.#emptied = emptied;
  }

  get waiting(): number {
    return this.#waiters.waiting;
  }

  /** Adds a waiter behind all others, or refuses it at once when it would have to wait for them. */
  join(waiter: W): void {
    const isBlocked = this.#isRefused(waiter);
    if (isBlocked && !waiter.waits) {
      waiter.refused();
      return;
    }
    if (this.#idle) {
      this.#idle = false;
      if (this.#services.hub.knows(this.#source.channel)) {
        // The channel is still subscribed: to listen before the first ask saves the second ask.
        this.#listen();
      }
    }
    this.#waiters.add(waiter, isBlocked);
    if (!isBlocked) {
      this.#askSoon();
    }
  }

  /** Removes a waiter that gives up. If it was the head, the next one may need fewer permits. */
  leave(waiter: W): void {
    const wasHead = waiter === this.#waiters.head;
    if (!this.#waiters.delete(waiter)) {
      return;
    }
    const ask = this.#ask;
    if (ask?.waiters.includes(waiter) === true) {
      ask.open -= 1;
      if (ask.open === 0) {
        ask.drop?.();
      }
    }
    if (wasHead) {
      this.#refusal = undefined;
      this.wakeUp();
    }
    this.#endIfEmpty();
  }

  /** Asks, once for all wake-ups of the same turn, if the permits may be enough for the head.
   * `available`: how many there were, if known. */
  wakeUp(available: number = Number.POSITIVE_INFINITY): void {
    if (this.#ask !== undefined) {
      // The answer decides which waiter is the head then.
      this.news.heard(available);
    } else if (this.news.isWorthAsking(available, this.#waiters.head?.count ?? 0)) {
      this.#askSoon();
    }
  }

  /** The next call that frees permits may serve these waiters in its script, by `serveWith`: but for one in four. */
  takesNextRelease(): boolean {
    if (this.#ask !== undefined || this.#idle) {
      return false;
    }
    this.#passed = (this.#passed + 1) % OPEN_EVERY;
    return this.#passed !== 0;
  }

  /** Lets `run` send a call that also serves waiters, in place of an ask. */
  async serveWith<A extends PermitAnswer>(
    run: (waiters: readonly W[], mustQueue: boolean) => Promise<Answered<A>>,
  ): Promise<Answered<A>> {
    const ask = this.#open();
    try {
      const answered = await run(ask.waiters, ask.mustQueue);
      this.#answered(ask, answered.answer, answered.call);
      return answered;
    } catch (error) {
      // The waiters ask by themselves, and learn whether the error concerns them.
      this.#ask = undefined;
      this.wakeUp();
      throw error;
    }
  }

  /** A refusal proves nothing once the server is silent, nor where a number was stated since. */
  #isRefused({ number }: W): boolean {
    const { statements, heals = false } = this.#refusal ?? {};
    const holds = statements === this.numbers.statements && !(heals && number !== undefined);
    return holds && this.#services.proves(this.contention, this.#source.key);
  }

  #askSoon(): void {
    if (!this.#scheduled) {
      this.#scheduled = true;
      soon(this.#askIfFree);
    }
  }

  readonly #askIfFree = (): void => {
    this.#scheduled = false;
    if (this.#ask === undefined && !this.#idle && !this.numbers.isHealing) {
      this.#askNow();
    }
  };

  #open(): Ask<W> {
    this.#recheck?.cancel();
    this.news.callBegins();
    const waiters = this.#waiters.forOneCall((waiter) => this.#source.weightOf(waiter));
    const mustQueue = this.#services.clock.now() - this.#waiters.headSince >= PASSED_OVER_MS;
    this.#hasPosition ||= mustQueue;
    const open = waiters.length;
    const { statements } = this.numbers;
    this.#ask = { waiters, mustQueue, statements, open, call: undefined, drop: undefined };
    return this.#ask;
  }

  #askNow(): void {
    const { clock, delivery } = this.#services;
    const ask = this.#open();
    const request = delivery.openRequest(this.#source.key);
    const settle = (mayRun: boolean, dropped?: PendingCall): void =>
      mayRun
        ? this.#giveBack(request, ask.waiters, dropped)
        : delivery.settleRequest(this.#source.key, request);
    const call = delivery.start(this.#source.acquire(request, ask.waiters, ask.mustQueue), {
      answered: (answer, answered) => {
        // Only a grant is recorded: after a refusal an unacknowledged copy may still be granted.
        settle(answer.granted === 0 && answered.unackedCopies > 0);
        this.#answered(ask, answer, answered);
      },
      failed: (error, failed) => {
        settle(failed.unackedCopies > 0);
        this.#failed(ask, error);
      },
    });
    ask.call = call;
    this.contention.asked(clock.now(), call);
    ask.drop = () => {
      this.#ask = undefined;
      settle(delivery.abandon(call), call);
      this.wakeUp();
    };
  }

  #answered(ask: Ask<W>, answer: PermitAnswer, call: PendingCall): void {
    this.#ask = undefined;
    this.contention.answered();
    this.#hasPosition = ask.mustQueue && answer.granted === 0;
    this.news.isUninitialised = answer.exists === false;
    const served = ask.waiters.slice(0, answer.granted);
    served.forEach((waiter) => this.#waiters.delete(waiter));
    this.#refusal = undefined;
    const first = ask.waiters[answer.granted];
    this.numbers.judge(ask.waiters.slice(answer.granted), answer);
    if (first === undefined) {
      this.wakeUp();
    } else if (!this.numbers.heals(answer)) {
      this.contention.busy(call, this.#services.clock.now());
      this.#tooFew(first, ask, answer);
    }
    const late = served.filter((waiter, i) => !waiter.granted(call, answer, i + 1));
    if (late.length > 0) {
      this.#waiters.restore(late);
      this.wakeUp();
    }
    this.#endIfEmpty();
  }

  /** There were not enough permits for `first`, the first waiter that was not served. */
  #tooFew(first: W, { waiters, statements }: Ask<W>, answer: PermitAnswer): void {
    if (!this.#waiters.has(first) || statements !== this.numbers.statements) {
      // It has left meanwhile, and the next one may need less; or a number of permits was stated meanwhile.
      this.wakeUp();
    } else if (first.waits) {
      this.#refusal = { statements, heals: isHealable(answer) };
      this.#waiters.block();
      this.#listen();
      this.#sleep(first, answer);
    } else {
      // Waiters that need as much would have been refused as well; the others are asked for anew.
      this.#waiters.refuse(waiters, first.count);
      this.wakeUp();
    }
  }

  #failed(ask: Ask<W>, error: Error): void {
    this.#ask = undefined;
    this.contention.failed(error);
    const failing = ask.waiters.filter((waiter) => this.#waiters.delete(waiter));
    failing.forEach((waiter) => waiter.failed(error));
    this.#refusal = undefined;
    this.wakeUp();
    this.#endIfEmpty();
  }

  /** Gives back in the background what a copy of this request may still be granted. */
  #giveBack(request: Request, waiters: readonly W[], dropped?: PendingCall): void {
    const { delivery } = this.#services;
    const leaves = this.#waiters.head === undefined;
    this.#hasPosition &&= !leaves;
    const done = (): void => delivery.settleRequest(this.#source.key, request);
    const { command, undoes } = givingBack(this.#source, request, waiters, { leaves, dropped });
    delivery.inBackground(command, { answered: this.#source.watchRecord?.(), done, undoes });
  }

  #sleep(head: W, { granted, retryMs }: PermitAnswer): void {
    const isWokenUp = this.news.hasComeFor(head.count);
    if (isWokenUp && granted === 0) {
      this.#askSoon();
      return;
    }
    const passedOverMs = this.#waiters.headSince + PASSED_OVER_MS - this.#services.clock.now();
    const turnMs = passedOverMs > 0 ? passedOverMs : HEARTBEAT_MS;
    // A wake-up during an ask was most likely about what that granted; if not, the early poll finds the rest.
    const pollMs = isWokenUp ? SECOND_POLL_MS : RECHECK_MAX_MS;
    const delayMs = Math.min(retryMs < 0 ? RECHECK_MAX_MS : retryMs, turnMs, pollMs);
    this.#recheck?.cancel();
    this.#recheck = this.#services.clock.after(delayMs + 1, () => this.wakeUp());
  }

  #listen(): void {
    // Any message is a wake-up, and so is the confirmation of the subscription.
    this.#stopListening ??= this.#services.hub.listen(this.#source.channel, (message) => {
      const told = this.#source.tellsAvailable ? Number.parseInt(message ?? '', 10) : Number.NaN;
      this.wakeUp(Number.isNaN(told) ? undefined : told);
    });
  }

  #endIfEmpty(): void {
    if (this.#waiters.head !== undefined || this.#idle) {
      return;
    }
    this.#idle = true;
    this.contention.forget();
    this.#recheck?.cancel();
    this.#stopListening?.();
    this.#stopListening = undefined;
    if (this.#hasPosition) {
      // The tombstone of an unused number removes the entry.
      this.#giveBack(this.#services.delivery.openRequest(this.#source.key), []);
    }
    this.#emptied();
  }
}
