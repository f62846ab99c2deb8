// What each step of a sequence leaves on the server, and what it publishes.

import type { Sequence } from './lock-sequences.js';
import type { Monitor, Seen } from '../support/monitor.js';
import type { Side } from './sides.js';
import { comparable, listenedTo, stateOf } from './snapshot.js';

/** Step -> lines that are equal when the bytes are. */
export type History = ReadonlyMap<string, readonly string[]>;

/** The line of a lock, and what its clients are notified of: nobody but them sees that. */
const OF_LINE =
  /^(?:redlatch_(?:line|tickets):|s?publish redlatch:[ABC] [^e]|for a moment redlatch_(?:line|tickets):)/;

/** Commands that make a key. */
const MAKING = new Set('set hset hincrby incr incrby decr decrby zadd rpush lpush'.split(' '));

/** Makes the steps, one after the other, and looks at the object after each. */
export async function play(side: Side, { steps }: Sequence, monitor: Monitor): Promise<History> {
  const { name, world } = side;
  const history = new Map<string, readonly string[]>();
  let keys: string[] = [];
  await monitor.news();
  for (const [step, make] of Object.entries(steps)) {
    const answer = await make(side);
    await side.settled();
    const state = await stateOf(world.raw, name);
    const news = await monitor.news();
    const seen = news.filter(({ command }) => command.some((part) => part.includes(name)));
    const known = new Set([...keys, ...state.keys()]);
    const lines = [
      ...(answer === undefined || answer === null ? [] : [`answers ${JSON.stringify(answer)}`]),
      ...[...state.values()].flat(),
      ...(await listenedTo(world.raw, name)),
      ...published(seen),
      ...cameAndWent(seen, known),
    ];
    history.set(
      step,
      comparable(lines, name, side.clients).filter((line) => !OF_LINE.test(line)),
    );
    keys = [...state.keys()];
  }
  return history;
}

function published(seen: readonly Seen[]): string[] {
  return seen
    .filter(({ command: [verb] }) => verb === 'publish' || verb === 'spublish')
    .map(({ command: [verb, channel, payload] }) => `${verb} ${channel} ${payload}`);
}

/** Keys that are neither there before the step nor after it. */
function cameAndWent(seen: readonly Seen[], known: ReadonlySet<string>): string[] {
  // `ZADD XX` changes what is there, and makes nothing.
  const made = seen.map(({ command: [verb = '', key = '', option] }) =>
    MAKING.has(verb) && option?.toUpperCase() !== 'XX' ? key : '',
  );
  return [...new Set(made)]
    .filter((key) => key !== '' && !known.has(key))
    .map((key) => `for a moment ${key}`);
}

/** Step -> what only one side has, of those steps in which they differ. */
export type Deviations = Record<string, { java: string[]; node: string[] }>;

export function deviations(java: History, node: History): Deviations {
  const found: Deviations = {};
  for (const [step, lines] of java) {
    const others = node.get(step) ?? [];
    const only = { java: without(lines, others), node: without(others, lines) };
    if (only.java.length + only.node.length > 0) {
      found[step] = only;
    }
  }
  return found;
}

/** Takes each line away as often as the others have it. */
function without(lines: readonly string[], others: readonly string[]): string[] {
  const left = [...others];
  return lines.filter((line) => {
    const at = left.indexOf(line);
    if (at !== -1) {
      left.splice(at, 1);
    }
    return at === -1;
  });
}
