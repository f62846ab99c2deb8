import { commandOf, type Command, type CommandScript } from '../core/wire/call.js';
import { integers } from '../core/wire/replies.js';
import { ObjectProtocol } from '../core/object-protocol.js';
import { prefixed, privateKey } from '../core/base/key-names.js';
import type { Request } from '../core/delivery/requests.js';
import type { EndpointServices } from '../core/endpoint-services.js';
import {
  latchCountDown,
  latchDelete,
  latchInspect,
  latchTrySetCount,
} from '../core/wire/scripts.generated.js';

/** The state of a latch on the server. */
export interface LatchView {
  readonly count: number;
  /** Milliseconds that the latch still lives: -1 without limit, -2 when no count is set. */
  readonly ttlMs: number;
  /** The server's time of this look, in ms. */
  readonly now: number;
  /**
   * Mark of the latch that is set, or of the last zero; empty when Java set the latch, or the zero was
   * long ago. It changes with each set, zero and deletion of ours.
   */
  readonly mark: string;
}

const inspect: CommandScript<LatchView> = {
  ...latchInspect,
  decode(reply) {
    const words = latchInspect.decode(reply).split(' ');
    const [count, ttlMs, now] = integers(words.slice(0, 3).join(' '), 3);
    return { count, ttlMs, now, mark: words.slice(3).join(' ') };
  },
};

/**
 * Redisson always puts braces around the name, which sends the channel of a tagged name to another
 * slot; in a cluster no Java client can use such a latch, so here the channel follows the tag.
 */
function channelOf(key: string, isCluster: boolean): string {
  return isCluster && key.includes('{')
    ? prefixed('redisson_countdownlatch__channel__', key)
    : `redisson_countdownlatch__channel__{${key}}`;
}

/** One latch on Redisson's wire. */
export class LatchProtocol extends ObjectProtocol<EndpointServices> {
  readonly kind = 'count-down-latch';
  readonly family: string = this.kind;

  constructor(services: EndpointServices, name: string, key: string) {
    super(services, name, key, channelOf(key, services.router.isCluster));
  }

  trySetCount({ number, lowWater }: Request, count: number, ttlMs: number): Command<string> {
    return commandOf(latchTrySetCount, this.#keys, {
      number,
      lowWater,
      count,
      ttlMs,
      ...this.notice,
    });
  }

  countDown({ number, lowWater }: Request): Command<string> {
    return commandOf(latchCountDown, this.#keys, { number, lowWater, ...this.notice });
  }

  delete({ number, lowWater }: Request): Command<string> {
    return commandOf(latchDelete, this.#keys, { number, lowWater, ...this.notice });
  }

  inspect(): Command<LatchView> {
    const keys = { latch: this.key, opened: this.#keys.opened };
    return { script: inspect, operands: latchInspect.operands(keys, {}) };
  }

  get #keys(): { latch: string; opened: string; requests: string } {
    const opened = privateKey('opened', this.key);
    return { latch: this.key, opened, requests: this.requestsKey };
  }
}
