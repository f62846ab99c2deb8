// Writes the history of a seed: what is told to callers, looked at again and again from inside.

import { getEventListeners } from 'node:events';
import {
  AcquireTimeoutError,
  ClosedError,
  CommandTimeoutError,
  DeadlockError,
  LeaseLostError,
  NotHeldError,
  OutcomeUnknownError,
  type Hold,
  type Permit,
} from '../../src/index.js';
import { now, type Call, type Claim, type History, type Outcome } from './history.js';

/** How often all claims are looked at. */
const EVERY_MS = 4;
/** A pause between two looks that says that this process could not run. */
const STALL_MS = 15;

/** A claim together with what it is about. */
export interface Live {
  readonly claim: Claim;
  readonly grant: Hold | Permit;
}

/** The error with which a caller's wait was aborted. */
export class GivenUp extends Error {}

/** What gets or makes something new: the server may have no memory for it. */
const NEEDS_MEMORY = /^(?:using|acquire|try|set permits|trySetCount|ledger (?:add|drain)|add) ?/u;

function outcomeOf({ what }: Call, error: unknown): Outcome | undefined {
  if (NEEDS_MEMORY.test(what) && String(error).includes('OOM ')) {
    return 'not done';
  }
  const known: readonly (readonly [new (...args: never[]) => Error, Outcome])[] = [
    [AcquireTimeoutError, 'busy'],
    [CommandTimeoutError, 'not done'],
    [OutcomeUnknownError, 'unknown'],
    [ClosedError, 'unknown'],
    [LeaseLostError, 'lost'],
    [NotHeldError, 'not held'],
    [DeadlockError, 'deadlock'],
    [GivenUp, 'aborted'],
  ];
  return known.find(([type]) => error instanceof type)?.[1];
}

export class Recorder {
  readonly history: History;
  /** What was granted and not released yet. */
  readonly live = new Set<Live>();
  /** Every grant, to compare its end with what was told. */
  readonly all: Live[] = [];
  /** How often the loss of each holder was told, by client, kind, object and holder. */
  readonly losses = new Map<string, number>();
  readonly #fallen = new Set<Claim>();
  #lastLook = now();
  #timer: NodeJS.Timeout | undefined;

  constructor(history: History) {
    this.history = history;
  }

  start(): void {
    this.#lastLook = now();
    this.#timer = setInterval(() => this.look(), EVERY_MS);
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  /** Looks at all claims; at the grant of one, too, so that no overlap is missed. */
  look(): void {
    const at = now();
    if (at - this.#lastLook > STALL_MS) {
      this.history.stalls.push({ from: this.#lastLook, until: at });
    }
    this.#lastLook = at;
    for (const live of this.live) {
      this.sample(live);
    }
  }

  sample({ claim, grant }: Live): void {
    // The instant comes first: this process may be stopped after any line.
    const at = now();
    if (!grant.isHeld) {
      this.#fallen.add(claim);
      return;
    }
    if (this.#fallen.delete(claim)) {
      const text = `#${claim.id} was told not held, and held again`;
      this.history.violated('a loss is for ever', claim.name, text);
    }
    claim.first ??= at;
    claim.last = at;
  }

  granted(claim: Omit<Claim, 'id' | 'first' | 'last' | 'releasedAt'>, grant: Hold | Permit): Live {
    const live: Live = {
      claim: {
        ...claim,
        id: this.history.claims.length,
        first: undefined,
        last: undefined,
        releasedAt: undefined,
      },
      grant,
    };
    this.history.claims.push(live.claim);
    const { actor, name, holderId } = claim;
    this.history.note(actor, name, `has #${live.claim.id}, ...${holderId.slice(-8)}`);
    this.live.add(live);
    this.all.push(live);
    this.look();
    return live;
  }

  /** To be called right before the release. */
  releasing(live: Live): void {
    if (this.live.has(live)) {
      this.sample(live);
      live.claim.releasedAt = now();
      this.live.delete(live);
    }
  }

  begin(
    actor: string,
    client: string,
    what: string,
    name: string,
    limitMs?: number,
    delta = 0,
  ): Call {
    const call: Call = {
      what,
      name,
      client,
      actor,
      from: now(),
      limitMs,
      abortedAt: undefined,
      until: undefined,
      outcome: undefined,
      delta,
      lifeMs: Infinity,
    };
    this.history.calls.push(call);
    return call;
  }

  end(call: Call, outcome: Outcome): void {
    if (call.until === undefined) {
      call.until = now();
      call.outcome = outcome;
      this.history.notes.push({
        at: call.until,
        who: call.actor,
        name: call.name,
        text: `${call.what}: ${outcome}, ${(call.until - call.from).toFixed(1)} ms`,
      });
    }
  }

  /** What an error says of a call; an error that nobody may get is a violation. */
  failed(call: Call, error: unknown): Outcome {
    const outcome = outcomeOf(call, error);
    if (outcome === undefined) {
      const text = `${call.actor}: ${call.what} failed with ${String(error)}`;
      this.history.violated('calls fail as documented', call.name, text);
    }
    this.end(call, outcome ?? 'unknown');
    return outcome ?? 'unknown';
  }

  /** Runs a call; undefined when it failed. */
  async run<T>(call: Call, work: () => Promise<T>): Promise<T | undefined> {
    try {
      const value = await work();
      this.end(call, value === false ? 'no' : value === null ? 'busy' : 'done');
      return value;
    } catch (error) {
      this.failed(call, error);
      return undefined;
    }
  }

  lost(client: string, kind: string, name: string, holderId: string, reason: string): void {
    const key = `${client} ${kind} ${name} ${holderId}`;
    this.losses.set(key, (this.losses.get(key) ?? 0) + 1);
    this.history.note(client, name, `lost (${reason}): ...${holderId.slice(-8)}`);
  }

  /** A signal that aborts after a while; its call must then leave no listener on it. */
  abortable(call: Call, abortMs: number | undefined): Aborting {
    const controller = new AbortController();
    const timer =
      abortMs === undefined
        ? undefined
        : setTimeout(() => {
            if (call.until === undefined) {
              call.abortedAt = now();
            }
            controller.abort(new GivenUp('given up'));
          }, abortMs);
    return {
      signal: abortMs === undefined ? undefined : controller.signal,
      dispose: () => {
        clearTimeout(timer);
        if (getEventListeners(controller.signal, 'abort').length > 0) {
          const text = `${call.actor}: ${call.what} left a listener on its signal`;
          this.history.violated('nothing is left behind', call.name, text);
        }
      },
    };
  }
}

export interface Aborting {
  readonly signal: AbortSignal | undefined;
  readonly dispose: () => void;
}
