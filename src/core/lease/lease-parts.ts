import type { LeaseLostError, LeaseLostReason } from '../../errors.js';
import type { ClientEvents, ObjectKind } from '../observe/events.js';

/** The state of a lease; see `Hold.state`. */
export type LeaseState = 'held' | 'suspect' | 'lost';

/** The reasons of a loss, as messages state them. */
export const LOST_BECAUSE: Record<LeaseLostReason, string> = {
  expired: 'its lease or its maxHoldMs ran out',
  unproven: 'it could not be renewed in time',
  taken: 'somebody else has it now',
  deleted: 'it was freed by force, flushed or evicted',
};

/** The object and the holder of a lease. */
export interface LeaseIdentity {
  readonly kind: ObjectKind;
  /** Name of the object. */
  readonly resource: string;
  /** Key of the object. */
  readonly key: string;
  readonly holderId: string;
}

/** The facts that a lease keeps about the call that has acquired it. */
export interface Acquiring {
  readonly order: number;
  readonly sentAt: number;
  readonly lastSentAt: number;
}

/** How much of its lease a holder was granted: all; a window, which has to be confirmed; or one that the next
 * command of its owner confirms. */
export type Granted = 'whole' | 'window' | 'confirmed next';

/** A hold that lives on a lease. */
export interface LeaseHolder {
  /** Renewed by the watchdog as long as it is alive. */
  readonly renewed: boolean;
  /** It ends by this instant, by our clock; undefined: it has no bound. */
  endsBy?: number | undefined;
  /** The lease has ended under it. */
  lost(error: LeaseLostError): void;
  /** It is renewed. */
  lasts?(): void;
  /** Another client waits for it; `isFirst`: it reports that for all holds of the lease. */
  contended?(isFirst: boolean): void;
}

/** A lease has been renewed for those of its holders that want that. */
export function lastAll(holders: Iterable<Pick<LeaseHolder, 'renewed' | 'lasts'>>): void {
  for (const holder of holders) {
    if (holder.renewed) {
      holder.lasts?.();
    }
  }
}

/** Gets the events of a lease. */
export interface Reports {
  report(event: 'suspect', payload: Parameters<ClientEvents['suspect']>[0]): void;
}
