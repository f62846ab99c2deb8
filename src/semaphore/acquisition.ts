import { AcquireTimeoutError } from '../errors.js';
import { Acquisition, type WaitTerms } from '../core/acquisition.js';
import type { PermitQueue } from '../core/permits/permit-queue.js';
import type { DeclaredNumber } from '../core/permits/declared-number.js';
import { uninitialised } from '../core/permits/uninitialised.js';
import type { PermitAnswer, PermitWaiter } from '../core/permits/permit-source.js';
import type { PendingCall } from '../core/wire/call.js';
import type { SemaphoreGrants } from './grants.js';
import type { Permits } from './permits.js';

/** The checked arguments of a call. */
export interface PermitsTerms extends WaitTerms {
  readonly count: number;
}

/** One call that acquires permits. */
export class PermitsAcquisition
  extends Acquisition<Permits, PermitsTerms, SemaphoreGrants>
  implements PermitWaiter
{
  get count(): number {
    return this.terms.count;
  }

  get number(): DeclaredNumber | undefined {
    return this.grants.protocol.number;
  }

  granted(_call: PendingCall, answer: PermitAnswer, place: number): boolean {
    const { grants, terms } = this;
    const { mark } = answer;
    // A counting semaphore takes what there is.
    this.number?.judge(answer);
    const taken = { permits: terms.count, mark, place };
    if (this.isOver) {
      // The wait had ended before the grant: the permits are given back.
      grants.giveBack(taken).catch((error: Error) => grants.failed(error));
      return true;
    }
    grants.services.names.leave(grants.protocol);
    this.succeed(grants.createPermits(taken, terms.waitLimit.startedAt));
    return true;
  }

  protected override agreement(): undefined {
    this.grants.declare();
  }

  protected override localQueue(): PermitQueue<PermitWaiter> {
    return this.grants.queue();
  }

  protected override contention(): AcquireTimeoutError {
    const { protocol, isUninitialised, wasSeen } = this.grants;
    const { resource } = protocol;
    if (isUninitialised) {
      return uninitialised(resource, 'getSemaphore', wasSeen);
    }
    const wanted = this.count === 1 ? 'a permit' : `${this.count} permits`;
    const after = `after ${Math.round(this.waitedMs)} ms`;
    const message = `${wanted} of "${resource}" could not be had ${after}`;
    return new AcquireTimeoutError(message, { resource });
  }
}
