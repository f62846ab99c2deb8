// A window of a connection, its calls, and their answers, as tests of units make them.

import { Unanswered } from '../../src/core/connection/half-open.js';
import { ResendQueue } from '../../src/core/connection/resend-queue.js';
import { Window } from '../../src/core/connection/window.js';
import { Call } from '../../src/core/wire/call.js';
import { fakeClock, LARGEST } from '../support/fake-clock.js';

/** With a lease of 30 s: by how much other calls may make the way of a call longer, and how many are written at first. */
export const LIMIT_MS = 500;
export const FEWEST = 32;
export const AT_FIRST = 1_000;

interface Terms {
  readonly resend?: boolean;
  readonly goesFirst?: boolean;
}

const fail = (): never => {
  throw new Error('nobody is told');
};

export function windowStage({ leaseMs = 30_000, bareMs = 0 } = {}) {
  const clock = fakeClock();
  const unanswered = new Unanswered(clock, 600_000, fail);
  const waiting = new ResendQueue({ clock, random: LARGEST }, 1_000, () => {}, fail);
  const written: number[] = [];
  const underWay: Call<unknown>[] = [];
  const write = (call: Call<unknown>): void => {
    call.lastSentAt = clock.now();
    unanswered.add(call);
    written.push(call.order);
    underWay.push(call);
  };
  const window = new Window(clock, leaseMs, {
    unanswered,
    waiting,
    write: (call) => write(call as Call<unknown>),
  });
  window.connected(bareMs);
  let order = 0;
  const add = (count = 1, { resend = true, goesFirst = false }: Terms = {}): Call<unknown>[] =>
    Array.from({ length: count }, () => {
      const script = { name: 'any', sha1: '', source: '', decode: (reply: unknown) => reply };
      const receiver = { answered: () => {}, failed: () => {} };
      const watch = { failed: fail, unheard: fail };
      const call = new Call({ script, operands: [1, 'key'] }, receiver, resend, watch);
      order += 1;
      call.order = order;
      call.goesFirst = goesFirst;
      window.add(call);
      return call;
    });
  /** So many of those that are under way are answered, `ms` from each other. */
  const answer = (count = 1, ms = 0): void => {
    for (let i = 0; i < count; i += 1) {
      const call = underWay.shift()!;
      clock.advance(ms);
      unanswered.delete(call);
      window.answered(call, call.lastSentAt);
    }
  };
  /** So many of those that are under way are refused. */
  const refuse = (count: number): void => {
    for (const call of underWay.splice(0, count)) {
      unanswered.delete(call);
      window.refused(call);
    }
  };
  return { clock, window, unanswered, waiting, written, underWay, add, answer, refuse };
}
