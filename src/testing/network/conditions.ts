import type { Random } from '../random.js';
import type { Timeline } from '../timeline.js';

/** Milliseconds after which bytes that were late arrive at the latest. */
export const LATE_MS = 1_200;

/** How long everything takes on its way. */
export interface NetworkTerms {
  readonly latencyMinMs: number;
  readonly latencyMaxMs: number;
}

/** Told of each call that a server begins to run. */
export type Trace = (at: number, argv: readonly string[]) => void;

/** The time, the chance and the delays that all links of a network share. */
export class Conditions {
  readonly timeline: Timeline;
  readonly random: Random;
  readonly trace: Trace;
  readonly #terms: NetworkTerms;

  constructor(timeline: Timeline, random: Random, terms: NetworkTerms, trace: Trace) {
    this.timeline = timeline;
    this.random = random;
    this.trace = trace;
    this.#terms = terms;
  }

  /** How long something takes that is sent now. */
  latency(): number {
    const { latencyMinMs, latencyMaxMs } = this.#terms;
    return latencyMinMs + this.random.next() * (latencyMaxMs - latencyMinMs);
  }

  /** How late bytes may come that nobody expects any more. */
  lateness(): number {
    return this.random.next() * LATE_MS;
  }
}
