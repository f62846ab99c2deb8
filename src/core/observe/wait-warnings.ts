import type { Clock } from '../base/clock.js';
import { warnLater } from '../base/program-calls.js';
import { Recent } from '../base/recent.js';
import type { Holder, ObjectKind } from './events.js';
import { MinuteLimit } from './minute-limit.js';
import { spanOf } from './spans.js';
import type { Link } from './wait-circle.js';

/** So many holders are named. */
const NAMED_MAX = 3;

const CODE = 'REDLATCH_WAIT';

/** A wait to warn of. */
export interface LongWait {
  readonly resource: string;
  readonly kind: ObjectKind;
  readonly part: string | undefined;
  readonly waitedMs: number;
  /** So many calls of this client wait for it. */
  readonly waiters: number;
  /** Undefined where its holders are not known. */
  readonly holders: readonly Holder[] | undefined;
  readonly isUninitialised: boolean;
  readonly isHeldAround: boolean;
  readonly circle: readonly Link[] | undefined;
  isOwn(holderId: string): boolean;
}

/** Tells by warnings of the process of waits that last: once a name, so many in a minute, and then of how many more. */
export class WaitWarnings {
  readonly #limit: MinuteLimit;
  readonly #names = new Recent(() => ({ isTold: false }));
  #isClosed = false;

  constructor(clock: Clock) {
    this.#limit = new MinuteLimit(clock, (more) => {
      const what = more === 1 ? 'a wait for 1 more name has' : `waits for ${more} more names have`;
      warnLater(`${what} lasted as long: the event "stalled" reports each`, CODE);
    });
  }

  /** Whether a wait for this name is to be told. It counts as told from then on. */
  admits(resource: string): boolean {
    const name = this.#names.get(resource);
    if (name.isTold || this.#isClosed) {
      return false;
    }
    name.isTold = true;
    return this.#limit.admits();
  }

  /** A wait that was admitted is not told: the next one for its name may be. */
  notTold(resource: string): void {
    this.#names.get(resource).isTold = false;
  }

  tell(wait: LongWait): void {
    if (!this.#isClosed) {
      warnLater(textOf(wait), CODE);
    }
  }

  /** Nobody waits any more: no timer may outlive that. */
  idle(): void {
    this.#limit.idle();
  }

  close(): void {
    this.#isClosed = true;
    this.#limit.close();
  }
}

function textOf(wait: LongWait): string {
  const { resource, kind, part, waitedMs, waiters } = wait;
  const what = `the ${kind} "${resource}"${part === undefined ? '' : `, just now for "${part}",`}`;
  const calls = waiters === 1 ? '' : `, and ${waiters} calls of this client wait for it`;
  const facts = [
    `a call has waited for ${what} for ${spanOf(waitedMs)} without a limit${calls}`,
    ...inTheWay(wait),
    'Set waitMs, or listen to "stalled" to handle it yourself',
  ];
  return facts.join('. ');
}

/** Sentences that say who has it. */
function inTheWay(wait: LongWait): string[] {
  const { holders, isUninitialised, isHeldAround, circle, kind } = wait;
  if (isUninitialised) {
    return ['It waits because nobody has set its number of permits'];
  }
  if (holders === undefined) {
    return [];
  }
  const held = [holders.length === 0 ? 'No holder was found' : `It is held by ${namesOf(wait)}`];
  if (isHeldAround) {
    return [...held, 'It waits for itself: the code that waits runs in the scope of that hold'];
  }
  if (circle !== undefined) {
    const tasks = circle.map(({ has, waitsFor }) => `one has "${has}" and waits for "${waitsFor}"`);
    return [...held, `Tasks of this client wait in a circle: ${tasks.join(', ')}`];
  }
  if (holders.some(({ holderId }) => wait.isOwn(holderId))) {
    const advice = kind.endsWith('lock') ? ': acquire with { within: hold }, or release first' : '';
    return [
      ...held,
      `If the code that waits is the code that has it, it waits for itself${advice}`,
    ];
  }
  return held;
}

function namesOf(wait: LongWait): string {
  const { holders = [] } = wait;
  const named = holders.slice(0, NAMED_MAX).map(({ holderId, remainingMs }) => {
    const left = Number.isFinite(remainingMs)
      ? `${remainingMs} ms left on its lease`
      : 'without a lease';
    return `${holderId} (${wait.isOwn(holderId) ? 'this client, ' : ''}${left})`;
  });
  const more = holders.length - named.length;
  return `${named.join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}
