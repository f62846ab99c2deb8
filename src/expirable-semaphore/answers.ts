// The answers of the server about a permit-expirable semaphore, and how they are read.

import type { CommandScript } from '../core/wire/call.js';
import { integer, integers } from '../core/wire/replies.js';
import type { Holder } from '../core/observe/events.js';
import type { ReleaseResult } from '../core/grant/release.js';
import type { NumberView } from '../core/permits/statements.js';
import type { PermitAnswer } from '../core/permits/permit-source.js';
import {
  expirableSemaphoreAcquire,
  expirableSemaphoreConfigure,
  expirableSemaphoreHolders,
  expirableSemaphoreInspect,
  expirableSemaphoreRelease,
  expirableSemaphoreResize,
} from '../core/wire/scripts.generated.js';

/** The numbers of permits on the server. */
export interface PermitsView extends NumberView {
  /** Negative after a shrink. */
  readonly available: number;
  readonly acquired: number;
}

/** These stand in place of the life of a semaphore where there is none, and where it was deleted. */
const NO_SEMAPHORE = -2;
const WAS_DELETED = -3;

export const acquire: CommandScript<PermitAnswer> = {
  ...expirableSemaphoreAcquire,
  decode(reply) {
    const answer = expirableSemaphoreAcquire.decode(reply);
    const [granted = 0, retryMs = -1, lifeMs = -1, total = -1] = answer.split(' ').map(integer);
    const isDeleted = lifeMs === WAS_DELETED;
    const exists = lifeMs !== NO_SEMAPHORE && !isDeleted;
    return { granted, retryMs, lifeMs, exists, isDeleted, total: exists ? total : -1 };
  },
};

function viewOf([available, acquired, exists]: readonly [number, number, number]): PermitsView {
  return { available, acquired, exists: exists === 1, total: available + acquired };
}

export const inspect: CommandScript<PermitsView> = {
  ...expirableSemaphoreInspect,
  decode: (reply) => viewOf(integers(expirableSemaphoreInspect.decode(reply), 3)),
};

export const configure: CommandScript<PermitsView> = {
  ...expirableSemaphoreConfigure,
  decode(reply) {
    const answer = expirableSemaphoreConfigure.decode(reply);
    const [left = 0, taken = 0, exists = 0, yieldsMs] = answer.split(' ').map(integer);
    return { ...viewOf([left, taken, exists]), yieldsMs };
  },
};

/** The answer `none` is -1. */
export const resize: CommandScript<string> = {
  ...expirableSemaphoreResize,
  decode(reply) {
    const answer = expirableSemaphoreResize.decode(reply);
    return answer === 'none' ? '-1' : answer;
  },
};

export const holders: CommandScript<readonly Holder[]> = {
  ...expirableSemaphoreHolders,
  decode(reply) {
    const pairs = expirableSemaphoreHolders.decode(reply).matchAll(/(\S+) (-?\d+)/g);
    return Array.from(pairs, ([, holderId = '', left]) => {
      const leftMs = Number(left);
      return { holderId, depth: 1, remainingMs: leftMs < 0 ? Number.POSITIVE_INFINITY : leftMs };
    });
  },
};

const FREED: ReleaseResult = { is: 'freed' };
const DELETED: ReleaseResult = { is: 'deleted' };

export const release: CommandScript<ReleaseResult> = {
  ...expirableSemaphoreRelease,
  decode(reply) {
    const released = expirableSemaphoreRelease.decode(reply);
    return released > 0 ? FREED : DELETED;
  },
};
