import { OWN_CHANNEL } from '../base/key-names.js';
import { PERMIT_CLIENT_BYTES } from '../wire/constants.generated.js';
import type { ChannelHub } from './channel-hub.js';

/** A message that comes before the grant which it is about comes a little before it: few do at a
 * time. */
const EARLY_MAX = 100;

/** The ids of holders and permits tell on which channel their client listens: that of a holder
 * begins with the id of the client, for which that of a permit has no room. */
export function ownChannelOf(holderId: string): string {
  const end = holderId.indexOf(':');
  return OWN_CHANNEL + holderId.slice(0, end < 0 ? 2 * PERMIT_CLIENT_BYTES : end);
}

/** The parts of a client that its own channel works on. */
export interface OwnChannelServices {
  readonly hub: Pick<ChannelHub, 'listen'>;
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
  /** The channels that are listened to: one for holds, one for permits. */
  readonly #channels = new Set<string>();
  /** Keys of which a message came while nothing of them was held: a grant may be under way. */
  readonly #early = new Set<string>();

  constructor(services: OwnChannelServices) {
    this.#services = services;
  }

  /** Something is held under this id. */
  held({ holderId, key }: { readonly holderId: string; readonly key: string }): void {
    const channel = ownChannelOf(holderId);
    if (!this.#channels.has(channel)) {
      this.#channels.add(channel);
      this.#services.hub.listen(channel, (message) => this.#told(message));
    }
    if (this.#early.delete(key)) {
      this.#services.look(key);
    }
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
