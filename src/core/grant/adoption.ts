import { NotHeldError } from '../../errors.js';
import type { LeaseTerms } from '../base/arguments.js';
import { failing } from '../base/failing.js';
import { isNotRun } from '../connection/error-answers.js';
import { translate } from '../delivery/translate.js';
import type { EndpointServices } from '../endpoint-services.js';
import type { Lease } from '../lease/lease.js';
import type { NamedObject } from '../names.js';
import { enterAndStart } from '../names.js';
import type { WaitLimit } from '../waiting/wait-limit.js';
import { ABOUT_HOLD, type Call, type PendingCall } from '../wire/call.js';
import type { Adopted, Detachable } from './detachable.js';
import type { Detached } from './detached.js';

/** The object of a grant that is adopted. */
export interface Adopter<G> {
  readonly services: EndpointServices;
  readonly protocol: NamedObject & { readonly detachable: Detachable };
  /** An id of this client that was never used before. */
  newId(): string;
  createLease(id: string): Lease;
  /** Makes of the lease what the caller gets; it is kept from now on. */
  adopted(lease: Lease, terms: AdoptionTerms, othersWait: boolean): G;
}

/** The checked arguments of an adoption. */
export interface AdoptionTerms extends LeaseTerms {
  readonly detached: Detached;
  readonly waitLimit: WaitLimit;
}

/** Takes over a grant that another client has detached. It settles within `commandTimeoutMs`. */
export function adopt<G>(adopter: Adopter<G>, detached: Detached, lease: LeaseTerms): Promise<G> {
  const { client } = adopter.services;
  client.assertOpen(detached.name);
  const waitLimit = client.waitLimit({ limitMs: client.settings.commandTimeoutMs });
  return enterAndStart(adopter, { ...lease, detached, waitLimit }, start);
}

function start<G>(adopter: Adopter<G>, terms: AdoptionTerms): Promise<G> {
  return new Promise((resolve) => {
    new Adoption(adopter, terms, resolve).start();
  });
}

/** One adoption. Given up, it is undone: the string can be adopted again. */
class Adoption<G> {
  readonly #adopter: Adopter<G>;
  readonly #terms: AdoptionTerms;
  readonly #resolve: (granted: G | Promise<never>) => void;
  readonly #id: string;

  constructor(
    adopter: Adopter<G>,
    terms: AdoptionTerms,
    resolve: (granted: G | Promise<never>) => void,
  ) {
    this.#adopter = adopter;
    this.#terms = terms;
    this.#resolve = resolve;
    this.#id = adopter.newId();
  }

  start(): void {
    const { services, protocol } = this.#adopter;
    const { detached, leaseMs, waitLimit } = this.#terms;
    const { name, holderId } = detached;
    const command = protocol.detachable.adopt(holderId, this.#id, leaseMs);
    const call = services.delivery.start<Adopted | undefined>(
      command,
      {
        answered: (adopted, answered) => this.#answered(adopted, answered),
        failed: (error, failed) => {
          this.#fail(translate(error, name), failed.mayHaveRun || !isNotRun(error));
        },
      },
      ABOUT_HOLD,
    );
    const end = (): void => {
      const ending = waitLimit.ending ?? { why: 'timeout' };
      const waitedMs = services.clock.now() - waitLimit.startedAt;
      const onTimeout = (): Error =>
        services.delivery.timeout(name, protocol.key, call.sent, waitedMs, call.refusal);
      const mayHaveRun = services.delivery.abandon(call);
      this.#fail(services.client.errorOf(ending, name, onTimeout), mayHaveRun);
    };
    waitLimit.onEnd = end;
    if (waitLimit.ending !== undefined) {
      end();
    }
  }

  #answered(adopted: Adopted | undefined, call: Call<Adopted | undefined>): void {
    const { services } = this.#adopter;
    const { detached, waitLimit } = this.#terms;
    const lease = adopted && this.#leaseOf(adopted, call);
    if (lease === undefined || !lease.covers(services.clock.now())) {
      lease?.end();
      const why = lease === undefined ? 'it was released or adopted, or its lease has ended' : LATE;
      const message = `"${detached.name}" is not held under this string any more: ${why}`;
      // A late copy could find the grant that another adopter has put back.
      const mayRun = lease !== undefined || call.unackedCopies > 0;
      this.#fail(new NotHeldError(message, { resource: detached.name }), mayRun);
      return;
    }
    const grant = this.#adopter.adopted(lease, this.#terms, adopted?.othersWait === true);
    waitLimit.dispose();
    this.#resolve(grant);
  }

  /** Its deadline counts from before the adoption was sent. */
  #leaseOf({ leftMs, lifeMs }: Adopted, call: PendingCall): Lease {
    const lease = this.#adopter.createLease(this.#id);
    lease.start(call, leftMs);
    lease.limit(call.sentAt, lifeMs);
    return lease;
  }

  /** `mayRun`: it may have been carried out, or may be later. */
  #fail(error: unknown, mayRun: boolean): void {
    const { services, protocol } = this.#adopter;
    const { detached, waitLimit } = this.#terms;
    waitLimit.dispose();
    services.names.leave(protocol);
    if (mayRun) {
      services.delivery.inBackground(protocol.detachable.putBack(detached.holderId, this.#id));
    }
    this.#resolve(failing(error, waitLimit.ending));
  }
}

const LATE = 'its lease was over when the answer came';
