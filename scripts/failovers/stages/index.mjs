// @ts-check
// The topologies whose failovers are measured. Another one is a file beside this, with a `Topology`, and a line
// here.

import { cluster } from './cluster.mjs';
import { quorum } from './quorum.mjs';
import { sentinel } from './sentinel.mjs';

/**
 * A deployment for one run.
 *
 * @typedef {object} Stage
 * @property {unknown} target what `open` needs in another process; goes there as JSON
 * @property {(count: number) => string[]} names of locks, all on the master that will be killed
 * @property {() => Promise<void>} [lag] nothing of what is written from now on is replicated
 * @property {(names: string[]) => Promise<Failover>} failOver ends a master with SIGKILL, and the lag, and waits until
 *   there is another one
 * @property {() => Promise<void>} stop
 *
 * @typedef {object} Topology
 * @property {() => Promise<Stage>} start
 * @property {(target: unknown, options: LoadOptions) => LoadClient} open a client, in a process of the load
 * @property {Shape[]} shapes in which a master is killed
 * @property {boolean} takesReplicas whether clients know the option `replicas`
 *
 * @typedef {import('../count.mjs').Failover} Failover
 * @typedef {'plain' | 'lagging'} Shape
 * @typedef {Omit<import('../../../dist/index.js').ClientOptions, 'redis'>} LoadOptions
 * @typedef {Pick<import('../../../dist/index.js').Client, 'id' | 'getLock' | 'getFencedLock' | 'on' | 'close'>} LoadClient
 */

/** @type {ReadonlyMap<string, Topology>} */
export const topologies = new Map([
  ['sentinel', sentinel],
  ['cluster', cluster],
  ...(quorum === undefined ? [] : /** @type {const} */ ([['quorum', quorum]])),
]);
