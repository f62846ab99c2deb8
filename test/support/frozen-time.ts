// Scripts on a real server, at an instant that a test chooses.

import type { Redis } from 'ioredis';
import { Refused, type Command } from '../../src/core/wire/call.js';

/** In front of a script it shadows the server's commands: TIME answers what it is told. */
function atInstant(micros: bigint): string {
  const time = `{ '${micros / 1_000_000n}', '${micros % 1_000_000n}' }`;
  const call = (name: string): string =>
    `${name} = function(command, ...) ` +
    `if command == 'TIME' then return ${time} end return real.${name}(command, ...) end`;
  return (
    `local real = redis; ` +
    `local redis = setmetatable({ ${call('call')}, ${call('pcall')} }, { __index = real })\n`
  );
}

/**
 * Runs a command of the library as if the server's clock showed `atMs`, plus `micros`: what happens in
 * the very millisecond in which a lease ends cannot be met by waiting. Only TIME is another one; keys
 * expire by the clock of the server.
 */
export async function runAt<R>(
  redis: Redis,
  atMs: number,
  { script, operands }: Command<R>,
  micros = 0,
): Promise<R> {
  const source = atInstant(BigInt(atMs) * 1_000n + BigInt(micros)) + script.source;
  const [keys, ...rest] = operands;
  const answer = script.decode(await redis.eval(source, Number(keys), ...rest));
  if (answer instanceof Refused) {
    throw answer.error;
  }
  return answer;
}
