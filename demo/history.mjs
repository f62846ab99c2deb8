// @ts-check
// From the record of an act to a history as the checkers of the simulation read it: calls, holds and faults.
// A worker is a client there.
import { ofType } from './events.mjs';

/** @typedef {import('./events.mjs').DemoEvent} DemoEvent */
/** @typedef {import('../test/simulation/history.js').History} History */
/** @typedef {import('../test/simulation/history.js').Outcome} Outcome */
/** @typedef {import('../test/simulation/history.js').StoreRecord} StoreRecord */
/** @typedef {import('../test/simulation/history.js').Operation} Operation */
/** @typedef {import('../test/simulation/history.js').Claim} Claim */
/** @typedef {import('../test/simulation/history.js').Fault} Fault */

/**
 * @typedef {object} Recorded what is left of an act when it is over
 * @property {Pick<import('./acts/index.mjs').Act, 'kind'>} act
 * @property {readonly DemoEvent[]} events
 * @property {StoreRecord} store the counter outside of Redis that a lock guards
 * @property {number} leaseMs
 * @property {number} endedAt
 */

const NO_STORE = { writes: [], value: 0 };

/** @param {Recorded} recorded @returns {History} */
export function historyOf({ act, events, store, leaseMs, endedAt }) {
  const reader = new Reader(act, leaseMs);
  for (const event of events.toSorted((a, b) => a.at - b.at)) {
    reader.read(event);
  }
  const { operations, claims, faults } = reader;
  return {
    seed: 0,
    operations,
    claims,
    faults,
    fencedStore: act.kind === 'fenced' ? store : NO_STORE,
    openStore: act.kind === 'fenced' ? NO_STORE : store,
    closings: [],
    told: [],
    healedAt: endedAt,
    quietAt: endedAt,
    endedAt,
    left: [],
    isCrowd: false,
    isFlow: false,
    surprises: surprisesIn(events),
  };
}

/** Where connections are cut the client may tell of it, but no call fails. @param {readonly DemoEvent[]} events */
const surprisesIn = (events) =>
  events
    .filter(
      ({ type, worker }) =>
        type === 'trouble' || (type === 'background' && ofType(events, 'cut', worker).length === 0),
    )
    .map(({ worker, message }) => `${worker === 0 ? 'the stage' : `worker ${worker}`}: ${message}`);

/** Says that the hold was over before. */
const WAS_OVER = /LeaseLostError|NotHeldError/;

class Reader {
  /** @type {Operation[]} */
  operations = [];
  /** @type {Claim[]} */
  claims = [];
  /** @type {Fault[]} */
  faults = [];
  #act;
  #leaseMs;
  /** @type {Map<string, Operation>} acquisitions and releases under way */
  #calls = new Map();
  /** @type {Map<string, { claim: Claim, deadline: number }>} until when each is certain, as far as is known */
  #held = new Map();

  /** @param {Recorded['act']} act @param {number} leaseMs */
  constructor(act, leaseMs) {
    this.#act = act;
    this.#leaseMs = act.kind === 'semaphore' ? Number.POSITIVE_INFINITY : leaseMs;
  }

  /** @param {DemoEvent} event */
  read(event) {
    const { type, at, worker, turn = 0, call, isHeld = true } = event;
    const key = `${worker} ${turn}`;
    const hold = this.#held.get(key);
    const until = Math.min(at, hold?.deadline ?? at);
    switch (type) {
      case 'asked':
        this.#calls.set(key, this.#operation(event, { action: 'acquire', waits: true }));
        break;
      case 'held':
        this.#grant(key, event);
        break;
      case 'at-mercy':
        Object.assign(hold ?? {}, { deadline: event.deadline });
        break;
      case 'told':
        this.#end(key, { end: 'lost', until, toldLostAt: at });
        break;
      case 'released':
        this.#end(key, isHeld ? { end: 'released', until: at } : { end: 'lost', until });
        this.#calls.set(key, this.#operation(event, { action: 'release' }));
        break;
      case 'done':
        this.#settle(key, event);
        break;
      case 'call':
        this.#operation(event, {
          ...call,
          owner: `worker ${worker} at ${at}`,
          calledAt: call?.from ?? at,
          returnedAt: at,
          outcome: 'ok',
          waits: call?.action === 'wait',
        });
        break;
      default:
        this.#befall(event);
    }
  }

  /** @param {DemoEvent} event */
  #befall({ type, at, worker }) {
    const fault = { from: at, until: at, client: worker, object: undefined, detail: '' };
    if (type === 'killed') {
      this.faults.push({ ...fault, what: 'kill' });
      for (const [key, { claim, deadline }] of this.#held) {
        if (claim.client === worker) {
          // What the dead held stays theirs while their lease runs.
          this.#end(key, { end: 'open', until: Math.max(at, deadline) });
        }
      }
    } else if (type === 'paused') {
      this.faults.push({ ...fault, what: 'stall', until: Number.POSITIVE_INFINITY });
    } else if (type === 'continued') {
      const stall = this.faults.findLast((one) => one.what === 'stall' && one.client === worker);
      Object.assign(stall ?? {}, { until: at });
    } else if (type === 'cut') {
      this.faults.push({ ...fault, what: 'cut' });
    }
  }

  /** @param {string} key @param {DemoEvent} event */
  #grant(key, { at, worker, turn, mode = 'exclusive', holderId, token, deadline }) {
    const asked = this.#calls.get(key);
    if (asked === undefined) {
      return;
    }
    Object.assign(asked, { returnedAt: at, outcome: 'ok', token });
    /** @type {Claim} */
    const claim = {
      operation: asked.id,
      object: asked.object,
      kind: asked.kind,
      mode,
      client: worker,
      owner: ownerOf(worker, turn),
      permits: 1,
      token,
      holderId: this.#act.kind === 'expirable' ? undefined : holderId,
      leaseMs: this.#leaseMs,
      isRenewed: this.#act.kind !== 'semaphore',
      firstMs: deadline === undefined ? this.#leaseMs : deadline - at,
      from: at,
      until: Number.POSITIVE_INFINITY,
      end: 'open',
      toldLostAt: undefined,
    };
    this.claims.push(claim);
    this.#held.set(key, { claim, deadline: deadline ?? Number.POSITIVE_INFINITY });
  }

  /** @param {string} key @param {Partial<Claim>} how */
  #end(key, how) {
    Object.assign(this.#held.get(key)?.claim ?? {}, how);
    this.#held.delete(key);
  }

  /** @param {string} key @param {DemoEvent} event */
  #settle(key, { at, message }) {
    const outcome = message === undefined ? 'ok' : WAS_OVER.test(message) ? 'no' : 'failed';
    Object.assign(this.#calls.get(key) ?? {}, { returnedAt: at, outcome });
  }

  /** @param {DemoEvent} event @param {Partial<Operation>} given @returns {Operation} */
  #operation({ at, worker, turn, mode = 'exclusive' }, given) {
    /** @type {Operation} */
    const operation = {
      id: this.operations.length,
      object: 'shared',
      kind: this.#act.kind,
      action: 'acquire',
      mode,
      client: worker,
      owner: ownerOf(worker, turn),
      amount: 1,
      waits: false,
      waitMs: undefined,
      calledAt: at,
      returnedAt: Number.POSITIVE_INFINITY,
      outcome: 'unknown',
      abortedAt: undefined,
      token: undefined,
      answer: undefined,
      error: undefined,
      ...given,
    };
    this.operations.push(operation);
    return operation;
  }
}

/** @param {number} worker @param {number} [turn] */
const ownerOf = (worker, turn = 0) => `worker ${worker} in turn ${turn}`;
