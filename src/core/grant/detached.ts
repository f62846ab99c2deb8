// A grant that was detached, as the string that whoever adopts it is given.

import { checkInteger, INT32_MAX } from '../base/arguments.js';
import { describe } from '../base/key-names.js';
import { checkOptions, type OptionSet } from '../base/options.js';

/** The kinds whose grants can be detached. */
export type DetachableKind =
  | 'lock'
  | 'fair-lock'
  | 'fenced-lock'
  | 'write-lock'
  | 'permit-expirable-semaphore';

const KINDS: readonly DetachableKind[] = [
  'lock',
  'fair-lock',
  'fenced-lock',
  'write-lock',
  'permit-expirable-semaphore',
];

/** A detached grant. */
export interface Detached {
  readonly kind: DetachableKind;
  /** The name as its client knew it, and the key, which has the prefix of that client. */
  readonly name: string;
  readonly key: string;
  /** The holder id or permit id under which the server has it. */
  readonly holderId: string;
  readonly fencingToken: bigint | undefined;
  /** What was left of its `maxHoldMs`; undefined without one. */
  readonly boundMs: number | undefined;
}

/** The version follows: it changes when there is more to know of a grant than an older client looks at. */
const PREFIX = 'redlatch-hold:';
const VERSION = '1';

const IDS = {
  lock: /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}:\d{1,16}$/,
  permit: /^[0-9a-f]{32}$/,
} as const;

export function isDetachable(kind: unknown): kind is DetachableKind {
  return KINDS.some((each) => each === kind);
}

export function detachedString(detached: Detached): string {
  const { kind, name, key, holderId, fencingToken, boundMs } = detached;
  // Members without a value are left out.
  const token = fencingToken === undefined ? undefined : String(fencingToken);
  const json = JSON.stringify({ kind, name, key, id: holderId, token, boundMs });
  return `${PREFIX}${VERSION}:${Buffer.from(json).toString('base64url')}`;
}

/** Reads what `detachedString` has made; throws a TypeError for anything else. The string is a secret: no
 * message shows it. */
export function readDetached(value: unknown): Detached {
  if (typeof value !== 'string') {
    throw new TypeError(`detached must be a string that detach() gave, got ${describe(value)}`);
  }
  const [, version, text = ''] = /^redlatch-hold:(\d+):([\w-]+)$/.exec(value) ?? [];
  if (version !== undefined && version !== VERSION) {
    throw new TypeError(
      `detached must be a string of version ${VERSION}, got one of version ${version}`,
    );
  }
  const detached = checked(parsed(text));
  if (detached === undefined) {
    const got = `a string of ${value.length} characters that it did not give`;
    throw new TypeError(`detached must be a string that detach() gave, got ${got}`);
  }
  return detached;
}

function parsed(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(Buffer.from(text, 'base64url').toString());
    return typeof value === 'object' && value !== null ? { ...value } : {};
  } catch {
    return {};
  }
}

function checked(found: Record<string, unknown>): Detached | undefined {
  const { kind, name, key, id, token, boundMs } = found;
  if (!isDetachable(kind) || typeof name !== 'string' || typeof key !== 'string') {
    return undefined;
  }
  const isId = kind === 'permit-expirable-semaphore' ? IDS.permit : IDS.lock;
  const hasToken = typeof token === 'string' && /^\d{1,19}$/.test(token);
  const isRight = hasToken === (kind === 'fenced-lock') && (hasToken || token === undefined);
  const hasBound = typeof boundMs === 'number' && Number.isInteger(boundMs) && boundMs >= 1;
  if (
    typeof id !== 'string' ||
    !isId.test(id) ||
    !isRight ||
    !(hasBound || boundMs === undefined)
  ) {
    return undefined;
  }
  const fencingToken = hasToken ? BigInt(token) : undefined;
  return { kind, name, key, holderId: id, fencingToken, boundMs };
}

const DETACHING: OptionSet = {
  of: 'detach',
  known: ['leaseMs'],
  elsewhere: { waitMs: 'detach does not wait' },
};

/** Checks the options of `detach`; returns the least lease that the server is to keep. */
export function checkDetaching(options: unknown): number | undefined {
  const { leaseMs } = checkOptions('options', options, DETACHING) as { leaseMs?: unknown };
  return leaseMs === undefined ? undefined : checkInteger('leaseMs', leaseMs, 1, INT32_MAX);
}
