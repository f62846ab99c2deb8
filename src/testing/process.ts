import type { Clock, KeepAlive } from '../core/base/clock.js';
import type { RandomSource } from '../core/base/random.js';
import { PHASE, type Actor, type Entry, type Timeline } from './timeline.js';
import type { Random } from './random.js';

const TIMER_MAX_MS = 2_147_483_647;

/** How the clock of a process runs beside the true one. */
export interface ClockTerms {
  /** What it shows at the beginning. */
  readonly startsAt: number;
  /** Milliseconds that it counts in a true one. */
  readonly rate: number;
  /** A timer rings this much late at most. */
  readonly latenessMs: number;
}

interface VirtualClock extends Clock {
  after(delayMs: number, task: () => void): Entry;
}

/** A process: it has a clock, timers and chance of its own, and may stand still or be killed. */
export class Process implements Actor {
  /** For a client. */
  readonly clock: Clock;
  /** For those who use the client: the same time. */
  readonly userClock: Clock;
  readonly random: RandomSource;
  stalledUntil = 0;
  isDead = false;
  /** What keeps it alive. */
  refs = 0;
  #timers: Entry[] = [];

  constructor(timeline: Timeline, random: Random, terms: ClockTerms) {
    const clock = this.#makeClock(timeline, random, terms);
    this.userClock = clock;
    this.clock = {
      ...clock,
      after: (delayMs, task) => this.#watched(clock.after(delayMs, task)),
    };
    this.random = {
      int: (from, to) => random.int(Math.ceil(from), Math.floor(to)),
      uuid: () => uuidOf(random),
      id: () => bytesOf(random),
    };
  }

  /** Nothing happens in it before `until`: it is stopped, or busy. Its clock goes on. */
  stall(until: number): void {
    this.stalledUntil = Math.max(this.stalledUntil, until);
  }

  /** It is gone, and with it all that it was about to do. */
  kill(): void {
    this.isDead = true;
  }

  /** How many timers of clients wait. */
  get pendingTimers(): number {
    return this.#timers.filter(isPending).length;
  }

  #watched(timer: Entry): Entry {
    // Timers that have rung are forgotten now and then.
    if (this.#timers.length > 64) {
      this.#timers = this.#timers.filter(isPending);
    }
    this.#timers.push(timer);
    return timer;
  }

  #makeClock(timeline: Timeline, random: Random, terms: ClockTerms): VirtualClock {
    const { startsAt, rate, latenessMs } = terms;
    return {
      now: () => startsAt + timeline.now * rate,
      steppedSince: () => 0,
      after: (delayMs, task) => {
        // Node rounds up to whole milliseconds, and rings a bit late.
        const waitMs = Math.min(Math.max(1, Math.ceil(delayMs)), TIMER_MAX_MS);
        const rings = timeline.now + waitMs / rate + random.next() * latenessMs;
        return timeline.at(rings, task, PHASE.timers, this);
      },
      afterInput: (task) => {
        timeline.at(timeline.now, task, PHASE.handled, this);
      },
      keepAlive: () => this.#keepAlive(),
    };
  }

  #keepAlive(): KeepAlive {
    let isReferenced = false;
    const set = (wanted: boolean): void => {
      this.refs += Number(wanted) - Number(isReferenced);
      isReferenced = wanted;
    };
    return { ref: () => set(true), unref: () => set(false), cancel: () => set(false) };
  }
}

const isPending = ({ task }: Entry): boolean => task !== undefined;

function bytesOf(random: Random): Buffer {
  const bytes = Buffer.alloc(16);
  for (let i = 0; i < 16; i += 4) {
    bytes.writeUInt32LE(random.int(0, 0xff_ff_ff_ff), i);
  }
  return bytes;
}

function uuidOf(random: Random): string {
  const bytes = bytesOf(random);
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x40, 6);
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8);
  const hex = bytes.toString('hex');
  return [
    hex.slice(0, 8),
    hex.slice(8, 12),
    hex.slice(12, 16),
    hex.slice(16, 20),
    hex.slice(20),
  ].join('-');
}
