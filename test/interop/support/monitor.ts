// Every command that a server runs, in its own order, and whose it is.

import { randomUUID } from 'node:crypto';
import { eventually } from '../../support/eventually.js';
import { watchCommands } from '../../support/monitor.js';
import { rawClient } from '../../support/redis.js';

export interface Seen {
  /** `test` is this file's own plain connection. */
  readonly who: 'java' | 'node' | 'test';
  /** Name in lower case, and arguments. */
  readonly command: readonly string[];
  /** A script has run it. */
  readonly inScript: boolean;
}

export interface Monitor {
  /** What was run since the last call, or since the start. */
  news(): Promise<Seen[]>;
}

/** Watches a server until the end of the test file. */
export async function startMonitor(url?: string): Promise<Monitor> {
  const raw = rawClient(url);
  const names = new Map<string, string>();
  const entries: { source: string; command: string[] }[] = [];
  await watchCommands(rawClient(url), (command, source) => entries.push({ source, command }));
  const own = new RegExp(` addr=(\\S+) .*`).exec(String(await raw.call('CLIENT', 'INFO')))?.[1];

  const learnNames = async (): Promise<void> => {
    const list = String(await raw.call('CLIENT', 'LIST'));
    for (const [, address = '', name = ''] of list.matchAll(/ addr=(\S+) .* name=(\S*) /g)) {
      names.set(address, name);
    }
  };
  const whose = (source: string): Seen['who'] => {
    if (source === own) {
      return 'test';
    }
    return names.get(source) === 'java' ? 'java' : 'node';
  };

  return {
    async news() {
      const mark = randomUUID();
      await raw.echo(mark);
      const end = await eventually(() => {
        const at = entries.findIndex(({ command }) => command[1] === mark);
        return at === -1 ? false : { at };
      });
      await learnNames();
      let who: Seen['who'] = 'test';
      const seen = entries
        .splice(0, end.at + 1)
        .map(({ source, command: [name = '', ...rest] }) => {
          const inScript = source === 'lua';
          who = inScript ? who : whose(source);
          return { who, command: [name.toLowerCase(), ...rest], inScript };
        });
      return seen.filter((each) => each.who !== 'test');
    },
  };
}
