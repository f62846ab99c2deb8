// Makes the faults of a plan happen.

import type { Process } from '../../src/testing/process.js';
import type { Link } from '../../src/testing/network/link.js';
import { LATE_MS } from '../../src/testing/network/conditions.js';
import { PHASE } from '../../src/testing/timeline.js';
import type { Snapshot } from '../../src/testing/keyspace/keyspace.js';
import { Grants } from './grants.js';
import { failover, moveSlot, restart, tellHalfOpen } from './outages.js';
import type { Plan } from './plan.js';
import type { Of, PlannedFault } from './planned-faults.js';
import { denyChannels, denyCommand, refuse } from './refusals.js';
import type { SimulatedClient, World } from './world.js';

/** Makes all faults of a plan happen, each at its time, and ends them all when the world heals. */
export function scheduleFaults(world: World, { faults, healAt }: Plan): void {
  const { timeline } = world;
  const grants = new Grants(world);
  for (const fault of faults) {
    if (fault.atGrant === true) {
      timeline.at(fault.at, () => awaitGrant(world, grants, fault));
    } else if (fault.do === 'failover') {
      // The replica has what was written until then.
      let copy: Snapshot | undefined;
      timeline.at(Math.max(0, fault.at - fault.lostMs), () => {
        copy = world.host.server.keyspace.copy();
      });
      timeline.at(fault.at, () => failover(world, fault, copy));
    } else {
      timeline.at(fault.at, () => make(world, fault));
    }
  }
  timeline.at(healAt, () => {
    grants.disarm();
    heal(world);
  });
}

/** What was written since then is lost in a failover. */
function awaitGrant(world: World, grants: Grants, fault: PlannedFault): void {
  const { timeline, host } = world;
  const [from, copy] = [
    timeline.now,
    fault.do === 'failover' ? host.server.keyspace.copy() : undefined,
  ];
  grants.awaitNext((client) => {
    if (fault.do === 'failover') {
      failover(world, { ...fault, lostMs: Math.ceil(timeline.now - from) }, copy);
    } else {
      make(world, 'client' in fault ? { ...fault, client } : fault);
    }
  });
}

/** The connections of a client, all or those to one server. */
function linksOf(world: World, number: number, server?: number): Link[] {
  const { process } = world.clients[number]!;
  const host = server === undefined ? undefined : world.hosts[server];
  return world.network
    .open()
    .filter((link) => link.process === process && (host === undefined || link.host === host));
}

function make(world: World, fault: Exclude<PlannedFault, Of<'failover'>>): void {
  const { recorder } = world;
  const host = world.hostAt(fault.server);
  switch (fault.do) {
    case 'cut':
      cut(world, fault);
      break;
    case 'half-open':
      halfOpen(world, fault);
      break;
    case 'slow':
      slow(world, fault, linksOf(world, fault.client, fault.server));
      break;
    case 'late messages':
      slow(world, fault, linksOf(world, fault.client).slice(1));
      break;
    case 'stall':
      stall(world, world.clients[fault.client]!, fault.forMs);
      break;
    case 'stall holder':
      for (const holder of recorder.holders().slice(0, 1)) {
        stall(world, holder, fault.forMs);
      }
      break;
    case 'kill':
      kill(world, world.clients[fault.client]!);
      break;
    case 'close':
      close(world, world.clients[fault.client]!);
      break;
    case 'force':
      world.force((fault.client + (fault.isByAnother ? 1 : 0)) % world.clients.length);
      break;
    case 'server stall': {
      const until = world.timeline.now + fault.forMs;
      host.stall(until);
      recorder.fault('server stall', `the server stands still for ${fault.forMs} ms`, { until });
      break;
    }
    case 'restart':
      restart(world, fault);
      break;
    case 'script flush':
      host.server.forgetScripts();
      // As if another server with the same data had taken its place. One of a quorum would have to be silent then.
      host.server.runId += world.terms.servers > 1 ? 0 : 1;
      recorder.fault('script flush', 'SCRIPT FLUSH');
      break;
    case 'move slot':
      moveSlot(world, fault);
      break;
    case 'refusal':
      refuse(world, host, fault);
      break;
    case 'deny channels':
      denyChannels(world, host, fault.forMs);
      break;
    case 'deny command':
      denyCommand(world, host, fault);
      break;
    case 'flush':
      host.server.keyspace.clear();
      recorder.fault('flush', 'FLUSHALL');
      break;
    default:
      host.clock.offsetMs += fault.byMs;
      recorder.fault('clock step', `${fault.byMs} ms`);
  }
}

function cut(world: World, { client, all, server }: Of<'cut'>): void {
  const links = linksOf(world, client, server);
  const chosen = all ? links : links.slice(0, 1);
  for (const link of chosen) {
    link.cut();
  }
  const detail = `${chosen.length} connections of client ${client} end`;
  world.recorder.fault('cut', detail, { client, until: world.timeline.now + LATE_MS });
}

function halfOpen(world: World, { client, way, server }: Of<'half-open'>): void {
  const links = linksOf(world, client, server);
  for (const link of links) {
    link.block(way !== 'to client', way !== 'to server');
  }
  tellHalfOpen(world, client, links, `nothing gets through ${way} of client ${client}`);
}

function slow(
  world: World,
  { client, byMs, forMs }: Of<'slow' | 'late messages'>,
  links: readonly Link[],
): void {
  const until = world.timeline.now + forMs;
  for (const link of links) {
    link.slowness = byMs;
  }
  world.timeline.at(until, () => {
    for (const link of links) {
      link.slowness = 0;
    }
  });
  const detail = `${links.length} connections of client ${client} take ${byMs} ms longer`;
  world.recorder.fault('slow', detail, { client, until: until + byMs });
}

function stall(world: World, client: SimulatedClient, forMs: number): void {
  const { now } = world.timeline;
  const until = now + forMs;
  client.process.stall(until);
  client.stalledFrom ??= now;
  // It is the first thing that happens when the process goes on, as it was scheduled first.
  const resume = (): void => {
    world.recorder.resumed(client, client.stalledFrom ?? now);
    client.stalledFrom = undefined;
  };
  world.timeline.at(now, resume, PHASE.timers, client.process);
  const detail = `client ${client.number} stands still for ${forMs} ms`;
  world.recorder.fault('stall', detail, { client: client.number, until });
}

function kill(world: World, client: SimulatedClient): void {
  client.process.kill();
  for (const link of linksOf(world, client.number)) {
    link.close();
  }
  world.recorder.killed(client);
  world.recorder.fault('kill', `client ${client.number} is killed`, {
    client: client.number,
    until: Number.POSITIVE_INFINITY,
  });
}

function close(world: World, client: SimulatedClient): void {
  if (client.isAlive && !client.isClosed) {
    const task = (): void => void world.close(client);
    world.timeline.at(world.timeline.now, task, PHASE.input, client.process);
  }
}

function heal({ hosts, network, clients, recorder, timeline }: World): void {
  for (const host of hosts) {
    host.isUp = true;
    host.downUntil = 0;
    host.server.refusal = undefined;
    host.server.deniesChannels = false;
    host.server.deniedCommand = undefined;
  }
  for (const fault of recorder.faults) {
    if (fault.what === 'half-open') {
      fault.until = Math.min(fault.until, timeline.now);
    }
  }
  const ended = new Set<Process>();
  for (const link of network.open()) {
    link.slowness = 0;
    if (link.endBlocked()) {
      ended.add(link.process);
    }
  }
  for (const { number } of clients.filter(({ process }) => ended.has(process))) {
    const detail = `what was half-open of client ${number} ends`;
    recorder.fault('cut', detail, { client: number, until: timeline.now + LATE_MS });
  }
}
