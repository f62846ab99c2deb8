import type { Router } from '../connection/router.js';
import { ReplicaLane, type LaneParts } from './replica-lane.js';
import type { ReplicaWait } from './replica-wait.js';

interface Parts extends LaneParts {
  readonly router: Pick<Router, 'groupOf' | 'nodeOf'>;
}

/**
 * The waits of a client for replicas, by the server and by how many they wait for. Each of these has a connection
 * of its own, since a WAIT stops all that comes behind it: so none waits longer because another one wants more.
 */
export class Replicas {
  readonly #parts: Parts;
  readonly #lanes = new Map<string, ReplicaLane>();

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  start(wait: ReplicaWait): void {
    const { min } = wait.terms;
    const id = `${min} ${this.#parts.router.nodeOf(wait.lease.identity.key)}`;
    const lane = this.#lanes.get(id) ?? new ReplicaLane(min, this.#parts);
    this.#lanes.set(id, lane);
    wait.lane = lane;
    lane.add(wait);
  }
}
