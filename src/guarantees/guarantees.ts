import { least } from '../core/base/least.js';
import { whenSettled } from '../core/base/async-context.js';
import { failing } from '../core/base/failing.js';
import { isReplyError } from '../core/connection/driver.js';
import { longestPauseMs, RepeatPause } from '../core/connection/repeat-pause.js';
import type { Query } from '../core/connection/router.js';
import { evicts } from '../core/connection/server-check.js';
import { timedOut } from '../core/delivery/translate.js';
import type { EndpointServices } from '../core/endpoint-services.js';
import { ownChannels } from '../core/waiting/own-channel.js';
import { asError } from '../core/wire/replies.js';
import { faultsOf, type FaultGuarantee } from './faults.js';
import { faultsOfQuorum } from './quorum-faults.js';
import { factsOf, type Persistence, type ServerFacts } from './server-facts.js';

/** What errors name, where others name an object. */
const RESOURCE = 'guarantees';

/**
 * What a deployment gives, as its servers report it.
 *
 * @example
 * ```ts
 * const { faults } = await client.guarantees();
 * for (const { fault, twoOwners, text } of faults) {
 *   if (twoOwners !== 'never') console.warn(`${fault}: ${text}`);
 * }
 * ```
 */
export interface Guarantees {
  /** How the servers work together. */
  readonly topology: 'single' | 'sentinel' | 'cluster' | 'quorum';
  /** `redis`, `valkey` or the name that the server gives itself; `unknown` where it hides it. */
  readonly product: string;
  /** Its version; `unknown` where it hides it. In a cluster that of the first master. */
  readonly version: string;
  /** Connected replicas, of the master that has the fewest; null where one hides that. */
  readonly replicas: number | null;
  /** What survives a restart, of the master that keeps the least; null where one hides that. */
  readonly persistence: Persistence | null;
  /** What the server does at `maxmemory`, in a cluster one that evicts keys first; null: it hides that. */
  readonly maxmemoryPolicy: string | null;
  /** Whether this client hears its own channel, and sees that somebody listens to it. Where it does not,
   * it asks every 250 ms while it waits for a lock. */
  readonly seesClients: boolean;
  /** Each fault of docs/guarantees.md. */
  readonly faults: readonly FaultGuarantee[];
}

const PERSISTENCE: readonly Persistence[] = ['none', 'snapshot', 'everysec', 'always'];

/** Reports what a deployment gives.
 * @throws CommandTimeoutError where a master cannot be reached within `commandTimeoutMs`. */
export async function guaranteesOf(services: EndpointServices): Promise<Guarantees> {
  const { client, ownChannel, router } = services;
  const { topology } = router;
  const channel = ownChannels(client.id).holds;
  const servers = await askMasters(services, async (query) => await factsOf(query, channel));
  const [first] = servers;
  const evicting = servers.find(({ memory }) => evicts(memory) === true) ?? first;
  return {
    topology,
    product: first?.product ?? 'unknown',
    version: first?.version ?? 'unknown',
    replicas: leastKnown(servers.map(({ replicas }) => replicas)),
    persistence: leastPersistence(servers),
    maxmemoryPolicy: evicting?.memory.policy ?? null,
    seesClients: ownChannel.isListening && seesListener(servers, router.publish === 'SPUBLISH'),
    faults: faultsOf(servers.map((server) => ({ topology, ...server }))),
  };
}

/** Reports what independent servers give together, of which a majority decides.
 * @throws CommandTimeoutError where one cannot be reached within `commandTimeoutMs`. */
export async function guaranteesOfQuorum(
  members: readonly EndpointServices[],
): Promise<Guarantees> {
  const each = await Promise.all(
    members.map(async (services) => {
      const channel = ownChannels(services.client.id).holds;
      return await askMasters(services, async (query) => await factsOf(query, channel));
    }),
  );
  const servers = each.flat();
  const evicting = servers.find(({ memory }) => evicts(memory) === true) ?? servers[0];
  return {
    topology: 'quorum',
    product: joined(servers.map(({ product }) => product)),
    version: joined(servers.map(({ version }) => version)),
    replicas: leastKnown(servers.map(({ replicas }) => replicas)),
    persistence: leastPersistence(servers),
    maxmemoryPolicy: evicting?.memory.policy ?? null,
    seesClients:
      members.every(({ ownChannel }) => ownChannel.isListening) &&
      servers.every((server) => seesListener([server], false)),
    faults: faultsOfQuorum(servers),
  };
}

/** Joins the values that servers report, each once. */
function joined(values: readonly (string | undefined)[]): string {
  return [...new Set(values.map((value) => value ?? 'unknown'))].join(', ');
}

/** All servers report who listens, and one of them that somebody does. */
function seesListener(servers: readonly ServerFacts[], isSharded: boolean): boolean {
  return (
    servers.every(({ listeners }) => listeners !== null) &&
    servers.some(({ listeners }) => listeners !== null && listeners > 0) &&
    (!isSharded || servers.every(({ countsSharded }) => countsSharded))
  );
}

/** Asks each master, as soon as all are connected, and it is known whether this client hears its channel. */
async function askMasters<T>(
  { client, clock, ownChannel, router }: EndpointServices,
  ask: (query: Query) => Promise<T>,
): Promise<T[]> {
  client.assertOpen(RESOURCE);
  ownChannel.listen();
  const { leaseMs, commandTimeoutMs: limitMs } = client.settings;
  // Where a subscription is neither confirmed nor refused, there is still time to ask the masters.
  const heardBy = clock.now() + limitMs / 2;
  const waitLimit = client.waitLimit({ limitMs });
  let isOver = false;
  let trouble: Error | undefined;
  let pause: RepeatPause | undefined;
  try {
    return await new Promise<T[]>((resolve) => {
      waitLimit.onEnd = (ending) => {
        const timeout = (): Error => {
          const refusal = isReplyError(trouble) ? trouble : undefined;
          const whyDown = trouble ?? router.whyDown('');
          return timedOut(RESOURCE, { sent: false, waitedMs: limitMs, refusal, whyDown });
        };
        resolve(failing(client.errorOf(ending, RESOURCE, timeout)));
      };
      const retry = (): void => {
        // The answer to a question may come when nobody waits for it any more.
        if (!isOver) {
          pause?.begin();
        }
      };
      const attempt = (): void => {
        const masters = router.masters();
        const isHeard = ownChannel.isListening || ownChannel.isRefused || clock.now() > heardBy;
        if (masters.length === 0 || !isHeard) {
          retry();
          return;
        }
        whenSettled(Promise.all(masters.map(ask)), resolve, (error) => {
          trouble = asError(error);
          retry();
        });
      };
      pause = new RepeatPause(client, longestPauseMs(leaseMs, limitMs), attempt);
      attempt();
    });
  } finally {
    isOver = true;
    pause?.cancel();
    waitLimit.dispose();
  }
}

/** The least of some numbers; null where one is not known. */
function leastKnown(numbers: readonly (number | null)[]): number | null {
  const known = numbers.filter((number) => number !== null);
  return known.length < numbers.length ? null : least(known);
}

function leastPersistence(servers: readonly ServerFacts[]): Persistence | null {
  const levels = servers.map(({ persistence }) =>
    persistence === null ? null : PERSISTENCE.indexOf(persistence),
  );
  const level = leastKnown(levels);
  return level === null ? null : (PERSISTENCE[level] ?? null);
}
