import type { Holder } from '../core/observe/events.js';
import type { Waited } from '../core/observe/slow-wait.js';
import type { Surroundings } from '../core/observe/wait-circle.js';
import type { QuorumName } from './names.js';
import type { QuorumServices } from './quorum-services.js';

/** The names to acquire, and where. */
export interface Wanted extends Surroundings {
  readonly resource: string;
  readonly names: readonly QuorumName[];
  readonly fenced: boolean;
}

/** Names of a quorum, as waits for them are reported. */
export function waitedFor(
  { questions }: QuorumServices,
  resource: string,
  names: readonly QuorumName[],
): Waited {
  const kind = 'quorum-lock' as const;
  const findHolders = async (): Promise<readonly Holder[]> =>
    await questions.holders(resource, names);
  return { id: `${kind} ${resource}`, resource, kind, findHolders };
}
