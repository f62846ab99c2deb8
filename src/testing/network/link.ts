import type { Process } from '../process.js';
import { PHASE, type Entry } from '../timeline.js';
import type { MessageEvent, Session } from '../server/channels.js';
import type { Reply } from '../keyspace/reply.js';
import type { Conditions } from './conditions.js';
import type { Host, HostLink } from './host.js';

/** The client's end of a link. */
export interface LinkClient {
  /** The server has accepted; false when it refused. */
  connected(accepted: boolean): void;
  replied(reply: Reply): void;
  message(event: MessageEvent, channel: string, payload: string): void;
  /** The server has ended a subscription, since its slot has moved. */
  moved(): void;
  /** The link has ended, and not by `close`. */
  ended(): void;
}

/** One direction of a link: what is sent arrives in order, or not at all. */
class Direction {
  /** Of what is under way, the earliest first. */
  underWay: Entry[] = [];
  /** Sent, and kept back: nothing gets through. */
  held: (() => void)[] | undefined;
  #lastArrival = 0;

  /** When something that is sent now arrives. */
  arrival(at: number): number {
    this.#lastArrival = Math.max(this.#lastArrival, at);
    return this.#lastArrival;
  }

  add(entry: Entry): void {
    // What has happened is forgotten now and then.
    if (this.underWay.length > 32) {
      this.underWay = this.underWay.filter(({ task }) => task !== undefined);
    }
    this.underWay.push(entry);
  }

  /** What has not arrived, from the `kept`th on, never arrives. */
  lose(kept: number): void {
    const pending = this.underWay.filter(({ task }) => task !== undefined);
    for (const entry of pending.slice(kept)) {
      entry.cancel();
    }
    this.underWay = pending.slice(0, kept);
  }
}

/** A connection between a process and a server, on which calls and replies travel as wholes. */
export class Link implements Session, HostLink {
  readonly process: Process;
  readonly host: Host;
  isAsking = false;
  /** Milliseconds that everything takes longer. */
  slowness = 0;
  readonly #conditions: Conditions;
  readonly #client: LinkClient;
  /** Called when the client sends something that a dead route keeps back, or ends it. */
  whenUsed: (() => void) | undefined;
  /** It was cut: nothing that the server sends from now on arrives. */
  #isCut = false;
  readonly #toServer = new Direction();
  readonly #toClient = new Direction();
  #isOpenAtClient = true;
  #isOpenAtServer = false;

  constructor(conditions: Conditions, process: Process, host: Host, client: LinkClient) {
    this.#conditions = conditions;
    this.process = process;
    this.host = host;
    this.#client = client;
  }

  get isOpen(): boolean {
    return this.#isOpenAtClient;
  }

  open(): void {
    this.#travel(this.#toServer, () => {
      const accepted = this.host.isUp;
      if (accepted) {
        this.#isOpenAtServer = true;
        this.host.links.add(this);
      }
      this.#answer(() => {
        this.#isOpenAtClient = accepted;
        this.#client.connected(accepted);
      });
    });
  }

  send(argv: readonly string[]): void {
    this.#used();
    this.#travel(this.#toServer, () => {
      const { timeline } = this.#conditions;
      const at = this.host.carriesOutAt(timeline.now);
      if (at === timeline.now) {
        this.#carryOut(argv);
      } else {
        timeline.quietly(at, () => this.#carryOut(argv), this.host);
      }
    });
  }

  #carryOut(argv: readonly string[]): void {
    if (this.#isOpenAtServer) {
      this.#conditions.trace(this.#conditions.timeline.now, argv);
      const reply = this.host.server.handle(this, argv);
      this.#answer(() => this.#client.replied(reply));
    }
  }

  message(event: MessageEvent, channel: string, payload: string): void {
    this.#answer(() => this.#client.message(event, channel, payload));
  }

  moved(): void {
    this.#answer(() => this.#client.moved());
  }

  /** The client ends it: what it has sent may still arrive. */
  close(): void {
    this.#used();
    this.#isOpenAtClient = false;
    this.#toClient.lose(0);
    const { held } = this.#toServer;
    if (held !== undefined) {
      this.#toServer.held = undefined;
      if (this.#conditions.random.chance(0.5)) {
        // What a dead route kept back comes through when it lives again.
        const delay = this.#conditions.lateness();
        for (const arrive of held) {
          this.#travel(this.#toServer, arrive, delay);
        }
      }
    }
    this.#travel(this.#toServer, () => this.closedAtServer());
  }

  /** Something on the way ends it. Of what the client has sent some still arrives, perhaps late. */
  cut(): void {
    const { random, timeline } = this.#conditions;
    this.#toServer.held = undefined;
    this.#toClient.held = undefined;
    const late = random.chance(0.4) ? this.#conditions.lateness() : 0;
    this.#toServer.lose(random.int(0, this.#toServer.underWay.length));
    for (const entry of this.#toServer.underWay) {
      this.#delay(entry, late);
    }
    this.#toClient.lose(random.int(0, 1));
    this.#isCut = true;
    timeline.at(
      timeline.now + random.next() * 3,
      () => this.#endAtClient(),
      PHASE.input,
      this.process,
    );
    this.#travel(this.#toServer, () => this.closedAtServer(), late);
  }

  /** Nothing gets through any more, and nobody is told. */
  block(toServer: boolean, toClient: boolean): void {
    if (toServer) {
      this.#toServer.held ??= [];
    }
    if (toClient) {
      this.#toClient.held ??= [];
    }
  }

  /** A dead route ends: both sides are told. False when it was none. */
  endBlocked(): boolean {
    const isBlocked = this.#toServer.held !== undefined || this.#toClient.held !== undefined;
    if (isBlocked) {
      this.cut();
    }
    return isBlocked;
  }

  hostDied(isTold: boolean): void {
    this.#toServer.lose(0);
    this.closedAtServer();
    if (isTold) {
      const { timeline } = this.#conditions;
      const at = this.#toClient.arrival(timeline.now + this.#conditions.latency());
      timeline.at(at, () => this.#endAtClient(), PHASE.input, this.process);
    } else {
      this.block(true, true);
    }
  }

  closedAtServer(): void {
    if (this.#isOpenAtServer) {
      this.#isOpenAtServer = false;
      this.host.links.delete(this);
      this.host.server.channels.leave(this);
    }
  }

  #used(): void {
    if (this.#toServer.held !== undefined || this.#toClient.held !== undefined) {
      this.whenUsed?.();
      this.whenUsed = undefined;
    }
  }

  #endAtClient(): void {
    if (this.#isOpenAtClient) {
      this.#isOpenAtClient = false;
      this.#toClient.lose(0);
      this.#client.ended();
    }
  }

  #delay(entry: Entry, byMs: number): void {
    const { task } = entry;
    entry.cancel();
    if (task !== undefined) {
      const at = this.#toServer.arrival(entry.time + byMs);
      this.#conditions.timeline.quietly(at, task, this.host);
    }
  }

  #travel(direction: Direction, arrive: () => void, delayMs = 0): void {
    if (direction.held !== undefined) {
      direction.held.push(arrive);
      return;
    }
    const { timeline } = this.#conditions;
    const at = direction.arrival(
      timeline.now + this.#conditions.latency() + this.slowness + delayMs,
    );
    direction.add(timeline.quietly(at, arrive, this.host));
  }

  #answer(arrive: () => void): void {
    const direction = this.#toClient;
    if (direction.held !== undefined || this.#isCut) {
      return;
    }
    const { timeline } = this.#conditions;
    const at = direction.arrival(timeline.now + this.#conditions.latency() + this.slowness);
    const entry = timeline.at(
      at,
      () => {
        if (this.#isOpenAtClient) {
          arrive();
        }
      },
      PHASE.input,
      this.process,
    );
    direction.add(entry);
  }
}
