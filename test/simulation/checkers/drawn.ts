// Histories that are legal because they come from a run of one call after the other: each took
// effect at an instant, and was called before it and returned after it.

import type { Random } from '../../../src/testing/random.js';
import type { Claim, Fault, History, Kind, Mode, Operation } from '../history.js';
import { CHANGES, claimOf, type ClaimEnd, type Holder } from './drawn-parts.js';
import { call, fault, historyOf } from './made-up.js';

const CLIENTS = 4;

export interface DrawOptions {
  readonly rounds?: number;
  /** Losses of leases and of data, aborts, and calls of unknown outcome. */
  readonly isFaulty?: boolean;
}

/** Draws one history of one object. */
export function drawHistory(kind: Kind, random: Random, options: DrawOptions = {}): History {
  const { rounds = 30, isFaulty = false } = options;
  const drawing = new Drawing(kind, random, isFaulty);
  for (let i = 0; i < rounds; i += 1) {
    drawing.step();
  }
  return drawing.end();
}

class Drawing {
  readonly #kind: Kind;
  readonly #random: Random;
  readonly #operations: Operation[] = [];
  readonly #claims: Claim[] = [];
  readonly #faults: Fault[] = [];
  readonly #isFaulty: boolean;
  readonly #holders: Holder[] = [];
  /** Until when a client believes to have what was flushed. */
  readonly #kept = new Map<number, number>();
  #now = 100;
  /** Nobody asks before those who asked earlier: so waiters are served in their order. */
  #lastAsk = 0;
  #token = 0n;
  #owners = 0;
  /** Permits or count; undefined when none is set. */
  #left: number | undefined;
  /** When the latch ends by itself. */
  #lapsesAt = Number.POSITIVE_INFINITY;

  constructor(kind: Kind, random: Random, isFaulty: boolean) {
    this.#isFaulty = isFaulty;
    this.#kind = kind;
    this.#random = random;
  }

  step(): void {
    this.#now += this.#random.chance(0.1) ? 60 : this.#random.int(2, 12);
    if (this.#isFaulty && this.#random.chance(0.15)) {
      this.#goWrong();
      return;
    }
    switch (this.#kind) {
      case 'latch':
        this.#latchStep();
        break;
      case 'semaphore':
      case 'expirable':
        this.#permitStep();
        break;
      default:
        this.#lockStep();
    }
  }

  end(): History {
    while (this.#holders.length > 0) {
      this.#now += 5;
      this.#release(this.#holders[0]!);
    }
    const returns = this.#operations.map(({ returnedAt }) => returnedAt);
    const endedAt = Math.max(this.#now, ...returns) + 1;
    return historyOf(
      [{ operations: this.#operations, claims: this.#claims, faults: this.#faults }],
      {
        endedAt,
      },
    );
  }

  #goWrong(): void {
    const random = this.#random;
    random.weighted([
      [2, () => this.#did(random.pick(CHANGES[this.#kind]), { outcome: 'failed' })],
      [2, () => this.#abort()],
      [1, () => this.#lose()],
      [1, () => this.#flush()],
    ]);
  }

  /** An acquisition that had it for a moment on the server, so that another one was refused. */
  #abort(): void {
    if (this.#holders.length > 0 || this.#kind === 'latch') {
      return;
    }
    const { returnedAt } = this.#did('acquire', { outcome: 'failed', waits: true });
    const aborted = this.#operations.pop()!;
    this.#operations.push({ ...aborted, abortedAt: returnedAt });
    this.#did('acquire', { outcome: 'no' });
  }

  /** A lease that nobody could renew: who had it knew before it ended. */
  #lose(): void {
    const [holder] = this.#holders;
    // Permits without an owner have no lease.
    const isLeased = this.#kind !== 'semaphore';
    if (isLeased && holder !== undefined && holder.acquire.returnedAt < this.#now) {
      const until = Math.max(holder.acquire.returnedAt, this.#now - this.#random.int(0, 5));
      this.#left = this.#left === undefined ? undefined : this.#left + holder.amount;
      this.#drop(holder, until);
    }
  }

  /** Nothing is left, and whoever holds learns of it later. */
  #flush(): void {
    this.#faults.push(...fault('flush', [this.#now, this.#now]).faults);
    this.#left = undefined;
    const until = this.#now + this.#random.int(1, 60);
    const holders = this.#holders.slice();
    for (const holder of holders) {
      this.#drop(holder, until);
      // Its client knows that it has it, and gives it to nobody else.
      this.#kept.set(holder.client, Math.max(until, this.#kept.get(holder.client) ?? 0));
    }
  }

  #drop(holder: Holder, until: number): void {
    const { acquire, owner } = holder;
    for (const one of this.#holders.filter((other) => other.owner === owner)) {
      this.#holders.splice(this.#holders.indexOf(one), 1);
      // It was held for a moment at least.
      const end = Math.max(until, one.acquire.returnedAt + 0.5);
      this.#end(one, { until: end, end: 'lost', toldLostAt: end + 1 });
    }
    this.#lastAsk = Math.max(this.#lastAsk, acquire.calledAt);
  }

  #lockStep(): void {
    const random = this.#random;
    const mode: Mode = this.#kind === 'rwlock' && random.chance(0.6) ? 'shared' : 'exclusive';
    const [holder] = this.#holders;
    if (holder === undefined || (mode === 'shared' && holder.mode === 'shared')) {
      if (random.chance(0.85)) {
        this.#acquire({ mode });
      } else {
        this.#look(holder !== undefined && holder.mode === mode, mode);
      }
      return;
    }
    random.weighted([
      [4, () => this.#release(random.pick(this.#holders))],
      [1, () => this.#refuse(mode)],
      [1, () => this.#look(holder.mode === mode, mode)],
      [1, () => this.#acquire({ mode: holder.mode, again: holder })],
    ]);
  }

  #permitStep(): void {
    const random = this.#random;
    if (this.#left === undefined) {
      this.#left = random.int(1, 4);
      this.#did('set', { amount: this.#left });
      return;
    }
    const left = this.#left;
    const amount = random.int(1, 2);
    random.weighted([
      [4, () => (left >= amount ? this.#take(amount) : this.#refuse('exclusive', amount))],
      [3, () => (this.#holders.length > 0 ? this.#giveBack() : this.#take(Math.min(left, 1)))],
      [2, () => this.#did('look', { answer: left })],
      [1, () => this.#add(random.pick([1, -1]))],
      [1, () => this.#did('set', { amount, outcome: 'no' })],
    ]);
  }

  #latchStep(): void {
    const random = this.#random;
    if (this.#now >= this.#lapsesAt) {
      this.#left = 0;
    }
    const left = this.#left ?? 0;
    if (left === 0 && random.chance(0.5)) {
      this.#left = random.int(1, 3);
      const ttlMs = random.chance(0.1) ? random.int(20, 60) : undefined;
      this.#lapsesAt = this.#now + (ttlMs ?? Number.POSITIVE_INFINITY);
      this.#did('set', { amount: this.#left, ttlMs });
      return;
    }
    random.weighted([
      [3, () => this.#countDown(left)],
      [2, () => this.#wait(left === 0)],
      [2, () => this.#did('look', { answer: left })],
      [left > 0 ? 1 : 0, () => this.#did('set', { amount: 1, outcome: 'no' })],
    ]);
  }

  /** A call that takes effect now. */
  #did(action: Operation['action'], given: Partial<Operation> = {}): Operation {
    const from = this.#now - this.#random.int(0, 6);
    const operation = call(action, [from, this.#now + this.#random.int(0, 6)], {
      kind: this.#kind,
      client: this.#random.int(1, CLIENTS),
      ...given,
    });
    this.#operations.push(operation);
    return operation;
  }

  /** One that does not believe to have it. */
  #client(): number {
    const clients = Array.from({ length: CLIENTS }, (_, i) => i + 1);
    const free = clients.filter((client) => (this.#kept.get(client) ?? 0) < this.#now);
    return free.length === 0 ? CLIENTS + this.#owners : this.#random.pick(free);
  }

  #look(isHeld: boolean, mode: Mode): void {
    this.#did('look', { mode, answer: isHeld });
  }

  #refuse(mode: Mode, amount = 1): void {
    this.#did('acquire', { mode, amount, outcome: 'no' });
  }

  #wait(isOpen: boolean): void {
    const { calledAt, returnedAt } = this.#did('wait', {
      waits: true,
      outcome: isOpen ? 'ok' : 'no',
    });
    const operation = this.#operations.pop()!;
    this.#operations.push({ ...operation, waitMs: returnedAt - calledAt });
  }

  #countDown(left: number): void {
    this.#left = Math.max(0, left - 1);
    this.#did('count down');
  }

  #add(amount: number): void {
    this.#left = this.#left! + amount;
    this.#did('add', { amount });
  }

  #take(amount: number): void {
    if (amount > 0) {
      this.#left! -= amount;
      this.#acquire({ mode: 'exclusive', amount });
    }
  }

  #giveBack(): void {
    const holder = this.#random.pick(this.#holders);
    this.#left! += holder.amount;
    this.#release(holder);
  }

  #acquire({ mode, amount = 1, again }: { mode: Mode; amount?: number; again?: Holder }): void {
    const random = this.#random;
    this.#owners += 1;
    const owner = again?.owner ?? `o${this.#owners}`;
    const client = again?.client ?? this.#client();
    const earliest = again === undefined ? this.#lastAsk : again.acquire.returnedAt;
    const from = Math.max(Math.min(earliest, this.#now), this.#now - random.int(0, 40));
    this.#lastAsk = again === undefined ? from : this.#lastAsk;
    const isFenced = this.#kind === 'fenced';
    this.#token += again === undefined ? BigInt(random.int(1, 3)) : 0n;
    const acquire = this.#did('acquire', {
      calledAt: from,
      // The next thing happens 2 ms later at the earliest.
      returnedAt: this.#now + random.int(0, 2),
      owner,
      client,
      mode,
      amount,
      waits: true,
      token: isFenced ? this.#token : undefined,
    });
    this.#holders.push({ acquire, owner, client, mode, amount });
  }

  #release(holder: Holder): void {
    const { acquire, owner, client, mode, amount } = holder;
    this.#holders.splice(this.#holders.indexOf(holder), 1);
    const calledAt = Math.max(acquire.returnedAt, this.#now - this.#random.int(0, 10));
    this.#did('release', { calledAt, owner, client, mode, amount });
    this.#end(holder, { until: calledAt, end: 'released', toldLostAt: undefined });
  }

  #end(holder: Holder, end: ClaimEnd): void {
    this.#claims.push(claimOf(this.#kind, holder, end));
  }
}
