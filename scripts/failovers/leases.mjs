// @ts-check

/** Of holds that are renewed. */
export const LEASE_MS = 6_000;

/** Of holds that nothing renews: longer than a failover. */
export const FIXED_LEASE_MS = 8_000;
