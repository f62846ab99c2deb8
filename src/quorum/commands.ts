// The commands of a claim: the same for each of its servers.

import type { Router } from '../core/connection/router.js';
import { releaseOf as releaseLock } from '../core/locks/line.js';
import { givenUp } from '../core/locks/release-terms.js';
import { tombstoneKey } from '../core/locks/tombstones.js';
import type { ReleaseResult } from '../core/grant/release.js';
import { commandOf, type Command, type CommandScript } from '../core/wire/call.js';
import {
  lockAcquire,
  lockAcquireFenced,
  quorumRaiseTokens,
} from '../core/wire/scripts.generated.js';
import { askOf, releaseOf, type AskAnswer, type PartResult } from '../multi-lock/commands.js';
import type { QuorumName } from './names.js';

/** Quorum clients race for locks: they leave none to those in no line. */
const YIELDS = false;

type Answers = Pick<Router, 'publish' | 'channels'>;

function held(token: bigint | undefined): AskAnswer {
  return { is: 'held', upTo: 1, busyAt: -1, tokens: [token], entered: undefined };
}

const HELD = held(undefined);
const BUSY: AskAnswer = { is: 'held', upTo: 0, busyAt: 0, tokens: [], entered: undefined };

const askOne: CommandScript<AskAnswer> = {
  ...lockAcquire,
  decode: (reply) => (lockAcquire.decode(reply) === null ? HELD : BUSY),
};

const askOneFenced: CommandScript<AskAnswer> = {
  ...lockAcquireFenced,
  decode(reply) {
    const answer = lockAcquireFenced.decode(reply);
    return answer.startsWith('+') ? held(BigInt(answer.slice(1))) : BUSY;
  },
};

/** Requests all names of a server or none. A second request changes nothing but the counters of tokens. One name takes
 * the script of a single lock, which costs less. */
export function askFor(
  router: Answers,
  names: readonly QuorumName[],
  holder: string,
  leaseMs: number,
): Command<AskAnswer> {
  const [only, ...others] = names;
  if (only === undefined || others.length > 0) {
    const locks = names.map(({ keys }) => ({ keys, heldBy: undefined, ticket: 'none' as const }));
    const terms = { holder, leaseMs, partMs: leaseMs, isExact: false, all: true };
    return askOf(router, locks, terms);
  }
  const { key: lock, keys } = only;
  const tombstone = tombstoneKey(lock, holder);
  const [token] = keys.token;
  const args = { holder, count: 1, leaseMs };
  return token === undefined
    ? { script: askOne, operands: lockAcquire.operands({ lock, tombstone }, args) }
    : {
        script: askOneFenced,
        operands: lockAcquireFenced.operands({ lock, tombstone, token }, args),
      };
}

/** Releases all names on a server. */
export function releaseFor(
  router: Answers,
  names: readonly QuorumName[],
  holderId: string,
  mayRunLate: boolean,
): Command<readonly PartResult[]> {
  const terms = givenUp(mayRunLate);
  const [only, ...others] = names;
  if (only === undefined || others.length > 0) {
    const parts = names.map(({ keys }) => ({ keys, holderId, terms }));
    return releaseOf(router, parts, YIELDS);
  }
  const { script, operands } = releaseLock(router, only.keys, holderId, terms, YIELDS);
  return { script: oneOf(script), operands };
}

let ofOne: CommandScript<readonly PartResult[]> | undefined;

/** The script of a release, with its result as that of one of several. */
function oneOf(script: CommandScript<ReleaseResult>): CommandScript<readonly PartResult[]> {
  ofOne ??= {
    ...script,
    decode: (reply) => {
      const result = script.decode(reply);
      return 'is' in result ? [result] : result;
    },
  };
  return ofOne;
}

/** Raises the counters of its fenced locks to these tokens, where the claim still holds them; 1 when it does. */
export function raiseFor(
  names: readonly QuorumName[],
  holder: string,
  tokens: readonly bigint[],
): Command<number> {
  const locks = names.flatMap(({ keys: { lock, token } }) => [lock, ...token]);
  return commandOf(quorumRaiseTokens, { locks }, { holder, tokens: tokens.map(String) });
}
