import { withNextTick } from '../base/natives.js';
import { keepTicking } from './driver-ticks.js';
import type { ConnectionOptions, DriverRedis } from './driver-types.js';

type Connect = (...args: unknown[]) => DriverRedis;

/**
 * The driver's own connections to the sentinels that are open: one that asks for the master, or those that
 * report a failover. The driver neither ends them in every case nor gives access to them, so they are taken
 * where its connector makes them.
 */
export function sentinelsOf(redis: DriverRedis): ReadonlySet<DriverRedis> {
  const open = new Set<DriverRedis>();
  const connector: unknown = Reflect.get(redis, 'connector');
  const { connectToSentinel } = (connector ?? {}) as { connectToSentinel?: Connect };
  if (connector instanceof Object && typeof connectToSentinel === 'function') {
    const connect: Connect = (...args) => {
      const sentinel = withNextTick<DriverRedis>(() =>
        Reflect.apply(connectToSentinel, connector, args),
      );
      keepTicking(sentinel);
      open.add(sentinel);
      // It lets the process end beside it.
      sentinel.on('connect', () => sentinel.stream.unref());
      sentinel.on('end', () => open.delete(sentinel));
      return sentinel;
    };
    Reflect.set(connector, 'connectToSentinel', connect);
  }
  return open;
}

/** Ends one at once, also while it is connecting or unanswered: a graceful end would wait for it. */
export function endSentinel(sentinel: DriverRedis): void {
  const { stream } = sentinel as { stream?: DriverRedis['stream'] };
  sentinel.disconnect();
  stream?.destroy();
}

/**
 * The options of the next attempt, which asks another sentinel first: the one that was asked may be mute,
 * and the driver would wait for it until the attempt is given up.
 */
export function withNextSentinel(options: ConnectionOptions): ConnectionOptions {
  const { sentinels } = options;
  return Array.isArray(sentinels) && sentinels.length > 1
    ? { ...options, sentinels: [...sentinels.slice(1), ...sentinels.slice(0, 1)] }
    : options;
}
