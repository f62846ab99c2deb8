import type { Connect } from '../../core/connection/environment.js';
import type { Process } from '../process.js';
import type { Conditions } from './conditions.js';
import { SimulatedConnection } from './connection.js';
import type { Host } from './host.js';
import { Link } from './link.js';

/** Brings calls from processes to servers, and replies and messages back. */
export class Network {
  readonly #conditions: Conditions;
  readonly #hosts = new Map<string, Host>();
  readonly #links = new Set<Link>();

  constructor(conditions: Conditions) {
    this.#conditions = conditions;
  }

  add(host: Host): void {
    this.#hosts.set(host.address, host);
  }

  /** The connections that a process makes. */
  connector(process: Process): Connect {
    return ({ host = '', port = 0 }) => {
      const target = this.#hosts.get(`${host}:${port}`);
      if (target === undefined) {
        throw new Error(`there is no server at ${host}:${port}`);
      }
      return new SimulatedConnection((client) => {
        const link = new Link(this.#conditions, process, target, client);
        this.#links.add(link);
        return link;
      });
    };
  }

  /** The links that are open at their client; the others are forgotten. */
  open(): Link[] {
    for (const link of this.#links) {
      if (!link.isOpen) {
        this.#links.delete(link);
      }
    }
    return [...this.#links];
  }
}
