// A server that refuses what it is asked for a while.

import type { Of } from './planned-faults.js';
import type { Host } from '../../src/testing/network/host.js';
import type { World } from './world.js';

export function refuse(
  { recorder, timeline }: World,
  host: Host,
  { what, forMs }: Of<'refusal'>,
): void {
  const until = timeline.now + forMs;
  host.server.refusal = what;
  timeline.at(until, () => {
    if (host.server.refusal === what) {
      host.server.refusal = undefined;
    }
  });
  const kind = what === 'NOPERM' ? 'no right' : 'refusal';
  recorder.fault(kind, `the server says ${what} for ${forMs} ms`, { until });
}

export function denyChannels({ recorder, timeline }: World, host: Host, forMs: number): void {
  const until = timeline.now + forMs;
  host.server.deniesChannels = true;
  timeline.at(until, () => {
    host.server.deniesChannels = false;
  });
  recorder.fault('no messages', `the server lets nobody use channels for ${forMs} ms`, { until });
}

export function denyCommand(
  { recorder, timeline }: World,
  host: Host,
  { command, forMs }: Of<'deny command'>,
): void {
  const until = timeline.now + forMs;
  host.server.deniedCommand = command;
  timeline.at(until, () => {
    if (host.server.deniedCommand === command) {
      host.server.deniedCommand = undefined;
    }
  });
  recorder.fault('no right', `the server lets nobody use ${command} for ${forMs} ms`, { until });
}
