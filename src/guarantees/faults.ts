// The rows of docs/guarantees.md, judged for one deployment.

import { evicts, type Memory } from '../core/connection/server-check.js';
import type { Persistence } from './server-facts.js';

/** How a server works, as far as it decides what a fault may do. Null: that is hidden. */
export interface Deployment {
  readonly topology: 'single' | 'sentinel' | 'cluster';
  readonly replicas: number | null;
  readonly persistence: Persistence | null;
  readonly memory: Memory;
}

/**
 * Whether a fault may give one object to two owners.
 *
 * @example
 * ```ts
 * const { faults } = await client.guarantees();
 * const eviction = faults.find(({ fault }) => fault === 'eviction');
 * if (eviction?.twoOwners === 'may') throw new Error(eviction.text);
 * ```
 */
export interface FaultGuarantee {
  /** The fault, as in docs/guarantees.md. */
  readonly fault: string;
  /** Whether two owners may see the same as held at the same time. */
  readonly twoOwners: 'never' | 'may' | 'unknown';
  /** Why, in a sentence. */
  readonly text: string;
}

type Verdict = Omit<FaultGuarantee, 'fault'>;
type Row = readonly [fault: string, verdict: Verdict | ((deployment: Deployment) => Verdict)];

const never = (text: string): Verdict => ({ twoOwners: 'never', text });
const may = (text: string): Verdict => ({ twoOwners: 'may', text });
const unknown = (text: string): Verdict => ({ twoOwners: 'unknown', text });

const LATE =
  'The old owner sees the loss with its next renewal; a fencing token keeps its writes out.';
const BY_ITS_CLOCK = 'A hold is proven by the clock of its owner, and ends before its lease.';

const ROWS: readonly Row[] = [
  ['holder killed', never('The lock is free when its lease ends.')],
  ['paused within lease', never('The hold is still held after the pause.')],
  [
    'paused longer, blocked',
    never('`isHeld` is false on the first line that runs after the pause.'),
  ],
  ['no Redis, half-open', never(BY_ITS_CLOCK)],
  ['reply lost; resent; late', never('A command that runs twice, or late, has the effect of one.')],
  ['subscriber cut, silent', never('Messages prove nothing: a poll backs each wait.')],
  ['SCRIPT FLUSH, KILL', never('Scripts are sent again.')],
  ['CLIENT PAUSE', never(BY_ITS_CLOCK)],
  ['READONLY, OOM, NOPERM', never(`What is refused is not carried out. ${BY_ITS_CLOCK}`)],
  ['messages refused', never('Messages prove nothing: a poll backs each wait.')],
  ['restart, data kept', never('What was granted is still there.')],
  ['restart, writes lost', restart],
  ['FLUSHALL', may(`All that was granted is gone. ${LATE}`)],
  ['failover, writes lost', failover],
  ['server clock forward', may(`The server ends leases early. ${LATE}`)],
  ['server clock back', never('The server ends leases late.')],
  ['slot moves in a cluster', slotMoves],
  ['client closed', never('`isHeld` is false before anything is released.')],
  ['wait aborted or timed out', never('What the server may have granted is taken back.')],
  [
    'ended by another client',
    may('The old owner is told within milliseconds, or sees it with its next renewal.'),
  ],
  ['fair heads dead, frozen', never('They are passed over, and hold nothing.')],
  ['one of readers killed', never('Its read hold keeps writers out until its lease ends.')],
  ['waiting writer killed', never('It is passed over, and holds nothing.')],
  ['holder of permit killed', never('Its permit comes back when its lease ends.')],
  ['counting holder killed', never('Its permits stay taken until somebody adds them again.')],
  ['eviction', eviction],
];

/** Each fault of docs/guarantees.md, judged for a deployment of one or more masters: what may happen with one
 * of them may happen. */
export function faultsOf(masters: readonly Deployment[]): readonly FaultGuarantee[] {
  return ROWS.map(([fault, verdict]) => {
    const verdicts =
      typeof verdict === 'function' ? masters.map((master) => verdict(master)) : [verdict];
    return { fault, ...worst(verdicts) };
  });
}

function worst(verdicts: readonly Verdict[]): Verdict {
  const of = (wanted: Verdict['twoOwners']): Verdict | undefined =>
    verdicts.find(({ twoOwners }) => twoOwners === wanted);
  return of('may') ?? of('unknown') ?? of('never') ?? unknown('No master is known.');
}

function restart({ persistence }: Deployment): Verdict {
  switch (persistence) {
    case 'always':
      return never('Each write is on disk before it is answered (appendfsync always).');
    case 'everysec':
      return may(`The writes of the last second may be lost (appendfsync everysec). ${LATE}`);
    case 'snapshot':
      return may(`What was written since the last snapshot may be lost. ${LATE}`);
    case 'none':
      return may(`All is lost: nothing is written to disk. ${LATE}`);
    default:
      return unknown('The server hides how it writes to disk (INFO, CONFIG GET save appendfsync).');
  }
}

function failover({ topology, replicas }: Deployment): Verdict {
  if (replicas === null) {
    return unknown('The server hides whether it has replicas (INFO).');
  }
  if (replicas === 0 && topology === 'single') {
    return never('The server has no replica that could take over.');
  }
  return may(`Redis replicates asynchronously: the new master may not know of the lock. ${LATE}`);
}

function slotMoves({ topology }: Deployment): Verdict {
  return topology === 'cluster'
    ? never('A key moves as a whole, and its calls follow it.')
    : never('There are no slots that could move.');
}

function eviction({ memory }: Deployment): Verdict {
  switch (evicts(memory)) {
    case false:
      return never('The server evicts nothing.');
    case true:
      return may(`The server evicts keys at ${memory.maxmemory} bytes (${memory.policy}). ${LATE}`);
    default:
      return unknown('The server hides whether it evicts keys (INFO).');
  }
}
