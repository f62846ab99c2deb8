// What a program may do in a listener.

import type { Client, ClientEvents, Lock } from '../../src/index.js';
import type { Entrance, Grant, Kind } from '../support/kinds/kind.js';
import { gate } from './fixture.js';

/** A wait ends after so long where the act keeps it from being served. */
const WAIT_MS = 1_200;

type Event = keyof ClientEvents;

export interface Clients {
  readonly own: Client;
  readonly other: Client;
  readonly cut: () => void;
}

/** One cell of the table: an act in a listener of a scene. */
export class Cell {
  readonly kind: Kind;
  readonly name: string;
  readonly own: Client;
  /** The client that keeps `own` out. */
  readonly other: Client;
  readonly object: Entrance;
  /** Cuts the connections of `own`. */
  readonly cut: () => void;
  /** Permits that were out when their client was closed. */
  keptOut = 0;
  /** The acts that were done. */
  acts = 0;
  readonly #ends: AbortController[] = [];
  readonly #work: Promise<unknown>[] = [];
  readonly #grants = new Set<Grant>();
  readonly #act: (cell: Cell) => void;
  readonly #isActed = gate();
  #isClosed = false;

  constructor(kind: Kind, name: string, act: (cell: Cell) => void, clients: Clients) {
    this.kind = kind;
    this.name = name;
    this.own = clients.own;
    this.other = clients.other;
    this.cut = clients.cut;
    this.object = kind.get(this.own, name);
    this.#act = act;
  }

  /** Acts in the listener of the nth such event. */
  on(event: Event, nth = 1): void {
    let seen = 0;
    this.own.on(event, () => {
      seen += 1;
      if (seen === nth) {
        this.act();
      }
    });
  }

  act(): void {
    this.acts += 1;
    this.#isActed.open();
    this.#act(this);
  }

  /** Resolves once the act was done, which every scene reaches. */
  get acted(): Promise<void> {
    return this.#isActed.opened;
  }

  /** One waiter, which does `inside` when it is served, and then releases. */
  enter(inside: (grant: Grant) => unknown = () => {}, leaseMs?: number): AbortController {
    const end = new AbortController();
    this.#ends.push(end);
    const options = leaseMs === undefined ? {} : { leaseMs };
    const terms = { waitMs: WAIT_MS, signal: end.signal, ...options };
    this.later(this.object.acquire(terms), inside);
    return end;
  }

  /** An attempt that does not wait. */
  attempt(): void {
    const end = new AbortController();
    this.#ends.push(end);
    this.later(this.object.tryAcquire({ signal: end.signal }));
  }

  later(granted: Promise<Grant | null>, inside: (grant: Grant) => unknown = () => {}): void {
    this.#work.push(this.#use(granted, inside));
  }

  abortAll(): void {
    for (const end of this.#ends) {
      end.abort(new Error('aborted by a listener'));
    }
  }

  releaseAll(): void {
    for (const grant of this.#grants) {
      this.#work.push(this.#release(grant));
    }
  }

  close(): void {
    this.#isClosed = true;
    this.#work.push(this.own.close({ timeoutMs: 1_000 }));
  }

  /** What may fail does, and what it was granted is released. */
  async done(): Promise<void> {
    for (let settled = 0; settled < this.#work.length;) {
      settled = this.#work.length;
      await Promise.all(this.#work);
    }
  }

  run(work: Promise<unknown>): void {
    this.#work.push(work.catch(() => {}));
  }

  async #use(granted: Promise<Grant | null>, inside: (grant: Grant) => unknown): Promise<void> {
    let grant: Grant | null;
    try {
      grant = await granted;
    } catch {
      return;
    }
    if (grant !== null) {
      this.#grants.add(grant);
      await inside(grant);
      await this.#release(grant);
    }
  }

  async #release(grant: Grant): Promise<void> {
    const isFirst = this.#grants.delete(grant);
    try {
      await grant.release();
    } catch {
      // Permits of a counting semaphore stay out when their client is closed.
      this.keptOut += isFirst && this.#isClosed && this.kind.id === 'semaphore' ? 1 : 0;
    }
  }
}

/** What listeners do. */
export const ACTS: Readonly<Record<string, (cell: Cell) => void>> = {
  'aborts every waiter': (cell) => cell.abortAll(),
  'closes the client': (cell) => cell.close(),
  acquires: (cell) => void cell.enter(),
  'tries to acquire': (cell) => cell.attempt(),
  releases: (cell) => cell.releaseAll(),
  'deletes or frees by force': (cell) => cell.run(deleted(cell)),
  throws: () => {
    throw new Error('thrown by a listener');
  },
};

function deleted({ kind, own, name, object }: Cell): Promise<unknown> {
  switch (kind.id) {
    case 'semaphore':
      return own.getSemaphore(name).delete();
    case 'permit-expirable-semaphore':
      return own.getPermitExpirableSemaphore(name).delete();
    default:
      return (object as Lock).forceRelease();
  }
}
