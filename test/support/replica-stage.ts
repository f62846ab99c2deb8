// A lane of waits for replicas, whose clock and answers a test gives.

import { REPLY_ERROR } from '../../src/core/base/redactor.js';
import { Lease } from '../../src/core/lease/lease.js';
import type { Renewal, RenewalAnswer, RenewalItem } from '../../src/core/lease/renewal.js';
import { Events } from '../../src/core/observe/events.js';
import { ReplicaLane } from '../../src/core/replicas/replica-lane.js';
import { ReplicaWait, type Outcome } from '../../src/core/replicas/replica-wait.js';
import { Call, type CallTerms, type PendingCall, type Receiver } from '../../src/core/wire/call.js';
import { fakeClock, LARGEST, type FakeClock } from './fake-clock.js';

export const LEASE_MS = 30_000;

/** An error reply of the server. */
export function reply(message: string): Error {
  return Object.assign(new Error(message), { name: REPLY_ERROR });
}

/** A confirmation that was sent and waits for its answer. */
interface Confirmation {
  readonly items: readonly RenewalItem[];
  readonly terms: CallTerms;
  readonly call: PendingCall;
  /** The connection `on` has answered it: as held, unless another answer is given. */
  answer(on?: object, answers?: readonly RenewalAnswer['is'][]): Promise<void>;
  fail(error: Error): Promise<void>;
}

/** A command behind a confirmation. */
interface Behind {
  readonly call: PendingCall;
  readonly parts: readonly string[];
  readonly takesMs: number;
  answer(count: number): Promise<void>;
  fail(error: Error): Promise<void>;
}

export interface Waiting {
  readonly wait: ReplicaWait;
  readonly lease: Lease;
  readonly outcomes: Outcome[];
}

export interface Stage {
  readonly clock: FakeClock;
  readonly lane: ReplicaLane;
  readonly confirmations: Confirmation[];
  readonly behind: Behind[];
  readonly abandoned: PendingCall[];
  /** A grant begins to wait. */
  wait(timeoutMs?: number, leaseMs?: number): Promise<Waiting>;
  /** The last of each. */
  readonly confirmation: Confirmation;
  readonly asked: Behind;
}

function last<T>(all: readonly T[]): T {
  const found = all.at(-1);
  if (found === undefined) {
    throw new RangeError('nothing was sent');
  }
  return found;
}

/** What follows from something has happened. */
export async function settled(): Promise<void> {
  for (let i = 0; i < 10; i += 1) {
    await Promise.resolve();
  }
}

const stopped = (error: Error): never => {
  throw error;
};

export function stage(min = 1): Stage {
  const clock = fakeClock();
  const confirmations: Confirmation[] = [];
  const behind: Behind[] = [];
  const abandoned: PendingCall[] = [];
  let items: readonly RenewalItem[] = [];
  let holders = 0;
  const script = {
    name: '',
    sha1: '',
    source: '',
    decode: (told: unknown): unknown => (told as { answers: unknown }).answers,
  };
  const renewal = ((given: readonly RenewalItem[]) => {
    items = given;
    return { script, operands: [] };
  }) as unknown as Renewal;
  const sendBehind = (call: PendingCall, parts: readonly string[], takesMs: number) =>
    new Promise<unknown>((resolve, reject) => {
      behind.push({
        call,
        parts,
        takesMs,
        answer: async (count) => {
          resolve(count);
          await settled();
        },
        fail: async (error) => {
          reject(error);
          await settled();
        },
      });
    });
  const start = <R>(_: unknown, receiver: Receiver<R>, terms: CallTerms = {}): Call<R> => {
    const call = new Call<R>({ script, operands: [] } as never, receiver, false, {
      failed: stopped,
      unheard: () => {},
    });
    call.writing(clock.now());
    const [sent] = [items];
    confirmations.push({
      items: sent,
      terms,
      call,
      answer: async (on = script, answers = sent.map(() => 'held' as const)) => {
        call.writtenTo = on;
        call.writtenBy = { sendBehind };
        const lasting = { lifeMs: -1, leftMs: -1 };
        // Not an array, which a call takes for an answer with refused messages.
        call.succeed({ answers: answers.map((is) => ({ is, ...lasting })) });
        await settled();
      },
      fail: async (error) => {
        call.fail(error);
        await settled();
      },
    });
    return call;
  };
  const abandon = (call: PendingCall): boolean => {
    abandoned.push(call);
    return false;
  };
  const lane = new ReplicaLane(min, {
    clock,
    random: LARGEST,
    maxPauseMs: 1_000,
    router: { groupOf: () => '' },
    delivery: { start, abandon },
  });
  return {
    clock,
    lane,
    confirmations,
    behind,
    abandoned,
    async wait(timeoutMs = 1_000, leaseMs = LEASE_MS) {
      holders += 1;
      const identity = {
        kind: 'lock',
        resource: 'r',
        key: 'r',
        holderId: `me:${holders}`,
      } as const;
      const lease = new Lease(identity, clock, new Events(), { lost: () => {}, ask: () => {} });
      lease.start({ order: 1, sentAt: clock.now(), lastSentAt: clock.now() }, leaseMs);
      const outcomes: Outcome[] = [];
      const terms = { min, endsAt: clock.now() + timeoutMs, renewed: true, renewal };
      const wait = new ReplicaWait(lease, terms, clock, (outcome) => outcomes.push(outcome));
      lease.holders = [wait];
      wait.lane = lane;
      lane.add(wait);
      await settled();
      return { wait, lease, outcomes };
    },
    get confirmation() {
      return last(confirmations);
    },
    get asked() {
      return last(behind);
    },
  };
}
