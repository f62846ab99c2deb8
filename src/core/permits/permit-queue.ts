import type { AskState, LocalQueue } from '../acquisition.js';
import type { Answered } from '../delivery/pending-reply.js';
import type { PendingCall } from '../wire/call.js';
import type { Timer } from '../base/clock.js';
import { soon } from '../base/async-context.js';
import type { Ask, PermitAnswer, PermitSource, PermitWaiter } from './permit-source.js';
import { PermitNews } from './permit-news.js';
import { PermitWaiters } from './permit-waiters.js';
import type { Request } from '../delivery/requests.js';
import type { EndpointServices } from '../endpoint-services.js';
import { HEARTBEAT_MS, PASSED_OVER_MS, RECHECK_MAX_MS, SECOND_POLL_MS } from '../waiting/timing.js';

/** One of this many releases leaves its permits to all clients. */
const OPEN_EVERY = 4;

/**
 * The waiters of one client for the permits of one semaphore, first come first served: one call
 * at a time asks for all of them. A waiter behind one that the server refused sends nothing.
 *
 * Between clients the first that asks is served, so a small request may pass a big one. When a head
 * was passed over for long, its client enters the wait queue on the server, and other clients get
 * nothing until that head is served or leaves, or the heartbeat of its client stops.
 */
export class PermitQueue<W extends PermitWaiter> implements LocalQueue<W> {
  /** What this client hears of the semaphore. */
  readonly news: PermitNews = new PermitNews();
  readonly #services: EndpointServices;
  readonly #source: PermitSource<W>;
  readonly #emptied: () => void;
  /** All waiters, also those of the call under way. */
  readonly #waiters: PermitWaiters<W>;
  /** The server refused the head, in a call with this setting: those behind it wait as well. */
  #refusal: { readonly setting: string | undefined } | undefined;
  #ask: Ask<W> | undefined;
  #scheduled = false;
  /** This client may have an entry in the wait queue. */
  #hasPosition = false;
  #passed = 0;
  #recheck: Timer | undefined;
  #stopListening: (() => void) | undefined;
  /** True while there are no waiters. */
  #idle = true;

  /** `emptied` is called when no waiter is left. The queue may be used again after that, as long as
   * there is no other one for the same semaphore. */
  constructor(services: EndpointServices, source: PermitSource<W>, emptied: () => void) {
    this.#services = services;
    this.#source = source;
    this.#waiters = new PermitWaiters(services.clock);
    this.#emptied = emptied;
  }

  /** Adds a waiter behind all others, or refuses it at once when it would have to wait for them. */
  join(waiter: W): void {
    const isBlocked = this.#isRefused();
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

  askOf(): AskState {
    return { refusal: this.#ask?.call?.refusal };
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

  /** True when the next call that frees permits may serve these waiters in the same script, by
   * `serveWith`. One call in four may not, so that other clients get their share. */
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
    const ask = this.#open(undefined);
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

  /** While the server cannot be reached, its refusal of the head proves nothing, and neither does
   * it before the semaphore has got the number of permits that the client was told since. */
  #isRefused(): boolean {
    const refusal = this.#refusal;
    const isUp = this.#services.router.whyDown(this.#source.key) === undefined;
    return refusal !== undefined && isUp && this.#source.carried(refusal.setting) === undefined;
  }

  #askSoon(): void {
    if (!this.#scheduled) {
      this.#scheduled = true;
      soon(this.#askIfFree);
    }
  }

  readonly #askIfFree = (): void => {
    this.#scheduled = false;
    if (this.#ask === undefined && !this.#idle) {
      this.#askNow();
    }
  };

  #open(setting: string | undefined): Ask<W> {
    this.#recheck?.cancel();
    this.news.callBegins();
    const waiters = this.#waiters.forOneCall((waiter) => this.#source.weightOf(waiter));
    const mustQueue = this.#services.clock.now() - this.#waiters.headSince >= PASSED_OVER_MS;
    this.#hasPosition ||= mustQueue;
    const open = waiters.length;
    this.#ask = { waiters, mustQueue, setting, open, call: undefined, drop: undefined };
    return this.#ask;
  }

  #askNow(): void {
    const { delivery } = this.#services;
    const ask = this.#open(this.#source.carried()?.text);
    const request = delivery.openRequest(this.#source.key);
    const settle = (mayRun: boolean): void =>
      mayRun
        ? this.#giveBack(request, ask.waiters)
        : delivery.settleRequest(this.#source.key, request);
    const command = this.#source.acquire(request, ask.waiters, ask.mustQueue);
    const call = delivery.start(command, {
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
    ask.drop = () => {
      this.#ask = undefined;
      settle(delivery.abandon(call));
      this.wakeUp();
    };
  }

  #answered(ask: Ask<W>, answer: PermitAnswer, call: PendingCall): void {
    this.#ask = undefined;
    this.#hasPosition = ask.mustQueue && answer.granted === 0;
    this.news.isUninitialised = answer.exists === false;
    this.#source.shown(answer);
    const served = ask.waiters.slice(0, answer.granted);
    for (const waiter of served) {
      this.#waiters.delete(waiter);
    }
    this.#refusal = undefined;
    const first = ask.waiters[answer.granted];
    if (first === undefined) {
      this.wakeUp();
    } else {
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
  #tooFew(first: W, { waiters, setting }: Ask<W>, answer: PermitAnswer): void {
    const waits = first.waits || answer.exists === false;
    if (!this.#waiters.has(first) || (waits && this.#source.carried(setting) !== undefined)) {
      // It has left meanwhile, and the next one may need less; or the client was told a number of
      // permits meanwhile, or finds that the semaphore is gone.
      this.wakeUp();
    } else if (first.waits) {
      this.#refusal = { setting };
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
    for (const waiter of ask.waiters) {
      if (this.#waiters.delete(waiter)) {
        waiter.failed(error);
      }
    }
    this.#refusal = undefined;
    this.wakeUp();
    this.#endIfEmpty();
  }

  /** Gives back in the background what a copy of this request may still be granted. */
  #giveBack(request: Request, waiters: readonly W[]): void {
    const { delivery } = this.#services;
    const leaves = this.#waiters.head === undefined;
    this.#hasPosition &&= !leaves;
    const answered = this.#source.watchRecord?.();
    const done = (): void => delivery.settleRequest(this.#source.key, request);
    delivery.inBackground(this.#source.giveBack(request, waiters, leaves), { answered, done });
  }

  #sleep(head: W, { granted, retryMs }: PermitAnswer): void {
    const isWokenUp = this.news.hasComeFor(head.count);
    if (isWokenUp && granted === 0) {
      this.#askSoon();
      return;
    }
    const { clock } = this.#services;
    const passedOverMs = this.#waiters.headSince + PASSED_OVER_MS - clock.now();
    const turnMs = passedOverMs > 0 ? passedOverMs : HEARTBEAT_MS;
    // A wake-up during an ask that granted something was most likely about those; if not, the early
    // poll finds the rest.
    const pollMs = isWokenUp ? SECOND_POLL_MS : RECHECK_MAX_MS;
    const delayMs = Math.min(retryMs < 0 ? RECHECK_MAX_MS : retryMs, turnMs, pollMs);
    this.#recheck?.cancel();
    this.#recheck = clock.after(delayMs + 1, () => this.wakeUp());
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
