// What went over the wire about a holder, for a report on what is left of it.

import * as scripts from '../../src/core/wire/scripts.generated.js';
import type { Route } from '../property/route.js';

const names = new Map<string, string>();
for (const script of Object.values(scripts)) {
  names.set(script.sha1, script.name);
  names.set(script.source, script.name);
}

const HOLDER = /^[0-9a-f-]{36}:\d+$/u;
const RELEASE = /\/release(?:-read|-write)?$/u;

/** The holders of locks for whom a release was sent so far. */
export function releasedHolders(routes: readonly Route[]): string[] {
  const commands = routes.flatMap((route) =>
    route.everyConnection().flatMap((connection) => connection.commands),
  );
  return commands
    .filter(([, what = '']) => RELEASE.test(names.get(what) ?? ''))
    .flatMap((command) => command.filter((word) => HOLDER.test(word)));
}

/** The commands that name a holder, by connection, in order. */
export function wireOf(routes: readonly Route[], holder: string): string[] {
  return routes.flatMap((route, place) =>
    route.everyConnection().flatMap(({ id, commands }) =>
      commands.flatMap((command, at) => {
        if (!command.some((word) => word.includes(holder))) {
          return [];
        }
        const [, what = '', , ...operands] = command;
        const short = operands.map((word) => (word.length > 24 ? `..${word.slice(-22)}` : word));
        return [
          `    c${place} connection ${id} at ${at}: ${names.get(what) ?? what} ${short.join(' ')}`,
        ];
      }),
    ),
  );
}
