import type { Call, PendingCall, Receiver } from '../wire/call.js';
import type { ExpectedTicket, HandOffs } from './hand-offs.js';
import type { LineAnswer, LineTerms, PushedGrant, RecheckItem } from './line.js';
import type { LineQueue, Proof } from './line-queue.js';
import type { Asks } from './ticket.js';
import { Rechecked } from '../waiting/rechecks.js';

/** The server counts whole milliseconds: two of its times may be this much nearer than they were. */
const GRAIN_MS = 2;

/** How much faster or slower the clock of the server may run. */
const DRIFT = 0.01;

/**
 * The ticket under which a queue waits in the line of its lock, and all that may be left of it on the
 * server. The queue may give it to another waiter with the same lease.
 */
export class LineTicket extends Rechecked implements ExpectedTicket, Receiver<LineAnswer> {
  readonly holderId: string;
  readonly terms: LineTerms;
  hasUnackedCopy = false;
  readonly #asks: Asks;
  readonly #queue: LineQueue<LineTicket>;
  readonly #handOffs: HandOffs;
  #call: Call<LineAnswer> | undefined;
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
  #wasSent = false;
  #isOver = false;
  /** A re-check is under way. */
  #rechecking = false;
  /** Something has happened since it was sent, or since the ask was. */
  #hasNews = false;
  proof: Proof | undefined;
  /** A grant that came before the answer to the command under way, which judges it. */
  #early: PushedGrant | undefined;

  constructor(asks: Asks, terms: LineTerms, queue: LineQueue<LineTicket>) {
    super();
    const { services, handOffs } = asks.locks;
    this.#asks = asks;
    this.terms = terms;
    this.#queue = queue;
    this.#handOffs = handOffs;
    this.holderId = services.client.newHolderId();
    handOffs.expect(this.holderId, this);
  }

  get key(): string {
    return this.terms.keys.lock;
  }

  get sent(): boolean {
    return this.#wasSent || this.#call?.sent === true;
  }

  get refusal(): Error | undefined {
    return this.#call?.refusal;
  }

  ask(): void {
    const { services } = this.#asks.locks;
    const { channels } = this.#handOffs;
    channels.resume(this.key);
    this.#epochOfCall = channels.epochOf(this.key);
    this.wasListening = channels.isListening(this.key);
    this.#call = services.delivery.start(this.#queue.enter(this), this);
  }

  answered(answer: LineAnswer, call: PendingCall): void {
    this.#settled(call);
    const epoch = call.sentAt === call.lastSentAt ? this.#epochOfCall : -1;
    this.#judge(answer, call, epoch);
  }

  failed(error: Error, call: PendingCall): void {
    this.#settled(call);
    this.#queue.failed(this, error);
  }

  /** It stands in the line, as far as is known, and no command about it is under way. */
  get isWaiting(): boolean {
    return !this.#isOver && this.#call === undefined && !this.#rechecking;
  }

  /** A re-check of it is sent. */
  recheckItem(): RecheckItem {
    this.#rechecking = true;
    const { channels } = this.#handOffs;
    this.#epochOfCall = channels.epochOf(this.key);
    this.wasListening = channels.isListening(this.key);
    const { terms, holderId, isListening } = this;
    return { terms, holderId, isListening };
  }

  /** Whether this client listens to the channel of the lock. */
  get isListening(): boolean {
    return this.#asks.locks.services.router.channels.isConfirmed(this.terms.keys.channel);
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
    if (!this.#isOver) {
      this.#judge(answer, call, this.#epochOfCall);
    }
  }

  recheckFailed(): void {
    this.#rechecking = false;
    if (!this.#isOver) {
      this.#handOffs.recheckLater(this);
    }
  }

  /** The server has granted it, and has told this client so. */
  pushed(grant: PushedGrant): void {
    if (this.#isOver) {
      return;
    }
    const { services } = this.#asks.locks;
    const { channels } = this.#handOffs;
    const proof = this.#queue.proofFor(this);
    if (this.proof !== undefined && grant.serverMs < this.proof.serverMs) {
      // An answer since then has said that it waits: that grant is over, or the clock of the server was
      // set back.
      this.recheck();
      return;
    }
    this.wasPushed = true;
    if (
      this.#call !== undefined ||
      this.#rechecking ||
      proof?.epoch !== channels.epochOf(this.key) ||
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
    const now = services.clock.now();
    const elapsedMs = grant.serverMs - proof.serverMs;
    // That ask ran no earlier than it was sent; a clock of the server that is fast shortens the window.
    const sentAt = proof.sentAt + elapsedMs * (1 - DRIFT) - GRAIN_MS;
    const isPlausible = elapsedMs <= (now - proof.sentAt) * (1 + DRIFT) + GRAIN_MS;
    if (!isPlausible || now >= sentAt + grant.windowMs * (1 - DRIFT) - GRAIN_MS) {
      // A paused process reads an old message, or a clock was set.
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

  /** Its waiters give it up: nothing is left on the server. */
  cancel(): void {
    if (this.#call !== undefined) {
      const mayRun = this.#asks.locks.services.delivery.abandon(this.#call);
      this.hasUnackedCopy ||= mayRun;
      this.#wasSent ||= mayRun;
    }
    this.over();
    this.#handOffs.forget(this.holderId);
    if (this.#wasSent) {
      this.#asks.cancel(this.holderId, this.hasUnackedCopy);
    }
  }

  /** The same, and its holder id is never granted again. */
  cancelForGood(): void {
    this.hasUnackedCopy = true;
    this.cancel();
  }

  /** It was granted, or given up: answers to it do not matter any more. */
  over(): void {
    this.#isOver = true;
    this.#handOffs.sleepNoMore(this);
  }

  /** The first of its tokens. The server may have issued more of them. */
  #firstToken(last: bigint | undefined): bigint | undefined {
    return last === undefined ? undefined : last - BigInt(this.terms.tokens - 1);
  }

  #judge(answer: LineAnswer, call: PendingCall, epoch: number): void {
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
        const { serverMs, isSeen } = answer;
        this.isDoubtful = false;
        // Only a server that sees the client listen can have sent what the client hears.
        const provenEpoch = isSeen === true ? epoch : -1;
        this.proof = { sentAt: call.lastSentAt, serverMs, epoch: provenEpoch };
        this.#queue.waits(this, answer);
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

  #settled(call: PendingCall): void {
    this.#call = undefined;
    this.#wasSent ||= call.sent;
    this.hasUnackedCopy ||= call.unackedCopies > 0;
  }
}
