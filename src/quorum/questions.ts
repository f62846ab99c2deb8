import { least } from '../core/base/least.js';
import type { ClientServices } from '../core/client-services.js';
import { LockQuestions } from '../core/locks/lock-questions.js';
import { outcomeUnknown } from '../core/delivery/translate.js';
import type { Holder } from '../core/observe/events.js';
import type { Ending } from '../core/waiting/wait-limit.js';
import type { PendingCall } from '../core/wire/call.js';
import { asError } from '../core/wire/replies.js';
import { FencedLockProtocol, HashLockProtocol } from '../lock/protocol.js';
import type { Member } from './member.js';
import type { Members } from './members.js';
import type { QuorumName } from './names.js';
import { Steps } from './steps.js';
import { Survey, type IsSettled } from './survey.js';

/** Each server may take the time of a command, and the answers are counted then. */
const LIMIT_OF_ALL = 1.02;

/** Questions about locks of a quorum: each asks all servers that vote, and a majority answers. */
export class Questions {
  readonly #client: ClientServices;
  readonly #members: Members;
  readonly #serverTimeoutMs: number;

  constructor(client: ClientServices, members: Members, serverTimeoutMs: number) {
    this.#client = client;
    this.#members = members;
    this.#serverTimeoutMs = serverTimeoutMs;
  }

  /** An acquisition would wait: too few servers have all names free. */
  async isLocked(resource: string, names: readonly QuorumName[]): Promise<boolean> {
    const { majority } = this.#members;
    const answers = await this.#ask(
      resource,
      async (member) => {
        const locked = await Promise.all(names.map((name) => questionsOf(member, name).isLocked()));
        return locked.includes(true);
      },
      (known, missing) => countFree(known) >= majority || countFree(known) + missing < majority,
    );
    return countFree(answers) < majority;
  }

  /** Who holds a majority of each name. What a minority has is left from an attempt that has failed. */
  async holders(resource: string, names: readonly QuorumName[]): Promise<Holder[]> {
    const holders = await Promise.all(names.map((name) => this.#holdersOf(resource, name)));
    return holders.flat();
  }

  async #holdersOf(resource: string, name: QuorumName): Promise<Holder[]> {
    const { majority } = this.#members;
    const answers = await this.#ask(
      resource,
      async (member) => await questionsOf(member, name).holders(),
      (known, missing) =>
        [...byHolder(known).values()].every(
          ({ length }) => length >= majority || length + missing < majority,
        ),
    );
    return [...byHolder(answers).values()].flatMap((held) => {
      const [first] = held;
      if (first === undefined || held.length < majority) {
        return [];
      }
      const remaining = held.map(({ remainingMs }) => remainingMs).toSorted((a, b) => b - a);
      const remainingMs = remaining[majority - 1] ?? 0;
      return [
        {
          holderId: first.holderId,
          depth: first.depth,
          remainingMs,
        },
      ];
    });
  }

  /** The shortest lease of a name that is held; null when all are free. */
  async remainingLeaseMs(resource: string, names: readonly QuorumName[]): Promise<number | null> {
    const holders = await this.holders(resource, names);
    return holders.length === 0 ? null : least(holders.map(({ remainingMs }) => remainingMs));
  }

  /** Frees all names on all servers; true if a majority held one of them. A server that did not answer counts as one
   * that did: who held it there has lost the majority. */
  async forceRelease(resource: string, names: readonly QuorumName[]): Promise<boolean> {
    const { all, majority } = this.#members;
    const { clock } = this.#client;
    const startedAt = clock.now();
    const survey = new Survey(
      this.#members,
      clock,
      // A server that is connected late is not to free a name after the end of this call.
      async ({ services }) =>
        await Promise.all(
          names.map((name) =>
            services.delivery.since(startedAt, () => forceRelease(services, resource, name)),
          ),
        ),
      {
        // A server whose answer is not waited for could free what is acquired after this call.
        isCommand: true,
        isSettled: (known, missing, failed) => {
          const isHeld = (more: number): boolean =>
            names.some((_, i) => countFreed(known, i) + failed + more >= majority);
          return isHeld(0) || !isHeld(missing);
        },
      },
    );
    let answers;
    try {
      answers = await this.#answersOf(resource, survey);
    } catch (error) {
      throw survey.mayHaveRun ? outcomeUnknown(resource, asError(error)) : error;
    }
    const silent = all.length - answers.length;
    return names.some((_, i) => countFreed(answers, i) + silent >= majority);
  }

  async #ask<T>(
    resource: string,
    ask: (member: Member) => Promise<T>,
    isSettled: IsSettled<T>,
  ): Promise<T[]> {
    const survey = new Survey(this.#members, this.#client.clock, ask, { isSettled });
    return await this.#answersOf(resource, survey);
  }

  async #answersOf<T>(resource: string, survey: Survey<T>): Promise<T[]> {
    const client = this.#client;
    client.assertOpen(resource);
    const { commandTimeoutMs } = client.settings;
    const limitMs = Math.ceil(commandTimeoutMs * LIMIT_OF_ALL);
    const limits = { missingMs: this.#serverTimeoutMs, totalMs: commandTimeoutMs };
    const waitLimit = client.waitLimit({ limitMs });
    const errorOf = (ending: Ending): unknown =>
      client.errorOf(ending, resource, () =>
        this.#members.noMajority(resource, client.clock.now() - waitLimit.startedAt, survey.errors),
      );
    try {
      return await new Steps(client.clock, waitLimit, errorOf).run<T[]>((resolve, reject) =>
        survey.start(limits, resolve, () => reject(errorOf({ why: 'timeout' }))),
      );
    } finally {
      survey.end();
      waitLimit.dispose();
    }
  }
}

/** How many servers have all names free. */
function countFree(locked: readonly boolean[]): number {
  return locked.filter((isLocked) => !isLocked).length;
}

/** How many servers held this name before. */
function countFreed(answers: readonly boolean[][], i: number): number {
  return answers.filter((freed) => freed[i] === true).length;
}

/** What each server reports of each holder. */
function byHolder(answers: readonly Holder[][]): Map<string, Holder[]> {
  const found = new Map<string, Holder[]>();
  for (const holder of answers.flat()) {
    found.set(holder.holderId, [...(found.get(holder.holderId) ?? []), holder]);
  }
  return found;
}

function protocolOf(
  services: Member['services'],
  { resource, key, keys }: QuorumName,
): HashLockProtocol {
  return keys.token.length === 0
    ? new HashLockProtocol(services, 'lock', resource, key)
    : new FencedLockProtocol(services, 'fenced-lock', resource, key);
}

function questionsOf({ services }: Member, name: QuorumName): LockQuestions {
  return new LockQuestions(services.delivery, protocolOf(services, name));
}

async function forceRelease(
  services: Member['services'],
  resource: string,
  name: QuorumName,
): Promise<boolean> {
  const protocol = protocolOf(services, name);
  const told = (freed: number | undefined, { order }: PendingCall): void => {
    // What this client has acquired there before is lost.
    const own = freed === 1 ? services.watchdog.leasesOf('quorum-lock', name.key) : [];
    for (const lease of own.filter((each) => each.order < order)) {
      lease.lose('deleted');
    }
  };
  const { count, call } = await services.delivery.countOnce(
    resource,
    name.key,
    (request) => protocol.forceRelease(request),
    told,
  );
  told(count, call);
  // What it has acquired meanwhile may be lost, too: the server notifies others.
  services.watchdog.look(name.key, () => {});
  return count === 1;
}
