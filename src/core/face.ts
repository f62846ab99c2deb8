import type { Command, PendingCall } from './wire/call.js';
import type { CountReply } from './delivery/count-reply.js';
import type { Request } from './delivery/requests.js';
import type { EndpointServices } from './endpoint-services.js';
import { whileInUse } from './names.js';
import { Printable } from './observe/printable.js';
import type { ObjectProtocol } from './object-protocol.js';

/** The common part of the public objects. A face carries no state, so that one object may have any
 * number of them. */
export abstract class Face<P extends ObjectProtocol<EndpointServices>> extends Printable {
  readonly name: string;
  /** Hidden from loggers, which would walk through the whole client. */
  readonly #services: EndpointServices;
  readonly #protocol: P;

  constructor(services: EndpointServices, protocol: P) {
    super();
    this.name = protocol.resource;
    this.#services = services;
    this.#protocol = protocol;
  }

  override toJSON(): object {
    return { kind: this.#protocol.kind, name: this.name };
  }

  protected get services(): EndpointServices {
    return this.#services;
  }

  protected get protocol(): P {
    return this.#protocol;
  }

  /** Counts as a user of the name while `work` runs. */
  protected inUse<T>(work: () => Promise<T>): Promise<T> {
    return whileInUse(this.services, this.protocol, work);
  }

  /** Runs a call that is made at most once; see `Delivery.countOnce`. */
  protected countOnce(
    build: (request: Request) => Command<string>,
    late?: (count: number | undefined, call: PendingCall) => void,
  ): Promise<CountReply> {
    return this.services.delivery.countOnce(this.name, this.protocol.key, build, late);
  }
}
