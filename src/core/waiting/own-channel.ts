import type { Clock, Timer } from '../base/clock.js';
import { OWN_CHANNEL } from '../base/key-names.js';
import { PERMIT_CLIENT_BYTES } from '../base/constants.generated.js';
import type { ChannelHub } from './channel-hub.js';

/** A client that has held something for so long without a break listens: most holds are over before
 * anybody could end them. */
const LISTENS_AFTER_MS = 100;

/** A message that begins so is a hint: the key of an object follows. */
const HINT = 'e';

/** Of so many keys it is known when a message came: grants that are under way then follow soon. */
const TOLD_MAX = 100;

/** A hold, as far as this is about it. */
export interface Held {
  readonly identity: { readonly kind: string; readonly key: string };
  /** Clock instant before the call was first sent that has acquired it. */
  readonly sentAt: number;
}

/** The parts of a client that its own channel works on. */
export interface OwnChannelServices {
  readonly hub: Pick<ChannelHub, 'listen'>;
  readonly clock: Clock;
  /** Asks the server about all that is held under this key, and calls `done` when that is known. */
  look(key: string, done: () => void): void;
  /** Asks the server about everything that is held. */
  lookAtAll(): void;
  isConfirmed(channel: string): boolean;
  isRefused(channel: string): boolean;
  /** The server has confirmed a subscription. */
  confirmed(): void;
}

/** The names of the channels on which a client is told of its holds, and of its permits: the id of a
 * permit has no room for more of the id of the client. */
export function ownChannels(clientId: string): { holds: string; permits: string } {
  const digits = clientId.replaceAll('-', '').slice(0, 2 * PERMIT_CLIENT_BYTES);
  return { holds: OWN_CHANNEL + clientId, permits: OWN_CHANNEL + digits };
}

/** One of the two channels, and what is held of its kind. */
class Side {
  readonly channel: string;
  isListening = false;
  count = 0;
  /** Since when there was always something. */
  since = 0;
  timer: Timer | undefined;

  constructor(channel: string) {
    this.channel = channel;
  }
}

/**
 * What one client is told alone. A hint is the key of an object, of which another client has ended
 * something, or has set its end: the client asks the server then. One that is lost costs no more than
 * the time until the next renewal. All other messages are about the lines of locks.
 */
export class OwnChannel {
  readonly #services: OwnChannelServices;
  readonly #holds: Side;
  readonly #permits: Side;
  /** When a message came, by its key: what was acquired by a call that was sent before may have been ended
   * before its grant was known here. */
  readonly #told = new Map<string, number>();
  /** The same of a new subscription, for all keys. */
  #toldOfAll = Number.NEGATIVE_INFINITY;
  /** Gets the messages that are no hints. */
  onMessage: (message: string) => void = () => {};
  /** Keys that are being looked at, and whether to look again after that. */
  readonly #looking = new Map<string, boolean>();

  constructor(clientId: string, services: OwnChannelServices) {
    this.#services = services;
    const { holds, permits } = ownChannels(clientId);
    this.#holds = new Side(holds);
    this.#permits = new Side(permits);
  }

  /** Something is held from now on. */
  held({ identity: { kind, key }, sentAt }: Held): void {
    const side = this.#sideOf(kind);
    side.count += 1;
    if (side.count === 1 && !side.isListening) {
      side.since = this.#services.clock.now();
      side.timer ??= this.#listenLater(side, LISTENS_AFTER_MS);
    }
    if (sentAt <= Math.max(this.#toldOfAll, this.#told.get(key) ?? Number.NEGATIVE_INFINITY)) {
      this.#look(key);
    }
  }

  /** It was released or lost. */
  over({ identity: { kind } }: Pick<Held, 'identity'>): void {
    this.#sideOf(kind).count -= 1;
  }

  /** Listens from now on, whether or not something is held. */
  listen(): void {
    this.#listen(this.#holds);
  }

  /** No message is missed. */
  get isListening(): boolean {
    return this.#services.isConfirmed(this.#holds.channel);
  }

  /** The server does not let this client listen. */
  get isRefused(): boolean {
    return this.#services.isRefused(this.#holds.channel);
  }

  close(): void {
    this.#holds.timer?.cancel();
    this.#permits.timer?.cancel();
  }

  #sideOf(kind: string): Side {
    return kind === 'permit-expirable-semaphore' ? this.#permits : this.#holds;
  }

  #listenLater(side: Side, inMs: number): Timer {
    const { clock } = this.#services;
    return clock.after(inMs, () => {
      side.timer = undefined;
      if (side.count === 0) {
        return;
      }
      const leftMs = side.since + LISTENS_AFTER_MS - clock.now();
      if (leftMs > 0) {
        side.timer = this.#listenLater(side, leftMs);
        return;
      }
      this.#listen(side);
    });
  }

  #listen(side: Side): void {
    if (!side.isListening) {
      side.isListening = true;
      side.timer?.cancel();
      side.timer = undefined;
      this.#services.hub.listen(side.channel, (message) => this.#heard(message));
    }
  }

  #heard(message: string | undefined): void {
    if (message === undefined) {
      // What was held before the channel was subscribed may have ended unheard.
      this.#toldOfAll = this.#services.clock.now();
      this.#services.lookAtAll();
      this.#services.confirmed();
      return;
    }
    if (!message.startsWith(HINT)) {
      this.onMessage(message);
      return;
    }
    const key = message.slice(HINT.length);
    this.#told.delete(key);
    this.#told.set(key, this.#services.clock.now());
    if (this.#told.size > TOLD_MAX) {
      const [oldest = ''] = this.#told.keys();
      this.#told.delete(oldest);
    }
    this.#look(key);
  }

  /** A look that is under way may be older than what was told since: there is one more after it. */
  #look(key: string): void {
    if (this.#looking.has(key)) {
      this.#looking.set(key, true);
      return;
    }
    this.#looking.set(key, false);
    this.#services.look(key, () => {
      const isToldAgain = this.#looking.get(key) === true;
      this.#looking.delete(key);
      if (isToldAgain) {
        this.#look(key);
      }
    });
  }
}
