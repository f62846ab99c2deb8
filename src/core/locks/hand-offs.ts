import { soon } from '../base/async-context.js';
import { DeadlineQueue, Limit } from '../base/deadline-queue.js';
import { MEMORY_MS } from '../delivery/clean-up.js';
import type { EndpointServices } from '../endpoint-services.js';
import { OF_ROUND, type Command, type PendingCall } from '../wire/call.js';
import { asError } from '../wire/replies.js';
import { Rechecks, type Rechecked } from '../waiting/rechecks.js';
import { STAND_BACK_MS } from '../base/constants.generated.js';
import type { Router } from '../connection/router.js';
import type { ReleaseResult } from '../grant/release.js';
import { GrantChannels } from './grant-channels.js';
import { fairKeys, fairReleaseOf } from './fair-line.js';
import { readWriteKeys, writeReleaseOf } from './write-line.js';
import {
  handsOn,
  lineKeys,
  pushedGrant,
  recheckOf,
  releaseOf,
  type LineAnswer,
  type PushedGrant,
  type RecheckItem,
} from './line.js';

/** A ticket is heard of at least this often: after 4 s without that the server drops it. */
export const LINE_HEARTBEAT_MS = 2_000;

/** A ticket that stands in a line. */
export interface ExpectedTicket extends Rechecked, Granted {
  /** It stands in the line, as far as is known, and no command about it is under way. */
  readonly isWaiting: boolean;
  /** A re-check of it is sent. */
  recheckItem(): RecheckItem;
  rechecked(answer: LineAnswer, call: PendingCall): void;
  /** Something has happened: the server is asked. */
  recheck(): void;
  recheckFailed(): void;
  /** A connection is new: it may have missed its grant, and its entry may be lost. */
  reconnected(): void;
  /** It may have missed its grant. */
  missed(): void;
  /** The server has granted it, and has told this client so. */
  pushed(grant: PushedGrant): void;
}

/** A grant of this client, which is told when another client waits. */
export interface Granted {
  /** Another client waits for the lock. */
  othersWait(): void;
  /** A waiter has come to which the lock cannot be passed on, but after the hold that is there. */
  endWithThisHold(): void;
}

/** A subscriber that is half-open is found out sooner. */
const BLIND_AFTER_MS = 6_000;

const BLIND =
  'locks are not handed on to this client, it races for them: give its Redis user the channels ' +
  '&redlatch:* and the command PUBSUB|NUMSUB, and connect to Redis without a proxy that hides ' +
  'subscriptions; or set handOff to "race"';

/** Takes the messages on the own channel of a client that are about lines, and re-checks its tickets. */
export class HandOffs {
  readonly channels: GrantChannels;
  readonly #services: EndpointServices;
  /** By holder id. */
  readonly #tickets = new Map<string, ExpectedTicket>();
  /** By holder id, until the hold is over: a message about it that comes late gives nothing back. */
  readonly #granted = new Map<string, Granted>();
  readonly #rechecks: Rechecks<ExpectedTicket>;
  /** They are asked about at the end of this turn. */
  readonly #wanted = new Set<ExpectedTicket>();
  readonly #turns: DeadlineQueue;
  #isBlind = false;
  #isTold = false;
  /** Since when the server does not see this client listen, on the same connections. */
  #unseen: { readonly epoch: number; readonly since: number } | undefined;

  constructor(services: EndpointServices) {
    this.#services = services;
    this.channels = new GrantChannels(
      services,
      (message) => this.#heard(message),
      (key) => this.#missed(key),
    );
    this.#turns = new DeadlineQueue(services.clock, STAND_BACK_MS + 1);
    this.#rechecks = new Rechecks(services.clock, services.router, LINE_HEARTBEAT_MS, (tickets) =>
      this.#recheckAll(tickets),
    );
  }

  expect(holderId: string, ticket: ExpectedTicket): void {
    this.#tickets.set(holderId, ticket);
  }

  /** A ticket was granted. Nothing else is kept of it. */
  granted(holderId: string, granted: Granted): void {
    this.#tickets.delete(holderId);
    this.#granted.set(holderId, granted);
  }

  /** Its hold is over, or it was given up. */
  forget(holderId: string): void {
    this.#tickets.delete(holderId);
    this.#granted.delete(holderId);
  }

  /** Asks about a ticket that waits; about many with one command, when they ask at the same time. */
  recheck(ticket: ExpectedTicket): void {
    if (this.#wanted.size === 0) {
      soon(() => {
        const wanted = [...this.#wanted];
        this.#wanted.clear();
        this.#rechecks.askNow(wanted);
      });
    }
    this.#wanted.add(ticket);
  }

  /** A waiter was answered; `isSeen`: the server has seen this client listen when it asked. A client that
   * is not seen though it listens cannot be handed a lock. */
  seen({ key, wasListening }: { key: string; wasListening: boolean }, isSeen: boolean): void {
    const { client, clock, epoch, router } = this.#services;
    if (!handsOn(router)) {
      // That became known while it waited.
      return;
    }
    if (isSeen) {
      this.#unseen = undefined;
    } else if (wasListening && this.#unseen?.epoch !== epoch) {
      this.#unseen = { epoch, since: clock.now() };
    }
    const isUnseen =
      this.#unseen !== undefined && clock.now() - this.#unseen.since >= BLIND_AFTER_MS;
    if (!this.#isBlind && (this.channels.isRefused(key) || isUnseen)) {
      this.#isBlind = true;
      if (!this.#isTold) {
        this.#isTold = true;
        client.failed(new Error(BLIND));
      }
    }
  }

  /** The server does not show that this client listens: it races for locks. */
  get isBlind(): boolean {
    return this.#isBlind;
  }

  recheckLater(ticket: ExpectedTicket): void {
    this.#rechecks.add(ticket);
  }

  sleepNoMore(ticket: ExpectedTicket): void {
    this.#rechecks.delete(ticket);
  }

  /** Something may have been lost that all tickets have to see to. */
  doubt(tell: (ticket: ExpectedTicket) => void): void {
    this.#isBlind = false;
    this.#tickets.forEach(tell);
  }

  #heard(message: string): void {
    const holderId = message.slice(1, message.indexOf(' '));
    // The answer that it was granted may come after what is told of it.
    const holder = this.#granted.get(holderId) ?? this.#tickets.get(holderId);
    switch (message[0]) {
      case 'w':
        holder?.othersWait();
        return;
      case 'n':
        holder?.endWithThisHold();
        return;
      case 'r':
        this.#tickets.get(holderId)?.recheck();
        return;
      default:
    }
    const grant = pushedGrant(message);
    const ticket = this.#tickets.get(grant.holderId);
    if (ticket !== undefined) {
      ticket.pushed(grant);
    } else if (!this.#granted.has(grant.holderId)) {
      this.#giveBack(grant);
    }
  }

  /** The lock was left for a moment to those who stand in no line: it is offered to the line then. */
  serveLater(serveLine: () => Command<unknown>): void {
    this.#turns.add(new Limit(() => this.#services.delivery.inBackground(serveLine())));
  }

  /** This client closes: what it has left to those in no line is offered to the lines now. */
  serveNow(): void {
    while (this.#turns.earliest !== undefined) {
      this.#turns.due();
    }
  }

  close(): void {
    this.#turns.close();
    this.#rechecks.close();
  }

  #missed(key: string): void {
    for (const ticket of this.#tickets.values()) {
      if (ticket.key === key) {
        ticket.missed();
      }
    }
  }

  /** Nobody waits for this grant any more. */
  #giveBack(grant: PushedGrant): void {
    const { delivery, router } = this.#services;
    delivery.inBackground(giveBackOf(router, grant));
  }

  #recheckAll(tickets: readonly ExpectedTicket[]): void {
    const asked = tickets.filter((ticket) => ticket.isWaiting);
    if (asked.length === 0) {
      return;
    }
    const items = asked.map((ticket) => ticket.recheckItem());
    this.#services.delivery.start(
      recheckOf(this.#services.router, items),
      {
        answered: (answers, call) => {
          asked.forEach((ticket, i) => {
            try {
              ticket.rechecked(answers[i] ?? { is: 'void' }, call);
            } catch (error) {
              // The others of the batch are not to suffer from it.
              this.#services.client.failed(asError(error));
            }
          });
        },
        failed: (error) => {
          if (this.#services.router.whyDown(items[0]?.terms.keys.lock ?? '') === undefined) {
            this.#services.client.failed(error);
          }
          asked.forEach((ticket) => ticket.recheckFailed());
        },
      },
      OF_ROUND,
    );
  }
}

/** Releases a grant for which nobody waits. */
function giveBackOf(router: Router, grant: PushedGrant): Command<ReleaseResult> {
  const { holderId, key, kind, lastToken } = grant;
  const terms = { count: 0, tombstoneMs: MEMORY_MS, upTo: 1 };
  switch (kind) {
    case 'fair-lock':
      return fairReleaseOf(router, fairKeys(key), holderId, terms);
    case 'write-lock':
      return writeReleaseOf(router, readWriteKeys(key), holderId, terms, true);
    default:
      return releaseOf(router, lineKeys(key, lastToken !== undefined), holderId, terms, true);
  }
}
