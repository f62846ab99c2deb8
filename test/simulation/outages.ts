// A server that is gone for a while, and connections that nobody is told about.

import type { Snapshot } from '../../src/testing/keyspace/keyspace.js';
import type { Host } from '../../src/testing/network/host.js';
import type { Link } from '../../src/testing/network/link.js';
import type { Of } from './planned-faults.js';
import { LEASES_MAX, type World } from './world.js';

/** Who uses a half-open connection notices within this time that nothing comes back. Other connections
 * get through meanwhile. */
const NOTICED_MS = 4_000;

/** A server tells its uptime in whole seconds. */
const UPTIME_GRAIN_MS = 2_000;

/** The fault goes on until each of these connections was used, and could be noticed. */
export function tellHalfOpen(
  world: World,
  client: number,
  links: readonly Link[],
  detail: string,
): void {
  if (links.length === 0) {
    return;
  }
  const until = Number.POSITIVE_INFINITY;
  const fault = world.recorder.fault('half-open', detail, { client, until });
  let unused = links.length;
  for (const link of links) {
    link.whenUsed = () => {
      unused -= 1;
      if (unused === 0) {
        fault.until = world.timeline.now + NOTICED_MS;
      }
    };
  }
}

export function restart(world: World, fault: Of<'restart'>): void {
  const { downMs, isTold, forgets = false } = fault;
  const host = world.hostAt(fault.server);
  const links = world.network.open().filter((link) => link.host === host);
  takeDown(world, host, downMs, isTold);
  if (forgets) {
    host.server.keyspace.clear();
  }
  const data = forgets ? 'has forgotten everything' : 'keeps its data';
  world.recorder.fault('restart', `${nameOf(world, host)} is gone for ${downMs} ms, and ${data}`, {
    until: world.timeline.now + downMs + silentMs(world),
  });
  for (const { number, process } of isTold ? [] : world.clients) {
    const own = links.filter((link) => link.process === process);
    tellHalfOpen(world, number, own, `client ${number} is not told that the server is gone`);
  }
}

const nameOf = ({ hosts }: World, host: Host): string =>
  hosts.length > 1 ? `server ${hosts.indexOf(host)}` : 'the server';

/** A server of a quorum that was started does not vote for so long. */
function silentMs({ terms }: World): number {
  return terms.servers > 1 ? terms.leaseMs * LEASES_MAX + UPTIME_GRAIN_MS : 0;
}

/** Nothing can be done with the object while its slot moves, and nothing is lost. */
export function moveSlot(world: World, { forMs }: Of<'move slot'>): void {
  if (world.moveSlot(forMs)) {
    const detail = `the slot moves to another node within ${forMs} ms`;
    world.recorder.fault('restart', detail, { until: world.timeline.now + forMs });
  }
}

export function failover(
  world: World,
  { lostMs, downMs, clockMs }: Of<'failover'>,
  copy: Snapshot | undefined,
): void {
  takeDown(world, world.host, downMs, true);
  if (copy !== undefined) {
    world.host.server.keyspace.restore(copy);
  }
  world.host.clock.offsetMs += clockMs;
  const detail = `${lostMs} ms of writes are lost, and the clock is ${clockMs} ms off`;
  world.recorder.fault('failover', detail, { until: world.timeline.now + downMs });
  if (clockMs !== 0) {
    world.recorder.fault('clock step', `${clockMs} ms`);
  }
}

function takeDown({ timeline }: World, host: Host, downMs: number, isTold: boolean): void {
  const until = timeline.now + downMs;
  host.isUp = false;
  host.downUntil = Math.max(host.downUntil, until);
  host.server.restart();
  for (const link of host.links) {
    link.hostDied(isTold);
  }
  timeline.at(until, () => {
    host.isUp = timeline.now >= host.downUntil;
  });
}
