// The answers of the server about a counting semaphore, and how they are read.

import type { CommandScript } from '../core/wire/call.js';
import { integers } from '../core/wire/replies.js';
import type { PermitAnswer } from '../core/permits/permit-source.js';
import {
  semaphoreAcquire,
  semaphoreAddPermits,
  semaphoreConfigure,
  semaphoreInspect,
  semaphoreRelease,
  semaphoreReturn,
} from '../core/wire/scripts.generated.js';

/** The state of a semaphore on the server. */
export interface SemaphoreView {
  readonly available: number;
  readonly exists: boolean;
}

/** The number of permits after a change. */
export interface Availability {
  readonly available: number;
  /** True when the count would not fit into 32 bits: nothing was changed. */
  readonly isRefused: boolean;
}

/** The answer of a release, for the waiters that it serves and for its caller. */
export interface ReleaseAnswer extends PermitAnswer, Availability {
  /** Nothing was done: only a counted release can tell what is right. */
  readonly mustCount?: boolean;
}

function viewOf(answer: string): SemaphoreView {
  const [available, exists] = integers(answer, 2);
  return { available, exists: exists === 1 };
}

export const inspect: CommandScript<SemaphoreView> = {
  ...semaphoreInspect,
  decode: (reply) => viewOf(semaphoreInspect.decode(reply)),
};

export const configure: CommandScript<SemaphoreView> = {
  ...semaphoreConfigure,
  decode: (reply) => viewOf(semaphoreConfigure.decode(reply)),
};

/** Reads an answer of `length` integers, followed by the mark of the grants. */
function marked<N extends number>(answer: string, length: N) {
  const end = answer.lastIndexOf(' ');
  return { numbers: integers(answer.slice(0, end), length), mark: answer.slice(end + 1) };
}

/** Whether a mark is of a semaphore of which nothing is known but how many permits it had left. */
export const isOfUnknown = (mark: string): boolean => mark.startsWith('0:');

/** Stands in place of a mark where there is no semaphore. */
const NO_SEMAPHORE = '-';

export const acquire: CommandScript<PermitAnswer> = {
  ...semaphoreAcquire,
  decode(reply) {
    const { numbers, mark } = marked(semaphoreAcquire.decode(reply), 4);
    const [granted, , retryMs, above] = numbers;
    return { granted, retryMs, exists: mark !== NO_SEMAPHORE, mark, above };
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
    const full = refusedAt(answer);
    if (full !== undefined) {
      return { granted: 0, retryMs: -1, available: full, isRefused: true };
    }
    const { numbers, mark } = marked(answer, 5);
    const [granted, , retryMs, available, above] = numbers;
    const exists = mark !== NO_SEMAPHORE;
    return { granted, retryMs, available, isRefused: false, exists, mark, above };
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

export const addPermits: CommandScript<Availability> = {
  ...semaphoreAddPermits,
  decode(reply) {
    const answer = semaphoreAddPermits.decode(reply);
    const full = refusedAt(answer);
    const available = full ?? integers(answer, 1)[0];
    return { available, isRefused: full !== undefined };
  },
};
