import { ChurnMap } from '../base/churn-map.js';
import { soon } from '../base/async-context.js';
import { DeadlineQueue, Limit } from '../base/deadline-queue.js';
import { Recent } from '../base/recent.js';
import { MEMORY_MS } from '../delivery/clean-up.js';
import type { EndpointServices } from '../endpoint-services.js';
import { OF_ROUND, type Command } from '../wire/call.js';
import { asError } from '../wire/replies.js';
import { Rechecks } from '../waiting/rechecks.js';
import { STAND_BACK_MS } from '../base/constants.generated.js';
import type { Router } from '../connection/router.js';
import type { ReleaseResult } from '../grant/release.js';
import type { ExpectedTicket, Granted } from './expected-ticket.js';
import { GrantChannels } from './grant-channels.js';
import { fairKeys, fairReleaseOf } from './fair-line.js';
import { Sight } from './sight.js';
import { readWriteKeys, writeReleaseOf } from './write-line.js';
import { lineKeys, pushedGrant, recheckOf, releaseOf, type PushedGrant } from './line.js';

/** A ticket is heard of at least this often: after 4 s without that the server drops it. */
export const LINE_HEARTBEAT_MS = 2_000;

/** Takes the messages on the own channel of a client that are about lines, and re-checks its tickets. */
export class HandOffs {
  readonly channels: GrantChannels;
  readonly #services: EndpointServices;
  readonly #othersHeard: (holderId: string, key: string) => void;
  /** By holder id. */
  readonly #tickets = new ChurnMap<string, ExpectedTicket>();
  /** Messages about holder ids whose calls are under way. */
  readonly #early = new Map<string, string[]>();
  /** By holder id and key, until the hold is over: a message about it that comes late gives nothing back. */
  readonly #granted = new ChurnMap<string, Granted>();
  /** By holder id. A server that was replaced may know nothing of it: not across connections. */
  #replaced = new Recent(() => ({ isReplaced: false }));
  /** The same of holds that were detached, also across connections: a grant is not given back that may be adopted. */
  readonly #detached = new Recent(() => ({ isDetached: false }));
  readonly #rechecks: Rechecks<ExpectedTicket>;
  /** They are asked about at the end of this turn. */
  readonly #wanted = new Set<ExpectedTicket>();
  readonly #turns: DeadlineQueue;
  readonly #sight: Sight;

  /** `othersHeard` is called when another client waits for what this one may hold. */
  constructor(services: EndpointServices, othersHeard: (holderId: string, key: string) => void) {
    this.#services = services;
    this.#sight = new Sight(services);
    this.#othersHeard = othersHeard;
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

  /** A call under this holder id may get a ticket: what is told of that before its answer is kept. */
  expectLater(holderId: string): void {
    this.#early.set(holderId, []);
  }

  /** That call was answered: its ticket is expected by now, if there is one. */
  replay(holderId: string): void {
    const early = this.#early.get(holderId) ?? [];
    this.#early.delete(holderId);
    for (const message of early) {
      this.#heard(message);
    }
  }

  /** A ticket was granted. Nothing else is kept of it. */
  granted(holderId: string, key: string, granted: Granted): void {
    this.#forgetTicket(holderId, key);
    this.#granted.set(about(holderId, key), granted);
  }

  /** Its hold is over, or it was given up. A multi-lock holds several locks under one holder id, under which it may
   * wait for one more: what concerns another key goes on. */
  forget(holderId: string, key: string): void {
    this.#forgetTicket(holderId, key);
    // Most holds are over while nobody waits.
    if (this.#granted.size > 0) {
      this.#granted.delete(about(holderId, key));
    }
  }

  /** Another ticket has taken its place, with its grant: a message about that comes too late. */
  replaced(holderId: string, key: string): void {
    this.forget(holderId, key);
    this.#replaced.get(holderId).isReplaced = true;
  }

  /** Its hold goes to another client. */
  detached(holderId: string, key: string): void {
    this.#detached.get(about(holderId, key)).isDetached = true;
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

  /** A waiter was answered; `isSeen`: the server has seen this client listen when it asked. */
  seen(ticket: { key: string; wasListening: boolean }, isSeen: boolean): void {
    this.#sight.seen(ticket, isSeen, this.channels.isRefused(ticket.key));
  }

  recheckLater(ticket: ExpectedTicket): void {
    this.#rechecks.add(ticket);
  }

  sleepNoMore(ticket: ExpectedTicket): void {
    this.#rechecks.delete(ticket);
  }

  /** Something may have been lost that all tickets have to see to. */
  doubt(tell: (ticket: ExpectedTicket) => void): void {
    this.#replaced = new Recent(() => ({ isReplaced: false }));
    // One that takes the place of another is expected under both holder ids.
    new Set(this.#tickets.values()).forEach(tell);
  }

  #ticketFor(holderId: string, key: string): ExpectedTicket | undefined {
    const ticket = this.#tickets.get(holderId);
    return ticket?.key === key ? ticket : undefined;
  }

  #forgetTicket(holderId: string, key: string): void {
    if (this.#ticketFor(holderId, key) !== undefined) {
      this.#tickets.delete(holderId);
    }
  }

  #heard(message: string): void {
    const holderId = message.slice(1, message.indexOf(' '));
    const early = this.#early.get(holderId);
    if (early !== undefined) {
      early.push(message);
      return;
    }
    switch (message[0]) {
      case 'w':
        this.#concerned(message, holderId)?.othersWait();
        this.#othersHeard(holderId, keyIn(message));
        return;
      case 'n':
      case 'o':
        this.#concerned(message, holderId)?.endWithThisHold();
        if (message.startsWith('o')) {
          // Those readers are of another client.
          this.#othersHeard(holderId, keyIn(message));
        }
        return;
      case 'r':
        this.#ticketFor(holderId, keyIn(message))?.recheck();
        return;
      default:
    }
    const grant = pushedGrant(message);
    const ticket = this.#ticketFor(holderId, grant.key);
    if (ticket !== undefined) {
      ticket.pushed(grant);
    } else if (
      !this.#granted.has(about(holderId, grant.key)) &&
      !this.#detached.get(about(holderId, grant.key)).isDetached &&
      !this.#replaced.get(holderId).isReplaced
    ) {
      this.#giveBack(grant);
    }
  }

  /** The answer that a ticket was granted may come after what is told of it. */
  #concerned(message: string, holderId: string): Granted | undefined {
    return this.#granted.get(message.slice(1)) ?? this.#ticketFor(holderId, keyIn(message));
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
    for (const ticket of new Set(this.#tickets.values())) {
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
    const sent = this.#services.delivery.start(
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
          asked.forEach((ticket) => ticket.recheckFailed(error));
        },
      },
      OF_ROUND,
    );
    asked.forEach((ticket) => ticket.rechecking(sent));
  }
}

/** As the messages other than grants have it behind their letter. */
const about = (holderId: string, key: string): string => `${holderId} ${key}`;

const keyIn = (message: string): string => message.slice(message.indexOf(' ') + 1);

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
