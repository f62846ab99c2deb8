// Ways to make a legal history illegal by one change.

import type { Random } from '../../../src/testing/random.js';
import type { Claim, History, Kind, Operation } from '../history.js';
import { call } from './made-up.js';

export interface Corruption {
  readonly name: string;
  readonly kinds: readonly Kind[];
  /** Of the histories that it changes, the share that must be found. The others are legal in another
   * way: calls overlap, so that an answer may be the one of a little earlier. */
  readonly least: number;
  /** Undefined where the history has no place for it. */
  readonly apply: (history: History, random: Random) => History | undefined;
}

const LOCKS: readonly Kind[] = ['lock', 'fair', 'fenced', 'rwlock'];
const PERMITS: readonly Kind[] = ['semaphore', 'expirable'];

function pick<T>(random: Random, items: readonly T[]): T | undefined {
  return items.length === 0 ? undefined : random.pick(items);
}

function withOperation(history: History, id: number, change: Partial<Operation>): History {
  return {
    ...history,
    operations: history.operations.map((one) => (one.id === id ? { ...one, ...change } : one)),
  };
}

function withClaim(history: History, operation: number, change: Partial<Claim>): History {
  return {
    ...history,
    claims: history.claims.map((one) =>
      one.operation === operation ? { ...one, ...change } : one,
    ),
  };
}

/** A later grant comes while another one holds. */
function moveGrant(history: History, random: Random): History | undefined {
  const { claims } = history;
  const first = pick(
    random,
    claims.filter(({ from, until, mode }) => until - from >= 2 && mode === 'exclusive'),
  );
  const second = pick(
    random,
    claims.filter(
      ({ owner, from }) => first !== undefined && owner !== first.owner && from >= first.until,
    ),
  );
  if (first === undefined || second === undefined) {
    return undefined;
  }
  const from = (first.from + first.until) / 2;
  const calledAt = Math.min(from, operationOf(history, second).calledAt);
  const moved = withOperation(history, second.operation, { calledAt, returnedAt: from });
  return withClaim(moved, second.operation, { from });
}

function operationOf({ operations }: History, { operation }: Claim): Operation {
  return operations.find(({ id }) => id === operation)!;
}

function lowerToken(history: History, random: Random): History | undefined {
  const claims = history.claims.toSorted((a, b) => a.from - b.from);
  const first = claims[0];
  const claim = pick(
    random,
    claims.filter(({ owner }) => owner !== first?.owner),
  );
  if (first?.token === undefined || claim === undefined) {
    return undefined;
  }
  const token = first.token - BigInt(random.int(0, 1));
  const lowered = withOperation(history, claim.operation, { token });
  return withClaim(lowered, claim.operation, { token });
}

/** Somebody is told to hold on, though the others go on as if it were free. */
function loseRelease(history: History, random: Random): History | undefined {
  const last = Math.max(...history.claims.map(({ from }) => from));
  const claim = pick(
    random,
    history.claims.filter(({ until, mode }) => until < last && mode === 'exclusive'),
  );
  if (claim === undefined) {
    return undefined;
  }
  const { owner, until } = claim;
  const operations = history.operations.filter(
    (one) => !(one.action === 'release' && one.owner === owner && one.calledAt === until),
  );
  const open = { end: 'open', until: history.endedAt } as const;
  return withClaim({ ...history, operations }, claim.operation, open);
}

/** A refusal at the end, when all is free. */
function refuseFree(history: History): History | undefined {
  const { object, kind } = history.operations[0]!;
  const at = history.endedAt + 20;
  const refused = call('acquire', [at, at + 5], { object, kind, client: 8, outcome: 'no' });
  const left = leftAtEnd(history);
  return left > 0
    ? { ...history, endedAt: at + 10, operations: [...history.operations, refused] }
    : undefined;
}

function leftAtEnd({ operations }: History): number {
  const { kind } = operations[0]!;
  return PERMITS.includes(kind)
    ? operations.reduce((sum, { action, outcome, amount }) => {
        const counts = outcome === 'ok' && (action === 'set' || action === 'add');
        return counts ? sum + amount : sum;
      }, 0)
    : 1;
}

function answerWrong(history: History, random: Random): History | undefined {
  const look = pick(
    random,
    history.operations.filter(({ action }) => action === 'look'),
  );
  if (look === undefined) {
    return undefined;
  }
  const { answer } = look;
  const wrong = typeof answer === 'number' ? answer + random.pick([-1, 1]) : answer !== true;
  return withOperation(history, look.id, { answer: wrong });
}

/** A wait is let go before its time, or refused though it was open. */
function waitWrong(history: History, random: Random): History | undefined {
  const wait = pick(
    random,
    history.operations.filter(({ action }) => action === 'wait'),
  );
  return wait === undefined
    ? undefined
    : withOperation(history, wait.id, { outcome: wait.outcome === 'ok' ? 'no' : 'ok' });
}

export const CORRUPTIONS: readonly Corruption[] = [
  { name: 'a grant in a foreign hold', kinds: LOCKS, least: 1, apply: moveGrant },
  { name: 'a token lowered', kinds: ['fenced'], least: 1, apply: lowerToken },
  { name: 'a release lost', kinds: LOCKS, least: 0.95, apply: loseRelease },
  { name: 'a refusal while free', kinds: [...LOCKS, ...PERMITS], least: 1, apply: refuseFree },
  { name: 'a question answered wrong', kinds: LOCKS, least: 0.4, apply: answerWrong },
  { name: 'a number off by one', kinds: [...PERMITS, 'latch'], least: 0.75, apply: answerWrong },
  { name: 'a wait that ends wrong', kinds: ['latch'], least: 0.75, apply: waitWrong },
];
