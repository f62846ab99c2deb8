import { requestsKey } from './base/key-names.js';
import { NO_SIDE_KEYS, type NamedObject } from './names.js';
import type { ObjectKind } from './observe/events.js';

/** The parts of a client that the calls of its objects name: its id, and how messages go out. */
export interface ProtocolServices {
  readonly client: { readonly id: string };
  readonly router: { readonly publish: 'PUBLISH' | 'SPUBLISH'; readonly isCluster: boolean };
}

/** The common part of the protocols of all objects: one object in Redisson's wire format. */
export abstract class ObjectProtocol<S extends ProtocolServices> implements NamedObject {
  /** As events name it. */
  abstract readonly kind: ObjectKind;
  abstract readonly family: string;
  declare readonly resource: string;
  declare readonly key: string;
  /** The channel on which waiters of the object listen. */
  declare readonly channel: string;
  declare protected readonly services: S;

  /** Assigned, not initialised where they are declared: see `Linked`. */
  constructor(services: S, resource: string, key: string, channel: string) {
    this.services = services;
    this.resource = resource;
    this.key = key;
    this.channel = channel;
  }

  get sideKeys(): readonly string[] {
    return NO_SIDE_KEYS;
  }

  /** Private key of the record of this client's counted calls. */
  get requestsKey(): string {
    return requestsKey(this.key, this.services.client.id);
  }

  /** How a script notifies waiters. In a cluster the command is not known from the start. */
  protected get notice(): { publish: 'PUBLISH' | 'SPUBLISH'; channel: string } {
    return { publish: this.services.router.publish, channel: this.channel };
  }
}
