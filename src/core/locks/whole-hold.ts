import { LeaseLostError, NotHeldError } from '../../errors.js';
import type { ClientServices } from '../client-services.js';
import { Reachable } from '../grant/reachable.js';
import type { Leaks } from '../observe/leaks.js';
import { asError } from '../wire/replies.js';

/** A hold of several names, or on several servers, that ends as a whole. */
export abstract class WholeHold extends Reachable {
  abstract readonly lockName: string;
  protected abstract readonly client: ClientServices;
  /** Why it was lost, computed from the clock. */
  protected abstract readonly lossNow: LeaseLostError | undefined;
  /** Its release was called for. */
  protected abstract readonly isReleased: boolean;
  abstract release(): Promise<void>;

  protected get isOver(): boolean {
    return this.lossNow !== undefined || this.isReleased;
  }

  protected override get leaks(): Leaks {
    return this.client.leaks;
  }

  /** Passes while it was neither lost nor released. */
  assertNotOver(): void {
    const error = this.lossNow;
    if (error !== undefined) {
      throw error;
    }
    if (this.isReleased) {
      const resource = this.lockName;
      throw new NotHeldError(`the hold on "${resource}" was released`, { resource });
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.release().catch((error: unknown) => this.failed(error));
  }

  /** A loss is reported by its own event. */
  protected failed(error: unknown): void {
    if (!(error instanceof LeaseLostError)) {
      this.client.failed(asError(error));
    }
  }
}
