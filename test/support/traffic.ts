// What a client really sends, seen from a proxy in front of the server.

import { eventually } from './eventually.js';
import { startProxy, type Proxy } from './proxy.js';

/** Signing in, and asking the other side whether it lives. */
const upkeep = /^(?:hello|auth|client|info|select|ping|readonly)$/i;

export interface Traffic {
  readonly url: string;
  readonly proxy: Proxy;
  /** Names of the commands sent so far, in lower case, without signing in and pings. */
  names(): string[];
  /** How many of them run a script. */
  scripts(): number;
}

/** A way to the server on which every command is counted. */
export async function countedTraffic(target: string): Promise<Traffic> {
  const proxy = await startProxy({ target });
  const names = (): string[] =>
    proxy
      .requests()
      .map(([name = '']) => name.toLowerCase())
      .filter((name) => !upkeep.test(name));
  return {
    url: proxy.url,
    proxy,
    names,
    scripts: () => names().filter((name) => name.startsWith('eval')).length,
  };
}

/** Waits until nothing more is sent for half a second. */
export async function quiet(traffic: Traffic): Promise<void> {
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
