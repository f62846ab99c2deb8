import { REPLY_ERROR } from '../core/base/redactor.js';
import { translate } from '../core/delivery/translate.js';
import type { EndpointServices } from '../core/endpoint-services.js';
import { Release } from '../core/grant/release.js';
import type { LockHold } from '../core/locks/hold.js';
import { hasLine } from '../core/locks/line.js';
import { givenUp } from '../core/locks/release-terms.js';
import type { Command, PendingCall } from '../core/wire/call.js';
import { asError } from '../core/wire/replies.js';
import { namingKey } from '../core/wire/foreign-key.js';
import { refusalOf, releaseOf, type PartRelease, type PartResult } from './commands.js';
import type { PartGrants, PartHold, PartReleases } from './part.js';

/** A part whose release is under way. */
interface Entry extends PartRelease {
  readonly grants: PartGrants;
  readonly release: Release<LockHold>;
}

/** The parts that one call releases. */
interface Group {
  readonly entries: Entry[];
  readonly sent: Promise<unknown>;
  readonly resolve: (sent: Promise<unknown>) => void;
}

/** The release of several parts: one call for all whose locks can share one. */
class JointRelease implements PartReleases {
  readonly #services: EndpointServices;
  readonly #resource: string;
  readonly #groups = new Map<string, Group>();

  constructor(services: EndpointServices, resource: string) {
    this.#services = services;
    this.#resource = resource;
  }

  /** Adds a part; resolves when it was released by the call that `send` sends. */
  add(grants: PartGrants, part: PartHold): Promise<void> {
    const { lineKeys: keys, key } = grants.protocol;
    const name = this.#services.router.groupOf(key);
    const group = this.#groups.get(name) ?? newGroup();
    this.#groups.set(name, group);
    const terms = grants.releasingPart(part);
    const release = new Release<LockHold>(grants, part);
    group.entries.push({ grants, keys, holderId: part.holderId, terms, release });
    return grants.settlePart(release, part, group.sent);
  }

  send(): void {
    for (const { entries, resolve } of this.#groups.values()) {
      resolve(this.#send(entries));
      entries.forEach(({ grants }) => grants.sentRelease());
    }
  }

  /** Resolves when all are answered. */
  async #send(entries: readonly Entry[]): Promise<void> {
    const { client, clock, delivery } = this.#services;
    const endsAt = clock.now() + client.settings.commandTimeoutMs;
    const rest: { sent?: Promise<void> } = {};
    const each = (act: (release: Release<LockHold>) => void): void => {
      for (const { release } of entries) {
        act(release);
      }
    };
    await delivery.send(this.#resource, commandFor(this.#services, entries), 'release', {
      started: (call) => each((release) => release.started(call)),
      answered: (results, call) => {
        const refused = entries.filter((entry, i) => !isDone(entry, results[i], call));
        if (refused.length > 0) {
          const leftMs = Math.max(0, endsAt - clock.now());
          rest.sent = delivery.late(leftMs, () => this.#send(refused));
          // Nobody waits for it where the caller has given up.
          rest.sent.catch(ignore);
        }
      },
      failed: (error) => each((release) => release.failed(error)),
    });
    await rest.sent;
  }
}

/** Judges the answer for one lock. False where its release was refused for now. */
function isDone(
  { release, ...part }: Entry,
  result: PartResult | undefined,
  call: PendingCall,
): boolean {
  if (refusalOf(result) !== undefined) {
    return false;
  }
  if (result?.is === 'refused') {
    release.failed(errorOf(part, result.message));
  } else {
    release.answered(result ?? { is: 'deleted' }, call);
  }
  return true;
}

const ignore = (): void => {};

function newGroup(): Group {
  let resolve: Group['resolve'] = ignore;
  const sent = new Promise<unknown>((settle) => {
    resolve = settle;
  });
  return { entries: [], sent, resolve };
}

/** Releases holds that end together. Resolves with the errors of those whose release was not carried out. */
export async function releaseAll(
  services: EndpointServices,
  resource: string,
  holds: readonly PartHold[],
): Promise<Error[]> {
  const releases = new JointRelease(services, resource);
  const releasing = holds.map((hold) => hold.releaseWith(releases));
  releases.send();
  const outcomes = await Promise.allSettled(releasing);
  return outcomes.flatMap((outcome) =>
    outcome.status === 'rejected' ? [asError(outcome.reason)] : [],
  );
}

/** The locks that one call has asked for, under one holder id. */
export interface Asked {
  readonly grants: readonly PartGrants[];
  readonly holderId: string;
  /** A copy of the call may still run. */
  readonly hasUnackedCopy: boolean;
  /** The call, where no other may run. */
  readonly ask: PendingCall | undefined;
}

/** Takes back in the background what a call has taken of these locks, or may take yet. */
export function takeBack(
  services: EndpointServices,
  { grants, holderId, hasUnackedCopy, ask }: Asked,
): void {
  const parts = grants.map((each) => {
    const { lineKeys: keys } = each.protocol;
    return { keys, holderId, terms: givenUp(hasUnackedCopy) };
  });
  const { operands } = commandFor(
    services,
    parts.map((part) => ({ ...part, terms: givenUp(false) })),
  );
  services.delivery.inBackground(commandFor(services, parts), {
    undoes: ask && { ask, operands },
    answered: (results) => {
      const refused = grants.filter((each, i) => {
        const result = results[i] ?? { is: 'deleted' };
        if (result.is !== 'refused') {
          each.answered(result);
        }
        return refusalOf(result) !== undefined;
      });
      if (refused.length > 0) {
        takeBack(services, { grants: refused, holderId, hasUnackedCopy, ask: undefined });
      }
    },
    done: () => grants.forEach((each) => each.wake()),
  });
}

function commandFor(
  services: EndpointServices,
  parts: readonly PartRelease[],
): Command<readonly PartResult[]> {
  return releaseOf(services.router, parts, hasLine(services));
}

/** The error of one lock that the server has named in its answer. */
export function errorOf(
  { grants: { protocol }, holderId }: { grants: PartGrants; holderId: string },
  message: string,
): Error {
  const { lock, tombstones, line, tickets } = protocol.lineKeys;
  const error = new Error(message);
  error.name = REPLY_ERROR;
  // As the operands of a call on that lock alone, whose places the message has.
  const operands = ['', lock, tombstones + holderId, line, tickets];
  return translate(namingKey(error, operands), protocol.resource);
}
