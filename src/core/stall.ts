import type { LockProtocol } from './lock-protocol.js';
import type { Runtime } from './runtime.js';

const STALL_MIN_MS = 10_000;

/** Tells, while somebody listens, of a wait since `startedAt` that is longer than max(10 s, 3
 * leases), and again each further such span. Returns what stops it. */
export function watchForStall(
  runtime: Runtime,
  protocol: LockProtocol,
  startedAt: number,
): () => void {
  const { clock, settings, events } = runtime;
  const spanMs = Math.max(STALL_MIN_MS, 3 * settings.leaseMs);
  const tick = (): void => {
    timer = clock.after(spanMs, tick);
    if (events.wanted('stalled')) {
      report(runtime, protocol, clock.now() - startedAt);
    }
  };
  let timer = clock.after(startedAt + spanMs - clock.now(), tick);
  return () => timer.cancel();
}

function report(runtime: Runtime, protocol: LockProtocol, waitedMs: number): void {
  const { resource, kind } = protocol;
  runtime.delivery.ask(resource, protocol.inspect()).then(
    ({ holders }) => {
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
