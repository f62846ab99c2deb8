import type { Clock, Timer } from '../base/clock.js';
import { OWN_CHANNEL } from '../base/key-names.js';
import { PERMIT_CLIENT_BYTES } from '../wire/constants.generated.js';
import type { ChannelHub } from './channel-hub.js';

/** A hold that lasts so long makes its client listen: many are over before they could be ended. */
const LISTENS_AFTER_MS = 100;

/** A message that comes before the grant which it is about comes a little before it: few do at a
 * time. */
const EARLY_MAX = 100;

/** The ids of holders and permits tell on which channel their client listens: that of a holder
 * begins with the id of the client, for which that of a permit has no room. */
export function ownChannelOf(holderId: string): string {
  const end = holderId.indexOf(':');
  return OWN_CHANNEL + holderId.slice(0, end < 0 ? 2 * PERMIT_CLIENT_BYTES : end);
}

/** A hold, as far as this is about it. */
export interface Held {
  readonly identity: { readonly holderId: string; readonly key: string };
  /** True until it is lost or released. */
  readonly active: boolean;
}

/** The parts of a client that its own channel works on. */
export interface OwnChannelServices {
  readonly hub: Pick<ChannelHub, 'listen'>;
  readonly clock: Clock;
  /** Everything that is held. */
  readonly held: Iterable<Held>;
  /** Asks the server about all that is held under this key; false when nothing is. */
  look(key: string): boolean;
  /** Asks the server about everything that is held. */
  lookAtAll(): void;
}

/**
 * What one client is told alone: a message is the key of an object, of which another client has
 * ended something, or has set its end. It is a hint: the client asks the server then. One that is
 * lost costs no more than the time until the next renewal.
 */
export class OwnChannel {
  readonly #services: OwnChannelServices;
  /** The channels that are listened to, or will be when a timer is due: one for holds, one for
   * permits. */
  readonly #channels = new Map<string, Timer | 'listened to'>();
  /** Keys of which a message came while nothing of them was held: a grant may be under way. */
  readonly #early = new Set<string>();

  constructor(services: OwnChannelServices) {
    this.#services = services;
  }

  /** Something is held from now on. */
  held(held: Held): void {
    const channel = ownChannelOf(held.identity.holderId);
    if (!this.#channels.has(channel)) {
      this.#listenLater(channel, held);
    }
    if (this.#early.delete(held.identity.key)) {
      this.#services.look(held.identity.key);
    }
  }

  close(): void {
    for (const timer of this.#channels.values()) {
      if (timer !== 'listened to') {
        timer.cancel();
      }
    }
  }

  /** A client that holds everything for a moment only never listens. */
  #listenLater(channel: string, held: Held): void {
    const timer = this.#services.clock.after(LISTENS_AFTER_MS, () => {
      if (held.active) {
        this.#channels.set(channel, 'listened to');
        this.#services.hub.listen(channel, (message) => this.#told(message));
        return;
      }
      this.#channels.delete(channel);
      for (const other of this.#services.held) {
        if (ownChannelOf(other.identity.holderId) === channel) {
          this.#listenLater(channel, other);
          return;
        }
      }
    });
    this.#channels.set(channel, timer);
  }

  #told(key: string | undefined): void {
    if (key === undefined) {
      // What was held before the channel was subscribed may have ended unheard.
      this.#services.lookAtAll();
    } else if (!this.#services.look(key)) {
      this.#early.add(key);
      if (this.#early.size > EARLY_MAX) {
        const [oldest = ''] = this.#early;
        this.#early.delete(oldest);
      }
    }
  }
}
