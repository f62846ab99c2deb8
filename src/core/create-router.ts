import type { Clock } from './clock.js';
import { ClusterRouter } from './cluster-router.js';
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
  const { options, seeds, translate } = endpoint;
  if (seeds !== undefined && translate !== undefined) {
    return new ClusterRouter({ options, seeds, translate, readyLimitMs }, clock, owner);
  }
  return new SingleRouter({ options, readyLimitMs }, clock, owner);
}
