import { warnLater } from '../core/base/program-calls.js';
import type { ClientServices } from '../core/client-services.js';
import { addressOf } from '../core/connection/access.js';
import { createRouter, type RouterSettings } from '../core/connection/create-router.js';
import type { Endpoint } from '../core/connection/driver-types.js';
import type { Environment } from '../core/connection/environment.js';
import type { Examined } from '../core/connection/server-check.js';
import { EndpointServices } from '../core/endpoint-services.js';
import { ServerMemory } from './server-memory.js';

/** What a client has in common with all its members. */
export interface MemberTerms {
  readonly client: ClientServices;
  readonly environment: Environment;
  readonly settings: RouterSettings;
  readonly maxLeaseMs: number;
  /** The server of a member was examined. */
  examined(member: Member): void;
  /** The member may have forgotten what it was asked before. */
  forgot(member: Member): void;
  /** A connection to it is new. */
  connected(member: Member): void;
}

function seconds(ms: number): string {
  return `${Math.ceil(ms / 1_000)} s`;
}

/** One of the servers that vote. */
export class Member {
  /** Its address, as errors name it. */
  readonly address: string;
  readonly memory: ServerMemory;
  readonly services: EndpointServices;
  runId: string | undefined;
  /** Why it can be no member. */
  fault: TypeError | undefined;
  /** The epoch of its memory that was warned of. */
  #toldOf = -1;
  #areReplicasTold = false;
  #whyDown: Error | undefined;

  constructor(endpoint: Endpoint, terms: MemberTerms) {
    const { client, environment, settings, maxLeaseMs } = terms;
    this.address = addressOf(endpoint.options);
    this.memory = new ServerMemory(client.clock, maxLeaseMs);
    this.services = new EndpointServices(
      client,
      (owner) => createRouter(endpoint, settings, environment, owner),
      (found) => this.#examined(found, terms),
    );
    this.services.onConnection = () => terms.connected(this);
  }

  #examined(found: Examined, terms: MemberTerms): void {
    this.runId = found.runId;
    const downSince = this.services.router.downSince('') ?? Number.NEGATIVE_INFINITY;
    if (this.memory.learned(found, downSince)) {
      terms.forgot(this);
    }
    terms.examined(this);
    this.#warn(found);
  }

  #warn({ standing: { replicas } }: Examined): void {
    const { memory } = this;
    if (this.fault === undefined && !memory.votes && this.#toldOf !== memory.epoch) {
      this.#toldOf = memory.epoch;
      const why =
        'it may have forgotten locks, and the longest lease (maxLeaseMs) has to end first';
      warnLater(`${this.#silence}: ${why}`, 'REDLATCH_QUORUM_RESTART');
    }
    if (replicas !== null && replicas > 0 && !this.#areReplicasTold) {
      this.#areReplicasTold = true;
      const what = `${this.address} has ${replicas} replica${replicas === 1 ? '' : 's'}`;
      const why =
        'one that takes its place may not know of a lock, and a majority does not see that';
      warnLater(`${what}: ${why}. Let servers of a quorum fail alone`, 'REDLATCH_QUORUM_REPLICAS');
    }
  }

  get #silence(): string {
    const { upMs, silentMs, hidesUptime } = this.memory;
    const since = hidesUptime
      ? 'hides when it was started (INFO)'
      : `was started ${seconds(upMs)} ago`;
    return `${this.address} ${since} and votes again in ${seconds(silentMs)}`;
  }

  /** Why its vote cannot be had now; undefined when it can. */
  get whyNot(): Error | undefined {
    const whyDown = this.services.router.whyDown('');
    if (whyDown !== undefined) {
      // Each attempt has an answer of a dead server: one error serves them all.
      if (this.#whyDown?.cause !== whyDown) {
        this.#whyDown = new Error(`${this.address}: ${whyDown.message}`, { cause: whyDown });
      }
      return this.#whyDown;
    }
    return this.fault ?? (this.memory.votes ? undefined : new Error(this.#silence));
  }

  /** It can be asked. */
  get isReady(): boolean {
    return this.fault === undefined && this.services.router.whyDown('') === undefined;
  }

  /** It can be asked, and its answer counts. */
  get votes(): boolean {
    return this.isReady && this.memory.votes;
  }
}
