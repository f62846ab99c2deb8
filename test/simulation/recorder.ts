// Writes down what the users of a run did, and what they were told.

import type { Hold, Permit } from '../../src/index.js';
import type { Claim, Closing, Fault, FaultKind, Operation, Outcome } from './history.js';
import type { SimulatedClient } from './world.js';

/** What a user got: its claim ends when `isHeld` is false. */
type Held = Pick<Hold | Permit, 'isHeld' | 'remainingMs' | 'signal'> &
  Partial<Pick<Hold, 'holderId'>>;

interface OpenClaim {
  readonly claim: Claim;
  readonly client: SimulatedClient;
  readonly held: Held | undefined;
}

export type NewOperation = Omit<
  Operation,
  'id' | 'calledAt' | 'returnedAt' | 'outcome' | 'abortedAt' | 'token' | 'answer' | 'error'
>;

/** What a call may fail with, and with what a server says that refuses; anything else is a fault of
 * ours. */
const EXPECTED = new Set([
  'Aborted',
  'AcquireTimeoutError',
  'AccessDeniedError',
  'ClosedError',
  'CommandTimeoutError',
  'LeaseLostError',
  'NotHeldError',
  'OutcomeUnknownError',
]);

/** What an error tells about the call that it ends. */
function outcomeOf(error: string, action: Operation['action']): Outcome {
  const isNo =
    action === 'acquire'
      ? error === 'AcquireTimeoutError'
      : error === 'NotHeldError' || error === 'LeaseLostError';
  if (isNo) {
    return 'no';
  }
  return error === 'OutcomeUnknownError' ? 'unknown' : 'failed';
}

export class Recorder {
  readonly operations: Operation[] = [];
  readonly claims: Claim[] = [];
  readonly faults: Fault[] = [];
  readonly closings: Closing[] = [];
  readonly surprises: string[] = [];
  readonly #now: () => number;
  readonly #open = new Set<OpenClaim>();

  constructor(now: () => number) {
    this.#now = now;
  }

  /** Runs one call of a user. `undefined` for one that was rejected; the operation says why. */
  async call<T>(
    given: NewOperation,
    call: (operation: Operation) => Promise<T>,
  ): Promise<{ readonly operation: Operation; readonly value: T | undefined }> {
    const { operations, value } = await this.callAll(
      [given],
      async ([operation]) => await call(operation!),
    );
    return { operation: operations[0]!, value };
  }

  /** The same, where one call is about several objects: one operation for each. */
  async callAll<T>(
    given: readonly NewOperation[],
    call: (operations: readonly Operation[]) => Promise<T>,
  ): Promise<{ readonly operations: readonly Operation[]; readonly value: T | undefined }> {
    const operations = given.map((one) => {
      const operation = this.#newOperation(one);
      this.operations.push(operation);
      return operation;
    });
    try {
      const value = await call(operations);
      for (const operation of operations) {
        const isNo = value === null || (value === false && operation.action !== 'look');
        operation.outcome = isNo ? 'no' : 'ok';
        if (typeof value === 'number' || typeof value === 'boolean') {
          operation.answer = value;
        }
      }
      return { operations, value };
    } catch (error) {
      const name = error instanceof Error ? error.name : String(error);
      const [{ action, owner }] = operations as [Operation];
      if (!this.#isExpected(name)) {
        this.surprised(`${action} of ${owner} failed with ${String(error)}`);
      }
      for (const operation of operations) {
        operation.error = name;
        operation.outcome = outcomeOf(name, action);
      }
      return { operations, value: undefined };
    } finally {
      for (const operation of operations) {
        operation.returnedAt = this.#now();
      }
    }
  }

  #isExpected(error: string): boolean {
    const isRefused = this.faults.some(({ what }) => what === 'refusal' || what === 'no right');
    return (error === 'ReplyError' && isRefused) || EXPECTED.has(error);
  }

  #newOperation(given: NewOperation): Operation {
    return {
      ...given,
      id: this.operations.length,
      calledAt: this.#now(),
      returnedAt: Number.POSITIVE_INFINITY,
      outcome: 'unknown',
      abortedAt: undefined,
      token: undefined,
      answer: undefined,
      error: undefined,
    };
  }

  /** Somebody was told just now to hold something. */
  granted(
    client: SimulatedClient,
    operation: Operation,
    terms: Pick<Claim, 'leaseMs' | 'isRenewed' | 'maxHoldMs' | 'permits' | 'token'>,
    held: Held | undefined,
  ): Claim {
    const { id, object, kind, mode, owner } = operation;
    const now = this.#now();
    const claim: Claim = {
      operation: id,
      object,
      kind,
      mode,
      client: client.number,
      owner,
      ...terms,
      holderId: held?.holderId,
      firstMs: held?.remainingMs ?? terms.leaseMs,
      from: now,
      until: Number.POSITIVE_INFINITY,
      end: 'open',
      toldLostAt: undefined,
    };
    operation.token = terms.token;
    this.#sample(object);
    this.claims.push(claim);
    const open = { claim, client, held };
    this.#open.add(open);
    if (held?.isHeld === false) {
      // A grant that came too late is told, and is over at once.
      claim.toldLostAt = now;
      this.#close(open, 'lost', now);
    }
    held?.signal.addEventListener('abort', () => {
      claim.toldLostAt = this.#now();
      this.#close(open, 'lost', this.#now());
    });
    return claim;
  }

  /** A lease was set anew just now, to run so long from now on at most. */
  extended(claim: Claim, leaseMs: number): void {
    claim.leaseMs = Math.max(claim.leaseMs, this.#now() - claim.from + leaseMs);
  }

  /** The release of a claim is called just now. */
  released(claim: Claim): void {
    for (const open of this.#open) {
      if (open.claim === claim) {
        this.#close(open, 'released', this.#now());
      }
    }
  }

  /** A process that stood still since `from` goes on. Nobody in it was told anything meanwhile. */
  resumed(client: SimulatedClient, from: number): void {
    const own = [...this.#open].filter((open) => open.client === client);
    for (const open of own) {
      if (open.held !== undefined) {
        // To ask tells the loss, too; it was over before.
        this.#open.delete(open);
        const { isHeld } = open.held;
        this.#open.add(open);
        if (!isHeld) {
          this.#close(open, 'lost', from);
        }
      }
    }
  }

  /** Those who hold something just now. */
  holders(): SimulatedClient[] {
    const isRunning = ({ process }: SimulatedClient): boolean =>
      !process.isDead && process.stalledUntil <= this.#now();
    return [...this.#open].map(({ client }) => client).filter(isRunning);
  }

  killed(client: SimulatedClient): void {
    // Whoever stands still is told nothing any more.
    this.#closeAll(client, 'open', Math.min(client.stalledFrom ?? this.#now(), this.#now()));
  }

  /** A client is closed just now: what has an owner is released, as far as that succeeds. */
  closed(client: SimulatedClient): void {
    this.closings.push({ client: client.number, at: this.#now() });
    for (const { claim, held } of this.#open) {
      if (claim.client === client.number && held !== undefined) {
        const { object, kind, mode, owner } = claim;
        const given = { object, kind, mode, owner, client: client.number, waits: false };
        const more = { action: 'release', amount: claim.permits, waitMs: undefined } as const;
        const release = this.#newOperation({ ...given, ...more });
        // Whether each of them succeeds nobody is told.
        release.returnedAt = release.calledAt;
        this.operations.push(release);
      }
    }
    this.#closeAll(client, 'released', this.#now());
  }

  fault(
    what: FaultKind,
    detail: string,
    where: { readonly client?: number; readonly object?: string; readonly until?: number } = {},
  ): Fault {
    const { client, object, until = this.#now() } = where;
    const fault: Fault = { what, from: this.#now(), until, client, object, detail };
    this.faults.push(fault);
    return fault;
  }

  surprised(text: string): void {
    this.surprises.push(text);
  }

  /** Looks at all claims on an object: whoever is asked just now, is told this. */
  #sample(object: string): void {
    const now = this.#now();
    for (const open of this.#open) {
      const { client, held, claim } = open;
      const isRunning = client.process.stalledUntil <= now;
      if (claim.object === object && isRunning && held?.isHeld === false) {
        this.#close(open, 'lost', now);
      }
    }
  }

  #closeAll(client: SimulatedClient, end: Claim['end'], at: number): void {
    for (const open of this.#open) {
      if (open.client === client && open.held !== undefined) {
        this.#close(open, end, at);
      }
    }
  }

  #close(open: OpenClaim, end: Claim['end'], until: number): void {
    if (this.#open.delete(open)) {
      open.claim.end = end;
      open.claim.until = Math.max(until, open.claim.from);
    }
  }
}
