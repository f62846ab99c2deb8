import type { DriverRedis } from './driver-types.js';

/** Lets the process end beside it. */
export function unrefWhenConnected(sentinel: DriverRedis): void {
  const { stream } = sentinel as { stream?: DriverRedis['stream'] };
  stream?.unref();
  sentinel.on('connect', () => sentinel.stream.unref());
}

/** The driver's own connections to the sentinels, which report a failover. The driver neither ends
 * them in every case nor gives access to them, so they are read from its internals. */
export function failoverWatch(redis: DriverRedis): DriverRedis[] {
  const connector: unknown = Reflect.get(redis, 'connector');
  const { failoverDetector } = (connector ?? {}) as {
    failoverDetector?: { sentinels?: { client: DriverRedis }[] } | null;
  };
  return (failoverDetector?.sentinels ?? []).map(({ client }) => client);
}
