// Whether the two servers answered alike. Some replies have no one form: an order that Redis leaves
// open, a random choice, a time.

import type { Keyspace } from '../../../src/testing/keyspace/keyspace.js';
import { type Reply, ReplyError, Status } from '../../../src/testing/keyspace/reply.js';

export interface Answers {
  readonly argv: readonly string[];
  readonly real: Reply;
  readonly virtual: Reply;
}

/** For JSON: a status is a string, since the driver does not tell the two apart. */
export function plain(reply: Reply): unknown {
  if (reply instanceof Status) {
    return reply.text;
  }
  if (reply instanceof ReplyError) {
    return { error: reply.message };
  }
  return Array.isArray(reply) ? reply.map(plain) : reply;
}

function textOf(reply: Reply): string {
  return JSON.stringify(plain(reply));
}

function isAlike(real: Reply, virtual: Reply): boolean {
  return textOf(real) === textOf(virtual);
}

/** Pairs, or single texts, in alphabetical order. */
function sorted(reply: Reply, size: 1 | 2): string[] {
  const parts = Array.isArray(reply) ? reply : [reply];
  const groups = parts
    .filter((_, i) => i % size === 0)
    .map((part, i) => [part, size === 2 ? (parts[2 * i + 1] ?? null) : null]);
  return groups.map((group) => textOf(group)).toSorted();
}

function areSame(one: readonly string[], other: readonly string[]): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

/** Parts of a hash: fields, with their values or not. */
function arePartsOf(reply: Reply, contents: Reply, size: 1 | 2): boolean {
  const all = new Set(sorted(contents, 2));
  const fields = new Set(
    [...all].map((pair) => textOf([(JSON.parse(pair) as string[])[0] ?? '', null])),
  );
  return sorted(reply, size).every((part) => (size === 2 ? all : fields).has(part));
}

function isAlikeRandom({ argv, real, virtual }: Answers, contents: Reply): boolean {
  if (!Array.isArray(real) || !Array.isArray(virtual)) {
    const isField = typeof real === 'string' && typeof virtual === 'string';
    return isField
      ? arePartsOf([real], contents, 1) && arePartsOf([virtual], contents, 1)
      : isAlike(real, virtual);
  }
  const size = argv.length > 3 ? 2 : 1;
  const isDistinct = (reply: Reply): boolean =>
    Number(argv[2]) < 0 || new Set(sorted(reply, size)).size === sorted(reply, size).length;
  return (
    real.length === virtual.length &&
    arePartsOf(real, contents, size) &&
    arePartsOf(virtual, contents, size) &&
    isDistinct(real) &&
    isDistinct(virtual)
  );
}

function isAlikeScan({ argv, real, virtual }: Answers, contents: Reply): boolean {
  if (!Array.isArray(real) || !Array.isArray(virtual)) {
    return isAlike(real, virtual);
  }
  const [realPage = null, page = null] = [real[1], virtual[1]];
  // With less than all of a table on a page, there is no telling what is on it.
  return argv.includes('250') && argv[2] === '0'
    ? real[0] === virtual[0] && areSame(sorted(realPage, 2), sorted(page, 2))
    : arePartsOf(realPage, contents, 2) && arePartsOf(page, contents, 2);
}

/** Whether two replies say the same. `slackMs`: by so much the times in them may differ. */
export function agree(answers: Answers, keyspace: Keyspace, slackMs: number): boolean {
  const { argv, real, virtual } = answers;
  const [name = '', key = ''] = argv;
  const isTable = keyspace.typeOf(key) === 'hash' && keyspace.hash(key)?.isTable === true;
  const contents = (): Reply =>
    keyspace.typeOf(key) === 'hash' ? (keyspace.hash(key)?.entries().flat() ?? []) : [];
  switch (name.toLowerCase()) {
    case 'keys':
      return areSame(sorted(real, 1), sorted(virtual, 1));
    case 'pttl':
    case 'pexpiretime':
      return typeof real === 'number' && typeof virtual === 'number' && real >= 0 && virtual >= 0
        ? isAlike(real, virtual) || Math.abs(real - virtual) <= slackMs
        : isAlike(real, virtual);
    case 'hgetall':
      return isTable ? areSame(sorted(real, 2), sorted(virtual, 2)) : isAlike(real, virtual);
    case 'hscan':
      return isTable ? isAlikeScan(answers, contents()) : isAlike(real, virtual);
    case 'hrandfield':
      return isAlikeRandom(answers, contents());
    default:
      return isAlike(real, virtual);
  }
}

/** Whether two replies of sorted sets say the same, if numbers may be printed in two ways. */
export function agreeInNumbers({ argv, real, virtual }: Answers): boolean {
  return /^z/i.test(argv[0] ?? '') && withNumbers(real) === withNumbers(virtual);
}

function withNumbers(reply: Reply): string {
  return JSON.stringify(plain(reply), (_, part: unknown) =>
    typeof part === 'string' && /^-?\d[\d.e+-]*$/.test(part) ? Number(part) : part,
  );
}

export function describeMismatch(
  seed: number,
  step: number,
  { argv, real, virtual }: Answers,
): string {
  return [
    `the servers differ: seed ${seed}, step ${step}`,
    `  command ${JSON.stringify(argv)}`,
    `  real    ${textOf(real)}`,
    `  virtual ${textOf(virtual)}`,
  ].join('\n');
}
