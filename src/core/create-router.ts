import type { Clock } from './clock.js';
import { ClusterRouter } from './cluster-router.js';
import type { Endpoint } from './redis.js';
import { SingleRouter } from './router.js';
import type { Router, RouterOwner } from './router.js';

/** Connecting takes several round trips, and a TLS handshake: it gets at least this long. */
const READY_LIMIT_MIN_MS = 2_000;

/** The router that fits an endpoint. */
export function createRouter(
  endpoint: Endpoint,
  commandTimeoutMs: number,
  clock: Clock,
  owner: RouterOwner,
): Router {
  const { options, seeds, translate } = endpoint;
  const readyLimitMs = Math.max(commandTimeoutMs, READY_LIMIT_MIN_MS);
  if (seeds !== undefined && translate !== undefined) {
    return new ClusterRouter({ options, seeds, translate, readyLimitMs }, clock, owner);
  }
  return new SingleRouter({ options, readyLimitMs }, clock, owner);
}
