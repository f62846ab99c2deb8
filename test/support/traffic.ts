// What a client really sends, seen from a proxy in front of the server.

import * as scripts from '../../src/core/wire/scripts.generated.js';
import type { Client } from '../../src/index.js';
import { eventually } from './eventually.js';
import { startProxy, type Proxy } from './proxy.js';
import { randomName } from './redis.js';

/** Signing in, and finding out whether a connection still works. */
const upkeep = /^(?:hello|auth|client|info|select|ping|readonly)$/i;
const toItself = /^redlatch_self:/u;

/** By digest and by source. */
const scriptOf = new Map(
  Object.values(scripts).flatMap(({ name, sha1, source }) => [
    [sha1, name],
    [source, name],
  ]),
);

export interface Traffic {
  readonly url: string;
  readonly proxy: Proxy;
  /** Names of the commands sent so far, in lower case, without signing in, and without pings and
   * messages of a connection to itself. */
  names(): string[];
  /** How many of them run a script. */
  scripts(): number;
  /** The names of these scripts. */
  scriptNames(): string[];
}

/** A way to the server on which every command is counted. */
export async function countedTraffic(target: string): Promise<Traffic> {
  const proxy = await startProxy({ target });
  const requests = (): string[][] =>
    proxy
      .requests()
      .filter(([name = '', channel = '']) => !upkeep.test(name) && !toItself.test(channel));
  const names = (): string[] => requests().map(([name = '']) => name.toLowerCase());
  const scriptNames = (): string[] =>
    requests().flatMap(([name = '', script = '']) =>
      /^eval/iu.test(name) ? [scriptOf.get(script) ?? 'another script'] : [],
    );
  return {
    url: proxy.url,
    proxy,
    names,
    scripts: () => scriptNames().length,
    scriptNames,
  };
}

/**
 * Waits until all that a client has called before is answered, and then until it sends nothing for
 * half a second. Silence alone proves nothing on a busy machine: it may be that of a client that has
 * not connected yet.
 */
export async function quiet(traffic: Traffic, client: Client): Promise<void> {
  // One connection carries all commands, in order.
  await client.getLock(randomName('quiet')).isLocked();
  let last = -1;
  await eventually(
    () => {
      const now = traffic.names().length;
      const isQuiet = now === last;
      last = now;
      return isQuiet;
    },
    { everyMs: 500, withinMs: 15_000 },
  );
}
