import type { EndpointServices } from '../endpoint-services.js';
import { isDirect } from './line.js';

/** A subscriber that is half-open is found out sooner. */
const REPORTED_AFTER_MS = 6_000;

const UNSEEN =
  'Redis does not see this client listen, so it asks for locks every 250 ms while it waits: give its Redis user ' +
  'the channels &redlatch:* and the command PUBSUB|NUMSUB, and connect to Redis without a proxy that hides ' +
  'subscriptions';

/** Reports once that the server does not see a client listen: it learns of its grants late then. */
export class Sight {
  readonly #services: EndpointServices;
  #isReported = false;
  /** Since when the server does not see this client listen, on the same connections. */
  #unseen: { readonly epoch: number; readonly since: number } | undefined;

  constructor(services: EndpointServices) {
    this.#services = services;
  }

  /** A waiter was answered; `isSeen`: the server has seen this client listen when it asked; `isRefused`: it may not
   * listen to the channel of this key. */
  seen({ wasListening }: { wasListening: boolean }, isSeen: boolean, isRefused: boolean): void {
    const { client, clock, epoch, router } = this.#services;
    if (this.#isReported || !isDirect(router)) {
      // Without sharded messages a cluster sees no client listen.
      return;
    }
    if (isSeen) {
      this.#unseen = undefined;
    } else if (wasListening && this.#unseen?.epoch !== epoch) {
      this.#unseen = { epoch, since: clock.now() };
    }
    const isUnseen =
      this.#unseen !== undefined && clock.now() - this.#unseen.since >= REPORTED_AFTER_MS;
    if (isRefused || isUnseen) {
      this.#isReported = true;
      client.failed(new Error(UNSEEN));
    }
  }
}
