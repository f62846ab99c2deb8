import TinyQueue from 'tinyqueue';
import { setImmediate } from '../core/base/natives.js';

/** What happens at one instant happens in this order, as in a turn of Node's event loop: its timers,
 * then what the network brings, then what waits for the input to be handled. */
export const PHASE = { timers: 0, input: 1, handled: 2 } as const;
export type Phase = (typeof PHASE)[keyof typeof PHASE];

/** Somebody in whom things happen, and who may stand still. */
export interface Actor {
  /** Nothing happens in it before this instant. */
  readonly stalledUntil: number;
  /** Nothing happens in it any more. */
  readonly isDead: boolean;
}

/** Something that will happen. */
export class Entry {
  time: number;
  /** When it was to happen, if nobody stood still. */
  readonly due: number;
  readonly phase: Phase;
  readonly order: number;
  readonly actor: Actor | undefined;
  task: (() => void) | undefined;
  /** Code that waits for it runs in microtasks. */
  hasFollowers = true;

  constructor(
    time: number,
    phase: Phase,
    order: number,
    actor: Actor | undefined,
    task: () => void,
  ) {
    this.time = time;
    this.due = time;
    this.phase = phase;
    this.order = order;
    this.actor = actor;
    this.task = task;
  }

  cancel(): void {
    this.task = undefined;
  }
}

function compare(a: Entry, b: Entry): number {
  return a.time - b.time || a.phase - b.phase || a.due - b.due || a.order - b.order;
}

/** All microtasks that are queued now, and those that they queue, have run. */
async function microtasks(): Promise<void> {
  await new Promise((resolve) => {
    setImmediate(resolve);
  });
}

/**
 * Virtual time, in milliseconds. Things happen one after the other, each together with all the
 * microtasks that follow from it, and no time passes but between them. So a run depends on nothing
 * but what was put into it.
 */
export class Timeline {
  #now = 0;
  #order = 0;
  readonly #queue = new TinyQueue<Entry>([], compare);

  get now(): number {
    return this.#now;
  }

  /** The instant of the next thing to happen; undefined when there is none. */
  get next(): number | undefined {
    this.#dropCancelled();
    return this.#queue.peek()?.time;
  }

  at(time: number, task: () => void, phase: Phase = PHASE.input, actor?: Actor): Entry {
    this.#order += 1;
    const entry = new Entry(Math.max(time, this.#now), phase, this.#order, actor, task);
    this.#queue.push(entry);
    return entry;
  }

  /** As `at`, for what happens in a server or on the way: nobody waits for it in a microtask. */
  quietly(time: number, task: () => void, actor?: Actor): Entry {
    const entry = this.at(time, task, PHASE.input, actor);
    entry.hasFollowers = false;
    return entry;
  }

  /** Lets everything happen up to an instant, or until there is nothing left, or `isOver`. */
  async run(until: number, isOver: () => boolean = () => false): Promise<void> {
    await microtasks();
    while (!isOver()) {
      const entry = this.#queue.peek();
      if (entry === undefined || entry.time > until) {
        break;
      }
      this.#queue.pop();
      if (this.#begin(entry) && entry.hasFollowers) {
        await microtasks();
      }
    }
    if (!isOver() && until !== Number.POSITIVE_INFINITY) {
      this.#now = Math.max(this.#now, until);
    }
  }

  /** False when nothing happened: it was cancelled, or its actor cannot. */
  #begin(entry: Entry): boolean {
    const { actor, task } = entry;
    if (task === undefined || actor?.isDead === true) {
      return false;
    }
    if (actor !== undefined && actor.stalledUntil > entry.time) {
      entry.time = actor.stalledUntil;
      this.#queue.push(entry);
      return false;
    }
    this.#now = entry.time;
    entry.task = undefined;
    task();
    return true;
  }

  #dropCancelled(): void {
    while (this.#queue.length > 0 && this.#queue.peek()?.task === undefined) {
      this.#queue.pop();
    }
  }
}
