// The answers of the server about a counting semaphore, and how they are read.

import type { CommandScript } from '../core/wire/call.js';
import { integers } from '../core/wire/replies.js';
import type { NumberView } from '../core/permits/statements.js';
import type { PermitAnswer } from '../core/permits/permit-source.js';
import {
  semaphoreAcquire,
  semaphoreAddPermits,
  semaphoreConfigure,
  semaphoreDrainPermits,
  semaphoreInspect,
  semaphoreRelease,
  semaphoreReturn,
} from '../core/wire/scripts.generated.js';

/** The state of a semaphore on the server. */
export interface SemaphoreView extends NumberView {
  readonly available: number;
}

/** The number of permits after a change. */
export interface Availability {
  readonly available: number;
  /** True when the count would not fit into 32 bits: nothing was changed. */
  readonly isRefused: boolean;
  /** There is no semaphore, and the object declares a number: nothing was done. */
  readonly isAbsent?: boolean;
}

/** The answer of a release, for the waiters that it serves and for its caller. */
export interface ReleaseAnswer extends PermitAnswer, Availability {
  /** Nothing was done: only a counted release can tell what is right. */
  readonly mustCount?: boolean;
  /** Nothing was given back: nothing is known of the grant, and a release of it may have run. */
  readonly isUnproven?: boolean;
}

export const inspect: CommandScript<SemaphoreView> = {
  ...semaphoreInspect,
  decode(reply) {
    const [available, exists] = integers(semaphoreInspect.decode(reply), 2);
    return { available, exists: exists === 1, total: -1 };
  },
};

export const configure: CommandScript<SemaphoreView> = {
  ...semaphoreConfigure,
  decode(reply) {
    const [available, exists, total, known] = integers(semaphoreConfigure.decode(reply), 4);
    return { available, exists: exists === 1, total, isKnown: known === 1 };
  },
};

/** Reads an answer of `length` integers, followed by the mark of the grants. */
function marked<N extends number>(answer: string, length: N) {
  const end = answer.lastIndexOf(' ');
  return { numbers: integers(answer.slice(0, end), length), mark: answer.slice(end + 1) };
}

/** Whether a mark is of a semaphore of which nothing is known but how many permits it had left. */
export const isOfUnknown = (mark: string): boolean => mark.startsWith('0:');

/** These stand in place of a mark where there is no semaphore, and where it was deleted. */
const NO_SEMAPHORE = '-';
const DELETED = '--';

/** What a mark says of its semaphore. */
function semaphoreOf(mark: string) {
  const isDeleted = mark === DELETED;
  const exists = mark !== NO_SEMAPHORE && !isDeleted;
  return { exists, isDeleted, unknownLeft: isOfUnknown(mark) ? Number(mark.slice(2)) : undefined };
}

/** In place of the answer of a change where there is no semaphore, though its object declares a number. */
const NONE = 'none';

export const acquire: CommandScript<PermitAnswer> = {
  ...semaphoreAcquire,
  decode(reply) {
    const { numbers, mark } = marked(semaphoreAcquire.decode(reply), 5);
    const [granted, , retryMs, above, total] = numbers;
    return { granted, retryMs, mark, above, total, ...semaphoreOf(mark) };
  },
};

/** The count in an answer `full <count>`; undefined for any other answer. */
function refusedAt(answer: string): number | undefined {
  const prefix = 'full ';
  return answer.startsWith(prefix) ? integers(answer.slice(prefix.length), 1)[0] : undefined;
}

export const release: CommandScript<ReleaseAnswer> = {
  ...semaphoreRelease,
  decode(reply) {
    const answer = semaphoreRelease.decode(reply);
    if (answer === NONE) {
      return { granted: 0, retryMs: -1, available: 0, isRefused: false, isAbsent: true };
    }
    const full = refusedAt(answer);
    if (full !== undefined) {
      return { granted: 0, retryMs: -1, available: full, isRefused: true };
    }
    const { numbers, mark } = marked(answer, 6);
    const [granted, , retryMs, available, above, total] = numbers;
    const isUnproven = above < 0;
    const shown = { mark, above: Math.max(above, 0), total, ...semaphoreOf(mark) };
    return { granted, retryMs, available, isRefused: false, isUnproven, ...shown };
  },
};

export const giveBackGrant: CommandScript<ReleaseAnswer> = {
  ...semaphoreReturn,
  decode(reply) {
    const answer = semaphoreReturn.decode(reply);
    if (answer === '') {
      return { granted: 0, retryMs: -1, available: 0, isRefused: false, mustCount: true };
    }
    const [available, above] = integers(answer, 2);
    return { granted: 0, retryMs: -1, available, above, isRefused: false };
  },
};

/** The answer `none` is -1. */
export const drainPermits: CommandScript<string> = {
  ...semaphoreDrainPermits,
  decode(reply) {
    const answer = semaphoreDrainPermits.decode(reply);
    return answer === NONE ? '-1' : answer;
  },
};

export const addPermits: CommandScript<Availability> = {
  ...semaphoreAddPermits,
  decode(reply) {
    const answer = semaphoreAddPermits.decode(reply);
    if (answer === NONE) {
      return { available: 0, isRefused: false, isAbsent: true };
    }
    const full = refusedAt(answer);
    const available = full ?? integers(answer, 1)[0];
    return { available, isRefused: full !== undefined };
  },
};
