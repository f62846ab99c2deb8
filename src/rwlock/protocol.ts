import { commandOf, type Command, type CommandScript } from '../core/wire/call.js';
import { elements, integer } from '../core/wire/replies.js';
import { ObjectProtocol } from '../core/object-protocol.js';
import { FIRST_PAGE, type HolderPage, type LeasePage } from '../core/locks/lock-protocol.js';
import { allTombstones } from '../core/locks/tombstones.js';
import { readWriteKeys, writeReleaseOf, type ReadWriteKeys } from '../core/locks/write-line.js';
import type { ReleaseResult } from '../core/grant/release.js';
import { hasLine } from '../core/locks/line.js';
import type { EndpointServices } from '../core/endpoint-services.js';
import {
  rwlockForceRelease,
  rwlockHoldCount,
  rwlockInspect,
  rwlockLease,
} from '../core/wire/scripts.generated.js';

function pageOf(reply: unknown): HolderPage {
  const [cursor, ...parts] = elements(rwlockInspect.decode(reply));
  const holders = [];
  for (let i = 0; i < parts.length; i += 3) {
    const leftMs = integer(parts[i + 2]);
    holders.push({
      holderId: String(parts[i]),
      depth: integer(parts[i + 1]),
      remainingMs: leftMs < 0 ? Number.POSITIVE_INFINITY : leftMs,
    });
  }
  return { cursor: String(cursor), holders };
}

const lease: CommandScript<LeasePage> = {
  ...rwlockLease,
  decode(reply) {
    const [cursor = '', leaseMs] = rwlockLease.decode(reply).split(' ');
    return { cursor, leaseMs: integer(leaseMs) };
  },
};

const WRITE = ':write';

/** Redisson counts a reader as alive while any of its hold keys exists. Only this many are made for
 * a reader, so that a command stays small however many branches of one holder read. */
const HOLD_KEYS_MAX = 100;

/** Redisson's keys of the holds `first` to `last` of a reader. */
export function holdKeys(stem: string, holder: string, first: number, last: number): string[] {
  const keys = [];
  for (let count = first; count <= Math.min(last, HOLD_KEYS_MAX); count += 1) {
    keys.push(holdKey(stem, holder, count));
  }
  return keys;
}

/** The key of a reader's hold number `count`. */
export function holdKey(stem: string, holder: string, count: number): string {
  return `${stem}${holder}:rwlock_timeout:${Math.min(count, HOLD_KEYS_MAX)}`;
}

/** The common part of both sides of a read-write lock. */
export abstract class SideProtocol extends ObjectProtocol<EndpointServices> {
  readonly family = 'read-write-lock';
  /** The prefix of hold keys, for scripts that have to find those of other clients. */
  protected readonly stem: string;
  protected readonly keys: ReadWriteKeys;

  // Hold keys are no side keys: they contain a reader's id, which no other object's key contains.
  constructor(services: EndpointServices, name: string, key: string) {
    const keys = readWriteKeys(key);
    super(services, name, key, keys.channel);
    this.stem = keys.stem;
    this.keys = keys;
  }

  /** Says which holders in the hash belong to this side. */
  protected abstract readonly mode: 'read' | 'write';

  forceRelease({ number, lowWater }: { number: number; lowWater: number }): Command<string> {
    const { key, requestsKey, mode, stem } = this;
    const keys = { ...this.keys, requests: requestsKey };
    const args = { number, lowWater, mode, ...this.notice, stem, ...allTombstones(key) };
    return commandOf(rwlockForceRelease, keys, args);
  }

  lease(cursor: string, enoughMs: number): Command<LeasePage> {
    const { mode: side, stem } = this;
    const operands = rwlockLease.operands(this.#asked, { side, cursor, enoughMs, stem });
    return { script: lease, operands };
  }

  holdCount(holderId: string): Command<number> {
    const { stem } = this;
    const holder = this.mode === 'write' ? holderId + WRITE : holderId;
    return commandOf(rwlockHoldCount, this.#asked, { holder, stem });
  }

  holders(cursor: string): Command<HolderPage> {
    return this.#holders(cursor, this.mode);
  }

  obstacles(): Command<HolderPage> {
    return this.#holders(FIRST_PAGE, 'read', 'write');
  }

  #holders(cursor: string, ...modes: readonly ('read' | 'write')[]): Command<HolderPage> {
    const operands = rwlockInspect.operands(this.#asked, { cursor, stem: this.stem });
    const script: CommandScript<HolderPage> = {
      ...rwlockInspect,
      decode: (reply) => sideOf(pageOf(reply), modes),
    };
    return { script, operands };
  }

  serveLine(): Command<ReleaseResult> {
    // A release by nobody serves the line of a lock that is free.
    const terms = { count: 0, tombstoneMs: 0, upTo: 1 };
    const { client, router } = this.services;
    return writeReleaseOf(router, this.keys, `${client.id}:0`, terms, hasLine(this.services));
  }

  get #asked(): { lock: string; readers: string } {
    return { lock: this.key, readers: this.keys.readers };
  }
}

function sideOf(
  { cursor, holders: all }: HolderPage,
  modes: readonly ('read' | 'write')[],
): HolderPage {
  const holders = all.flatMap((holder) => {
    const isWriter = holder.holderId.endsWith(WRITE);
    const holderId = isWriter ? holder.holderId.slice(0, -WRITE.length) : holder.holderId;
    return modes.includes(isWriter ? 'write' : 'read') ? [{ ...holder, holderId }] : [];
  });
  return { cursor, holders };
}
