// A watchdog whose clock and answers a test gives.

import { Lease } from '../../src/core/lease/lease.js';
import type { LeaseIdentity } from '../../src/core/lease/lease-parts.js';
import type { Renewal, RenewalAnswer, RenewalItem } from '../../src/core/lease/renewal.js';
import { Watchdog } from '../../src/core/lease/watchdog.js';
import { Events } from '../../src/core/observe/events.js';
import { Call, type CallTerms, type Receiver } from '../../src/core/wire/call.js';
import { fakeClock, type FakeClock } from './fake-clock.js';

export const LEASE_MS = 3_000;

/** A renewal that was sent and waits for its answer. */
interface Asked {
  readonly items: readonly RenewalItem[];
  readonly resend: boolean;
  /** It is written before the turn of the event loop ends. */
  readonly atOnce: boolean;
  readonly answer: (answers: readonly RenewalAnswer[]) => void;
  readonly fail: () => void;
}

const script = {
  name: 'renew',
  sha1: '',
  source: '',
  decode: (reply: unknown): unknown => JSON.parse(String(reply)),
};

function stopped(error: Error): never {
  throw error;
}

interface Stage {
  readonly clock: FakeClock;
  readonly watchdog: Watchdog;
  readonly asked: Asked[];
  /** Why nothing can be asked, if so. */
  down: Error | undefined;
  readonly grant: (
    id: string,
    renewed?: boolean,
    leaseMs?: number,
    isWindow?: boolean,
    maxHoldMs?: number,
  ) => Lease;
}

export function stage(): Stage {
  const clock = fakeClock();
  const asked: Asked[] = [];
  let items: readonly RenewalItem[] = [];
  const renewal = ((given: readonly RenewalItem[]) => {
    items = given;
    return { script, operands: [] };
  }) as unknown as Renewal;
  const start = (command: never, receiver: Receiver<never>, terms: CallTerms = {}): Call<never> => {
    const resend = terms.resend !== false;
    const call = new Call(command, receiver, resend, { failed: stopped, unheard: () => {} });
    call.sentAt = clock.now();
    call.lastSentAt = clock.now();
    asked.push({
      items,
      resend,
      atOnce: terms.atOnce === true,
      answer: (answers) => call.succeed(JSON.stringify(answers)),
      fail: () => call.fail(new Error('lost')),
    });
    return call;
  };
  const world: Stage = {
    clock,
    asked,
    down: undefined,
    watchdog: new Watchdog(
      clock,
      { whyDown: () => world.down, downSince: () => undefined, groupOf: () => '' },
      { start },
      LEASE_MS,
    ),
    grant(id, renewed = true, leaseMs = LEASE_MS, isWindow = false, maxHoldMs) {
      const identity: LeaseIdentity = { kind: 'lock', resource: id, key: id, holderId: `me:${id}` };
      const lease = new Lease(identity, clock, new Events(), {
        lost: () => {},
        ask: world.watchdog.ask,
      });
      const holder = { renewed, lost: () => {} };
      lease.holders.push(holder);
      lease.start({ order: 1, sentAt: clock.now(), lastSentAt: clock.now() }, leaseMs);
      lease.bind(holder, maxHoldMs, lease.sentAt);
      world.watchdog.add(lease, renewal, isWindow ? 'window' : 'whole');
      return lease;
    },
  };
  return world;
}

export const HELD: RenewalAnswer = { is: 'held', lifeMs: -1, leftMs: -1 };
