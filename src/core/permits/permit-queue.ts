import type { Answered } from '../delivery/pending-reply.js';
import type { PendingCall } from '../wire/call.js';
import type { Timer } from '../base/clock.js';
import { soon } from '../base/async-context.js';
import type { PermitAnswer, PermitSource, PermitWaiter } from './permit-source.js';
import { PermitWaiters } from './permit-waiters.js';
import type { Request } from '../delivery/requests.js';
import type { EndpointServices } from '../endpoint-services.js';
import { HEARTBEAT_MS, RECHECK_MAX_MS, SECOND_POLL_MS } from '../waiting/timing.js';

/** A head that has waited this long takes a place in the line of all clients. */
const PASSED_OVER_MS = 5_000;

/** Of so many releases in a row one is open to all clients. */
const OPEN_EVERY = 4;

/** One call that asks for some waiters. */
interface Ask<W> {
  readonly waiters: readonly W[];
  readonly mustQueue: boolean;
  /** How many of them still want an answer. */
  open: number;
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
  readonly #services: EndpointServices;
  readonly #source: PermitSource<W>;
  readonly #emptied: () => void;
  /** Those that are being asked for included. */
  readonly #waiters: PermitWaiters<W>;
  /** The head was told to wait, and nobody can pass it. */
  #blocked = false;
  #ask: Ask<W> | undefined;
  #scheduled = false;
  /** The most permits that a hint has told of while an ask was under way, whose answer may be older
   * than the hint. */
  #wokenUp = 0;
  /** This client may have a place in the line of all clients. */
  #hasPosition = false;
  #passed = 0;
  #recheck: Timer | undefined;
  #stopListening: (() => void) | undefined;
  /** Nobody is in it. */
  #idle = true;

  /** `emptied` is called when nobody is left. The queue may be used again after that, as long as
   * there is no other one for the same semaphore. */
  constructor(services: EndpointServices, source: PermitSource<W>, emptied: () => void) {
    this.#services = services;
    this.#source = source;
    this.#waiters = new PermitWaiters(services.clock);
    this.#emptied = emptied;
  }

  /** Adds a waiter behind all others, or refuses it at once when it would have to wait for them. */
  join(waiter: W): void {
    // What was told to others says nothing about a server that cannot be asked now.
    const isBlocked = this.#blocked && this.#isUp;
    if (isBlocked && !waiter.waits) {
      waiter.refused();
      return;
    }
    if (this.#idle) {
      this.#idle = false;
      if (this.#services.hub.knows(this.#source.channel)) {
        // Still subscribed from before: listening before the first ask saves the second.
        this.#listen();
      }
    }
    this.#waiters.add(waiter, isBlocked);
    if (!isBlocked) {
      this.#askSoon();
    }
  }

  /** A waiter gives up. If it stood in front, the next one may be luckier. */
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
      this.#blocked = false;
      this.wakeUp();
    }
    this.#endIfEmpty();
  }

  /** Something may have changed; `available` says how many permits there were then, if it is known.
   * Asks, once for all that happens in the same turn, when they are enough for the head. */
  wakeUp(available: number = Number.POSITIVE_INFINITY): void {
    if (this.#ask !== undefined) {
      // Nobody knows yet which waiter is the head when the answer comes.
      this.#wokenUp = Math.max(this.#wokenUp, available);
    } else if (available >= (this.#waiters.head?.count ?? 0)) {
      this.#askSoon();
    }
  }

  /** True when the next call that frees permits may serve these waiters in the same step, by
   * `serveWith`. One in four leaves them to whoever comes first: other clients get their share. */
  takesNextRelease(): boolean {
    if (this.#ask !== undefined || this.#idle) {
      return false;
    }
    this.#passed = (this.#passed + 1) % OPEN_EVERY;
    return this.#passed !== 0;
  }

  /** Has `run` send a call that serves the waiters it is given, in place of asking. */
  async serveWith<A extends PermitAnswer>(
    run: (waiters: readonly W[], mustQueue: boolean) => Promise<Answered<A>>,
  ): Promise<Answered<A>> {
    const ask = this.#open();
    try {
      const answered = await run(ask.waiters, ask.mustQueue);
      this.#answered(ask, answered.answer, answered.call);
      return answered;
    } catch (error) {
      // Whatever it was, the waiters find out by themselves whether it concerns them.
      this.#ask = undefined;
      this.wakeUp();
      throw error;
    }
  }

  #askSoon(): void {
    if (this.#ask === undefined && !this.#scheduled) {
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

  #open(): Ask<W> {
    this.#recheck?.cancel();
    this.#wokenUp = 0;
    const waiters = this.#waiters.forOneCall((waiter) => this.#source.weightOf(waiter));
    const mustQueue = this.#services.clock.now() - this.#waiters.headSince >= PASSED_OVER_MS;
    this.#hasPosition ||= mustQueue;
    this.#ask = { waiters, mustQueue, open: waiters.length, drop: undefined };
    return this.#ask;
  }

  #askNow(): void {
    const { delivery } = this.#services;
    const ask = this.#open();
    const request = delivery.openRequest(this.#source.key);
    const settle = (mayRun: boolean): void =>
      mayRun
        ? this.#giveBack(request, ask.waiters)
        : delivery.settleRequest(this.#source.key, request);
    const command = this.#source.acquire(request, ask.waiters, ask.mustQueue);
    const call = delivery.start(command, {
      answered: (answer, answered) => {
        // Only a grant is recorded: a copy that comes late might still get one.
        settle(answer.granted === 0 && answered.unackedCopies > 0);
        this.#answered(ask, answer, answered);
      },
      failed: (error, failed) => {
        settle(failed.unackedCopies > 0);
        this.#failed(ask, error);
      },
    });
    ask.drop = () => {
      this.#ask = undefined;
      settle(delivery.abandon(call));
      this.wakeUp();
    };
  }

  #answered(ask: Ask<W>, answer: PermitAnswer, call: PendingCall): void {
    this.#ask = undefined;
    this.#hasPosition = ask.mustQueue && answer.granted === 0;
    const served = ask.waiters.slice(0, answer.granted);
    for (const waiter of served) {
      this.#waiters.delete(waiter);
    }
    this.#blocked = false;
    const first = ask.waiters[answer.granted];
    if (first === undefined) {
      this.wakeUp();
    } else {
      this.#tooFew(first, ask, answer);
    }
    const late = served.filter((waiter) => !waiter.granted(call, answer));
    if (late.length > 0) {
      this.#waiters.restore(late);
      this.wakeUp();
    }
    this.#endIfEmpty();
  }

  /** There were not enough permits for `first`, whoever else was asked for. */
  #tooFew(first: W, { waiters }: Ask<W>, { granted, retryMs }: PermitAnswer): void {
    if (!this.#waiters.has(first)) {
      // It has left meanwhile; the next one may need less.
      this.wakeUp();
    } else if (first.waits) {
      this.#blocked = true;
      this.#waiters.block();
      this.#listen();
      this.#sleep(first, granted, retryMs);
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
    this.#blocked = false;
    this.wakeUp();
    this.#endIfEmpty();
  }

  /** Cleans up behind a request of which a copy may still run. */
  #giveBack(request: Request, waiters: readonly W[]): void {
    const { delivery } = this.#services;
    const leaves = this.#waiters.head === undefined;
    this.#hasPosition &&= !leaves;
    const answered = this.#source.watchRecord?.();
    const done = (): void => delivery.settleRequest(this.#source.key, request);
    delivery.inBackground(this.#source.giveBack(request, waiters, leaves), { answered, done });
  }

  get #isUp(): boolean {
    return this.#services.router.whyDown(this.#source.key) === undefined;
  }

  #sleep(head: W, granted: number, retryMs: number): void {
    const isWokenUp = this.#wokenUp >= head.count;
    if (isWokenUp && granted === 0) {
      this.#askSoon();
      return;
    }
    const { clock } = this.#services;
    const passedOverMs = this.#waiters.headSince + PASSED_OVER_MS - clock.now();
    const turnMs = passedOverMs > 0 ? passedOverMs : HEARTBEAT_MS;
    // A hint that came together with a grant was most likely about what was granted, and if not,
    // the head finds out soon.
    const pollMs = isWokenUp ? SECOND_POLL_MS : RECHECK_MAX_MS;
    const delayMs = Math.min(retryMs < 0 ? RECHECK_MAX_MS : retryMs, turnMs, pollMs);
    this.#recheck?.cancel();
    this.#recheck = clock.after(delayMs + 1, () => this.wakeUp());
  }

  #listen(): void {
    // Any message is a hint, and so is the confirmation of the subscription.
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
      // Tombstone a number that was never used gives up the place in the line.
      this.#giveBack(this.#services.delivery.openRequest(this.#source.key), []);
    }
    this.#emptied();
  }
}
