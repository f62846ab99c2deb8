// The registry: whatever stands here is simulated.

import { expirable } from './expirable.js';
import type { KindOfObject } from './kind.js';
import { latch } from './latch.js';
import { lockKind } from './locks.js';
import { multiKind } from './multi.js';
import { semaphore } from './semaphore.js';

const TOKENS = /^redisson_lock_token:/u;
const NOTHING = /^$/u;

export const KINDS: readonly KindOfObject[] = [
  lockKind('lock', NOTHING),
  lockKind('fair', NOTHING),
  lockKind('fenced', TOKENS),
  lockKind('rwlock', NOTHING),
  lockKind('quorum', NOTHING),
  lockKind('quorum-fenced', TOKENS),
  multiKind('multi'),
  multiKind('quorum-multi'),
  semaphore,
  expirable,
  latch,
];
