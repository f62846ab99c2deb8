import type { Holder } from './events.js';
import type { Runtime } from './runtime.js';

const STALL_MIN_MS = 10_000;

/** What is waited for, and who has it. */
export interface Waited {
  readonly resource: string;
  readonly kind: string;
  findHolders(): Promise<readonly Holder[]>;
}

/** Tells, while somebody listens, of a wait since `startedAt` that is longer than max(10 s, 3
 * leases), and again each further such span. Returns what stops it. */
export function watchForStall(runtime: Runtime, waited: Waited, startedAt: number): () => void {
  const { clock, settings, events } = runtime;
  const spanMs = Math.max(STALL_MIN_MS, 3 * settings.leaseMs);
  const tick = (): void => {
    timer = clock.after(spanMs, tick);
    if (events.wanted('stalled')) {
      report(runtime, waited, clock.now() - startedAt);
    }
  };
  let timer = clock.after(startedAt + spanMs - clock.now(), tick);
  return () => timer.cancel();
}

function report(runtime: Runtime, waited: Waited, waitedMs: number): void {
  const { resource, kind } = waited;
  waited.findHolders().then(
    (holders) => {
      runtime.events.emit('stalled', {
        resource,
        kind,
        waitedMs: Math.round(waitedMs),
        holders,
      });
    },
    (error: Error) => runtime.failed(error),
  );
}
