// The rows of docs/guarantees.md, judged for locks that a majority of independent servers holds.

import { faultsOf, type Deployment, type FaultGuarantee } from './faults.js';

type Verdict = Omit<FaultGuarantee, 'fault'>;

const never = (text: string): Verdict => ({ twoOwners: 'never', text });
const may = (text: string): Verdict => ({ twoOwners: 'may', text });

const LATE =
  'The old owner sees the loss with its next renewal; a fencing token keeps its writes out.';

/** The rows that a majority changes. */
const ROWS: Readonly<Record<string, (servers: readonly QuorumServer[]) => Verdict>> = {
  'restart, data kept': () =>
    never('A server that was restarted does not vote until the longest lease has ended.'),
  'restart, writes lost': () =>
    never(
      'A server that was restarted does not vote until the longest lease has ended, whatever it has kept.',
    ),
  FLUSHALL: () =>
    may(`One server that is flushed gives no majority; several that are may. ${LATE}`),
  'failover, writes lost': (servers) =>
    servers.some(({ replicas }) => replicas === null || replicas > 0)
      ? may(
          `A replica that takes the place of a server may not know of the lock: servers should have none. ${LATE}`,
        )
      : never('No server has a replica that could take over.'),
  'server clock forward': () => may(`On a majority of the servers it ends leases early. ${LATE}`),
  'slot moves in a cluster': () => never('There are no slots that could move.'),
  'ended by another client': () =>
    may(
      'A forced release is for a majority: the old owner is told, or sees it with its next renewal.',
    ),
};

/** One server, as it reports itself. */
type QuorumServer = Omit<Deployment, 'topology'>;

/** Each fault of docs/guarantees.md. */
export function faultsOfQuorum(servers: readonly QuorumServer[]): readonly FaultGuarantee[] {
  const alone = faultsOf(servers.map((server) => ({ topology: 'single', ...server })));
  return alone.map(({ fault, ...verdict }) => ({ fault, ...(ROWS[fault]?.(servers) ?? verdict) }));
}
