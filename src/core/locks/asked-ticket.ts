import type { Call, PendingCall } from '../wire/call.js';
import type { ExpectedTicket } from './expected-ticket.js';
import type { HandOffs } from './hand-offs.js';
import type { LineAnswer, LineTerms, TakenPlace } from './line.js';
import type { Asks, Left } from './ticket.js';
import { Rechecked } from '../waiting/rechecks.js';

/** The asks of a ticket, and all that may be left of it on the server. */
export abstract class AskedTicket extends Rechecked {
  readonly holderId: string;
  readonly terms: LineTerms;
  hasUnackedCopy = false;
  protected readonly asks: Asks;
  protected readonly handOffs: HandOffs;
  /** The ask under way. */
  protected call: Call<LineAnswer> | undefined;
  protected isOver = false;
  #wasSent = false;
  #place: TakenPlace | undefined;

  constructor(asks: Asks, terms: LineTerms, place: TakenPlace | undefined, holderId?: string) {
    super();
    const { services, handOffs } = asks.locks;
    this.asks = asks;
    this.terms = terms;
    this.handOffs = handOffs;
    this.holderId = holderId ?? services.client.newHolderId();
    this.#place = place;
  }

  /** From now on it is told of its grant, also where that is one of the ticket whose place it takes. */
  protected expect(this: AskedTicket & ExpectedTicket): void {
    this.handOffs.expect(this.holderId, this);
    if (this.#place !== undefined) {
      this.handOffs.expect(this.#place.holderId, this);
    }
  }

  get key(): string {
    return this.terms.keys.lock;
  }

  get sent(): boolean {
    return this.#wasSent || this.call?.sent === true;
  }

  get refusal(): Error | undefined {
    return this.call?.refusal;
  }

  /** The place that its ask takes; undefined: the last one, or it has taken it. */
  get place(): TakenPlace | undefined {
    return this.#place;
  }

  /** Whether this client listens to the channel of the lock. */
  get isListening(): boolean {
    return this.asks.locks.services.router.channels.isConfirmed(this.terms.keys.channel);
  }

  /** Its waiters give it up: nothing is left on the server. */
  cancel(): void {
    const left = this.leaves();
    if (left !== undefined) {
      this.asks.cancel(left);
    }
    const place = this.#place;
    if (place !== undefined) {
      // Behind that: a late copy of the ask takes no place any more.
      this.placeTaken();
      this.asks.cancel({ holderId: place.holderId, hasUnackedCopy: false });
    }
  }

  /** The same, and its holder id is never granted again. */
  cancelForGood(): void {
    this.hasUnackedCopy = true;
    this.cancel();
  }

  /** Another ticket asks for its place. Behind that, so that the place is kept, what else may be left of it
   * is taken back. */
  replaced(): void {
    if (this.#place !== undefined) {
      this.handOffs.forget(this.holderId, this.key);
    }
    if (this.hasUnackedCopy) {
      this.asks.cancel({ holderId: this.holderId, hasUnackedCopy: true });
    }
  }

  /** Its waiters give it up. Returns what may be left of it on the server. */
  leaves(): Left | undefined {
    const { holderId, call } = this;
    const ask = this.hasUnackedCopy ? undefined : call;
    if (call !== undefined) {
      const mayRun = this.asks.locks.services.delivery.abandon(call);
      this.hasUnackedCopy ||= mayRun;
      this.#wasSent ||= mayRun || call.wasRefusedInside;
    }
    this.over();
    this.handOffs.forget(holderId, this.key);
    return this.#wasSent ? { holderId, hasUnackedCopy: this.hasUnackedCopy, ask } : undefined;
  }

  /** It was granted, or given up: answers to it do not matter any more. */
  abstract over(): void;

  protected settled(call: PendingCall): void {
    this.call = undefined;
    this.#wasSent ||= call.sent;
    this.hasUnackedCopy ||= call.unackedCopies > 0;
  }

  protected placeTaken(): void {
    if (this.#place !== undefined) {
      this.handOffs.replaced(this.#place.holderId, this.key);
      this.#place = undefined;
    }
  }
}
