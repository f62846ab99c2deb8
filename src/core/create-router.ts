import type { Clock } from './clock.js';
import type { Endpoint } from './redis.js';
import { SingleRouter } from './router.js';
import type { Router, RouterOwner } from './router.js';

/** The router that fits an endpoint. */
export function createRouter(
  endpoint: Endpoint,
  readyLimitMs: number,
  clock: Clock,
  owner: RouterOwner,
): Router {
  return new SingleRouter({ options: endpoint.options, readyLimitMs }, clock, owner);
}
