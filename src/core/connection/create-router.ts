import { ClusterRouter, type ShardedSubscriptionMode } from './cluster-router.js';
import type { Endpoint } from './driver-types.js';
import type { Environment } from './environment.js';
import { SingleRouter, type Router, type RouterOwner } from './router.js';

/** Connecting gets at least this long, since it takes several round trips and a TLS handshake. */
const READY_LIMIT_MIN_MS = 2_000;

/** Settings of a client that its router needs. */
export interface RouterSettings {
  readonly commandTimeoutMs: number;
  readonly shardedSubscriptionMode: ShardedSubscriptionMode;
}

/** The router that fits an endpoint. */
export function createRouter(
  endpoint: Endpoint,
  settings: RouterSettings,
  environment: Environment,
  owner: RouterOwner,
): Router {
  const { options, seeds, translate, credentials } = endpoint;
  const { commandTimeoutMs, shardedSubscriptionMode } = settings;
  const readyLimitMs = Math.max(commandTimeoutMs, READY_LIMIT_MIN_MS);
  if (seeds !== undefined && translate !== undefined) {
    const known = { options, seeds, translate, credentials };
    const cluster = { ...known, readyLimitMs, shardedSubscriptionMode };
    return new ClusterRouter(cluster, environment, owner);
  }
  return new SingleRouter({ options, readyLimitMs, credentials }, environment, owner);
}
