// What happens to the line of a fair lock and to the lock, in the order in which the server does it.

import type { Monitor, Seen } from '../support/monitor.js';
import { grouped, type Call } from '../support/steps.js';

/**
 * `queues`: stands at the end of the line; `returns`: at its front; `leaves`: gives up its place, to
 * get in or not; `is evicted`: somebody else takes it away; `enters`: has the lock.
 */
interface FairEvent {
  readonly what: 'queues' | 'returns' | 'leaves' | 'is evicted' | 'enters';
  readonly holderId: string;
}

/** A call of one of the scripts of the lock. */
export interface FairCall {
  readonly who: Seen['who'];
  /** What it changed. */
  readonly events: readonly FairEvent[];
}

/** The calls on the lock with a name since the last look, or since it was made. */
export type FairHistory = () => Promise<FairCall[]>;

/**
 * Reads along until the end of the test file.
 *
 * @param monitor nobody else asks it for news
 */
export function fairHistories(monitor: Monitor): (name: string) => Promise<FairHistory> {
  const seen: (FairCall & { queue: string })[] = [];
  let reading: Promise<unknown> = Promise.resolve();
  const read = async (): Promise<void> => {
    // One after the other: each reads up to a mark of its own.
    const next = reading.then(async () => {
      for (const call of grouped(await monitor.news())) {
        seen.push(...fairCalls(call));
      }
    });
    reading = next.catch(() => undefined);
    await next;
  };
  return async (name) => {
    await read();
    let from = seen.length;
    return async () => {
      await read();
      const news = seen.slice(from).filter(({ queue }) => queue === queueOf(name));
      from = seen.length;
      return news;
    };
  };
}

function queueOf(name: string): string {
  return `redisson_lock_queue:{${name}}`;
}

/** None, unless it is a script of a fair lock that has run: one of which the server knows no digest
 * has run nothing. */
function fairCalls({ who, command, inner }: Call): (FairCall & { queue: string })[] {
  const [verb = ''] = command;
  const queue = command.find((word) => word.startsWith('redisson_lock_queue:'));
  if (queue === undefined || !verb.startsWith('eval') || inner.length === 0) {
    return [];
  }
  return [{ who, queue, events: eventsOf({ who, command, inner }, queue) }];
}

function eventsOf({ command, inner }: Call, queue: string): FairEvent[] {
  const name = queue.slice(queueOf('').indexOf('}'), -1);
  const timeouts = `redisson_lock_timeout:{${name}}`;
  const isGivenTo = (holderId: string): boolean =>
    inner.some(([verb, key, field]) => verb === 'hset' && key === name && field === holderId);
  return inner.flatMap(([verb = '', key = '', ...args]): FairEvent[] => {
    const [first = '', second = ''] = args;
    switch (`${verb} ${key}`) {
      case `rpush ${queue}`:
        return [{ what: 'queues', holderId: first }];
      case `lpush ${queue}`:
        return [{ what: 'returns', holderId: first }];
      case `zrem ${timeouts}`:
        // With the entry in the line goes the one in the scores. Whoever calls names itself, or gives the
        // lock to another. An empty member only asks whether the user may write there.
        if (first === '') {
          return [];
        }
        return [
          {
            what: command.includes(first) || isGivenTo(first) ? 'leaves' : 'is evicted',
            holderId: first,
          },
        ];
      case `hset ${name}`:
        return [{ what: 'enters', holderId: first }];
      case `hincrby ${name}`:
        return second.startsWith('-') ? [] : [{ what: 'enters', holderId: first }];
      default:
        return [];
    }
  });
}

/** Those who got in while somebody stood before them in the line, or in spite of it. */
export function overtakings(calls: readonly FairCall[]): string[] {
  const line: string[] = [];
  return calls.flatMap(({ events }) => {
    const before = [...line];
    for (const { what, holderId } of events) {
      const at = line.indexOf(holderId);
      if (what === 'queues') {
        line.push(holderId);
      } else if (what === 'returns') {
        line.unshift(holderId);
      } else if (at !== -1 && what !== 'enters') {
        line.splice(at, 1);
      }
    }
    const entering = events.find(({ what }) => what === 'enters')?.holderId;
    const evicted = events.filter(({ what }) => what === 'is evicted');
    if (entering === undefined) {
      return [];
    }
    const at = before.indexOf(entering);
    return before
      .slice(0, at === -1 ? before.length : at)
      .filter((each) => !evicted.some(({ holderId }) => holderId === each))
      .map((each) => `${entering} before ${each}`);
  });
}
