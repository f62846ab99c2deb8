import { AskedTicket } from './asked-ticket.js';
import { ABOUT_HOLD, type PendingCall, type Receiver } from '../wire/call.js';
import type { ExpectedTicket } from './expected-ticket.js';
import {
  isDirect,
  windowOf,
  type LineAnswer,
  type LineTerms,
  type PushedGrant,
  type RecheckItem,
  type TakenPlace,
} from './line.js';
import type { LineQueue } from './line-queue.js';
import { UNSEEN_MS } from '../base/constants.generated.js';
import { rankAt, startOf, type Proof } from './proof.js';
import type { Asks } from './ticket.js';
import type { EnteredTicket } from './wait-queue.js';

/**
 * The ticket under which a queue waits in the line of its lock, and what becomes of it. The queue may give it to another waiter with the same lease; for a waiter with another one, a
 * new ticket takes its place.
 */
export class LineTicket extends AskedTicket implements ExpectedTicket, Receiver<LineAnswer> {
  readonly #queue: LineQueue<LineTicket>;
  #epochOfCall = 0;
  /** When the last command was sent, this client was told of grants. */
  wasListening = false;
  /** A message has said that it was granted, whatever became of that. */
  wasPushed = false;
  /** Others wait, or the first hold is to be the last one: this was told before the answer came. */
  #othersWait = false;
  #holdsMax = Infinity;
  /** This client has freed the lock by force since the last answer: that may have ended its grant. */
  isDoubtful = false;
  /** A re-check is under way. */
  #rechecking = false;
  /** Something has happened since it was sent, or since the ask was. */
  #hasNews = false;
  proof: Proof | undefined;
  #isUnseen = false;
  /** A grant that came before the answer to the command under way, which judges it. */
  #early: PushedGrant | undefined;
  /** A grant that started no hold yet. */
  #unused: PushedGrant | undefined;

  constructor(
    asks: Asks,
    terms: LineTerms,
    queue: LineQueue<LineTicket>,
    place?: TakenPlace,
    holderId?: string,
  ) {
    super(asks, terms, place, holderId);
    this.#queue = queue;
    this.expect();
  }

  /** For how long it asks to be granted the lock before it confirms that. One that is not seen asks so often that less
   * will do: nobody can tell whether it is still alive. */
  get windowMs(): number {
    const windowMs = windowOf(this.terms);
    return this.terms.renewed && this.#isUnseen ? Math.min(windowMs, UNSEEN_MS) : windowMs;
  }

  /** Its own place, for the ticket of a waiter that began to wait at this instant of the local clock. */
  placeFor(startedAt: number): TakenPlace {
    const { services } = this.asks.locks;
    const { proof } = this;
    // While the server takes no more data, it still stands where its own ask was to put it.
    const holderId = this.place?.holderId ?? this.holderId;
    const epoch = this.handOffs.channels.epochOf(this.key);
    // The server counts whole milliseconds here.
    const shown = proof && { ...proof, micros: (proof.serverMs + 1) * 1_000 };
    return { holderId, rank: rankAt(shown, startedAt, { clock: services.clock, epoch }) };
  }

  ask(): void {
    const { services } = this.asks.locks;
    const { channels } = this.handOffs;
    channels.resume(this.key);
    this.#epochOfCall = channels.epochOf(this.key);
    this.wasListening = channels.isListening(this.key);
    // The release of the ticket whose place it takes must not overtake it.
    const terms = this.place === undefined ? undefined : ABOUT_HOLD;
    this.call = services.delivery.start(this.#queue.enter(this), this, terms);
    this.#queue.contention.asked(services.clock.now(), this.call);
  }

  /** It stands in the line already, by this answer. */
  entered({ answer, call, epoch, wasListening }: EnteredTicket): void {
    const { services } = this.asks.locks;
    this.handOffs.channels.resume(this.key);
    this.#epochOfCall = epoch;
    this.wasListening = wasListening;
    this.#queue.contention.asked(services.clock.now(), call);
    this.answered(answer, call);
  }

  answered(answer: LineAnswer, call: PendingCall): void {
    this.settled(call);
    const epoch = call.sentAt === call.lastSentAt ? this.#epochOfCall : -1;
    this.#judge(answer, call, epoch);
  }

  failed(error: Error, call: PendingCall): void {
    this.settled(call);
    this.#queue.contention.failed(error);
    this.#queue.failed(this, error);
  }

  /** It stands in the line, as far as is known, and no command about it is under way. */
  get isWaiting(): boolean {
    return !this.isOver && this.call === undefined && !this.#rechecking;
  }

  /** Returns what a re-check of it has to name. */
  recheckItem(): RecheckItem {
    const { channels } = this.handOffs;
    this.#epochOfCall = channels.epochOf(this.key);
    this.wasListening = channels.isListening(this.key);
    const { terms, windowMs, holderId, isListening } = this;
    return { terms, windowMs, holderId, isListening };
  }

  /** A re-check of it is sent. */
  rechecking(call: PendingCall): void {
    this.#rechecking = true;
    this.#queue.contention.asked(this.asks.locks.services.clock.now(), call);
  }

  /** Something has happened: the server is asked, once more where it is being asked. */
  recheck(): void {
    if (this.isWaiting) {
      this.#queue.recheck(this);
    } else {
      this.#hasNews = true;
    }
  }

  reconnected(): void {
    this.#queue.reconnected(this);
  }

  othersWait(): void {
    this.#othersWait = true;
  }

  endWithThisHold(): void {
    this.#holdsMax = 1;
  }

  missed(): void {
    this.#queue.missed(this);
  }

  rechecked(answer: LineAnswer, call: PendingCall): void {
    this.#rechecking = false;
    if (this.isOver) {
      this.#queue.contention.answered();
    } else {
      this.#judge(answer, call, this.#epochOfCall);
    }
  }

  recheckFailed(error: Error): void {
    this.#rechecking = false;
    if (!this.isOver) {
      this.#queue.contention.failed(error);
      this.handOffs.recheckLater(this);
    }
  }

  /** The server has granted it, and has told this client so. */
  pushed(grant: PushedGrant): void {
    if (this.isOver || grant.holderId !== this.holderId) {
      // The grant of a ticket whose place it takes is its own: the answer to its ask says so.
      return;
    }
    this.#unused = grant;
    const { services } = this.asks.locks;
    const { channels } = this.handOffs;
    const proof = this.#queue.proofFor(this);
    if (this.proof !== undefined && grant.serverMs < this.proof.serverMs) {
      // An answer since then has said that it waits: that grant is over, or the clock of the server was
      // set back.
      this.recheck();
      return;
    }
    this.wasPushed = true;
    if (
      this.call !== undefined ||
      this.#rechecking ||
      proof?.isSeen !== true ||
      proof.epoch !== channels.epochOf(this.key) ||
      !channels.isListening(this.key) ||
      grant.serverMs < proof.serverMs ||
      this.isDoubtful ||
      services.delivery.hasOpenRequest(this.key)
    ) {
      // It is asked for or about just now: a copy of the ask may run after the hold, and the answer knows
      // what came after the grant; the times may be those of two servers; another waiter was answered since;
      // or this client frees the lock by force.
      this.#judgeLater(grant);
      return;
    }
    const sentAt = startOf(proof, grant, services.clock.now());
    if (sentAt === undefined) {
      this.#judgeLater(grant);
      return;
    }
    const order = services.delivery.newestOrder;
    this.#queue.granted(this, {
      acquiring: { order, sentAt, lastSentAt: sentAt },
      leaseMs: grant.windowMs,
      // Whoever was told has waited for another client.
      others: true,
      holdsMax: Math.min(grant.holdsMax, this.#holdsMax),
      fencingToken: this.#firstToken(grant.lastToken),
      isWindow: grant.windowMs < this.terms.leaseMs,
    });
  }

  /** Judges a grant by the answer to a command that is under way, or is sent now. */
  #judgeLater(grant: PushedGrant): void {
    if (this.isWaiting) {
      this.#queue.recheck(this);
    } else {
      this.#early = grant;
    }
  }

  /** It was granted, or given up: answers to it do not matter any more. */
  over(): void {
    this.isOver = true;
    this.handOffs.sleepNoMore(this);
  }

  /** The first of its tokens. The server may have issued more of them. */
  #firstToken(last: bigint | undefined): bigint | undefined {
    return last === undefined ? undefined : last - BigInt(this.terms.tokens - 1);
  }

  #judge(answer: LineAnswer, call: PendingCall, epoch: number): void {
    if (answer.is !== 'waiting' || answer.isSeen !== undefined) {
      this.placeTaken();
    }
    this.#queue.contention.answered();
    const unused = this.#unused;
    this.#unused = undefined;
    const isLater = answer.is !== 'waiting' || answer.serverMs > (unused?.serverMs ?? Infinity);
    if (unused !== undefined && answer.is !== 'granted' && isLater) {
      this.#queue.lapsed(this, call, unused.windowMs);
    }
    switch (answer.is) {
      case 'granted':
        this.#queue.granted(this, {
          acquiring: call,
          // Not more than was asked for: the clock of the server may have been set back.
          leaseMs: Math.min(answer.leftMs ?? Infinity, this.terms.leaseMs),
          others: answer.others || this.#othersWait,
          holdsMax: answer.mayPass ? this.#holdsMax : 1,
          fencingToken: this.#firstToken(answer.lastToken),
          isWindow: false,
        });
        break;
      case 'waiting': {
        const { services } = this.asks.locks;
        const { serverMs } = answer;
        const isSeen = answer.isSeen === true && isDirect(services.router);
        // One that does not listen yet is seen soon.
        this.#isUnseen =
          !isSeen && (this.wasListening || this.handOffs.channels.isRefused(this.key));
        this.isDoubtful = false;
        this.#queue.contention.busy(call, services.clock.now());
        this.proof = { sentAt: call.lastSentAt, serverMs, epoch, isSeen };
        this.#queue.waits(this, answer.isSeen === true && !isSeen ? { ...answer, isSeen } : answer);
        this.#catchUp();
        break;
      }
      default:
        this.#queue.isVoid(this);
    }
  }

  /** Sees to the news that came while a command was under way. */
  #catchUp(): void {
    const [early, hadNews] = [this.#early, this.#hasNews];
    this.#early = undefined;
    this.#hasNews = false;
    const isOld = early !== undefined && early.serverMs < (this.proof?.serverMs ?? 0);
    if (early !== undefined && !isOld) {
      this.pushed(early);
    }
    if (hadNews && this.isWaiting) {
      this.#queue.recheck(this);
    }
  }
}
