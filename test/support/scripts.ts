// Which script a command runs, by its words on the wire.

import {
  expirableSemaphoreRenew,
  lockRenew,
  rwlockRenewRead,
} from '../../src/core/wire/scripts.generated.js';
import type { WireScript } from './kinds/kind.js';

/** The one of these scripts that a command runs. */
export function scriptOf(
  [verb = '', what]: readonly string[],
  scripts: readonly WireScript[],
): WireScript | undefined {
  return /^eval(?:sha)?$/i.test(verb)
    ? scripts.find(({ sha1, source }) => sha1 === what || source === what)
    : undefined;
}

/** Whether it is a renewal with a lease of 0 ms, the last of its operands, which only asks. Whoever
 * begins to listen to its own channel sends one about all that it holds. */
export function onlyAsks(command: readonly string[]): boolean {
  const last = command.at(-1) ?? '';
  if (scriptOf(command, [expirableSemaphoreRenew]) !== undefined) {
    // The id of a permit, 16 bytes, stands before its lease.
    return last.length <= 17 && last.endsWith('0');
  }
  return scriptOf(command, [lockRenew, rwlockRenewRead]) !== undefined && last === '0';
}
