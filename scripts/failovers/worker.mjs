// @ts-check
// A process of the load: two clients whose callers take locks, and what was reported to them of each grant.
//
// Most hold a lock for some milliseconds. The others begin shortly before the master is killed, and keep one lock until
// it is lost or the run is over: half of them on a renewed lease, the others on a fixed one.

import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { randomFrom } from '../lib/random.mjs';
import { FIXED_LEASE_MS } from './leases.mjs';
import { now } from './now.mjs';
import { topologies } from './stages/index.mjs';

/**
 * @typedef {object} Order
 * @property {string} topology
 * @property {unknown} target
 * @property {import('./stages/index.mjs').LoadOptions} options
 * @property {string[]} names
 * @property {number} seed
 * @property {{ from: number, until: number }} keep in ms from now: the others begin between these
 *
 * @typedef {import('./count.mjs').Grant} Grant
 * @typedef {import('../../dist/index.js').Hold} Hold
 */

const CLIENTS = 2;
/** Callers of each client. */
const QUICK = 6;
const KEEPERS = 4;

const SAMPLE_EVERY_MS = 2;
/** How many of the tasks of quick ones are not that quick. */
const LONG = 0.1;
/** Every third name is that of a fenced lock. */
const FENCED = 3;
/** Quick ones go on to another name, so that all names are tried often. */
const QUICK_WAIT_MS = 100;
const KEEPER_WAIT_MS = 1_000;

/** What a call may reject with while a master is gone, or a lock is taken. */
const EXPECTED = new Set([
  'ERR_ACQUIRE_TIMEOUT',
  'ERR_COMMAND_TIMEOUT',
  'ERR_OUTCOME_UNKNOWN',
  'ERR_REPLICAS',
  'ERR_LEASE_LOST',
  'ERR_NOT_HELD',
  'ERR_CLOSED',
]);

class Load {
  /** @type {Grant[]} */
  #grants = [];
  /** @type {Map<Grant, Hold>} */
  #live = new Map();
  /** @type {Set<string>} */
  #problems = new Set();
  #isOver = false;
  #promotedAt = Infinity;
  #order;
  #clients;
  #timer;

  /** @param {Order} order */
  constructor(order) {
    const topology = topologies.get(order.topology);
    if (topology === undefined) {
      throw new RangeError(`there is no topology "${order.topology}"`);
    }
    this.#order = order;
    this.#clients = Array.from({ length: CLIENTS }, () =>
      topology.open(order.target, order.options),
    );
    for (const client of this.#clients) {
      // A master that is gone is what is measured, and no reason to warn.
      client.on('error', () => undefined);
    }
    this.#timer = setInterval(() => {
      this.#live.forEach((hold, grant) => this.#sample(grant, hold));
    }, SAMPLE_EVERY_MS);
    const random = randomFrom(order.seed);
    const own = () => randomFrom(random() * 2 ** 32);
    for (const client of this.#clients) {
      for (let i = 0; i < QUICK; i += 1) {
        void this.#watch(this.#takeTurns(client, own()));
      }
      for (let i = 0; i < KEEPERS; i += 1) {
        void this.#watch(this.#keepOne(client, own(), i % 2 === 0 ? FIXED_LEASE_MS : undefined));
      }
    }
  }

  /** A new master is there: its first grant is reported. */
  promoted() {
    this.#promotedAt = now();
  }

  /** Ends it where it is; what is held was held until now. */
  async end() {
    clearInterval(this.#timer);
    this.#live.forEach((hold, grant) => this.#sample(grant, hold));
    this.#isOver = true;
    this.#live.clear();
    await Promise.all(this.#clients.map(async (client) => await client.close({ timeoutMs: 500 })));
    return { grants: this.#grants, problems: [...this.#problems] };
  }

  /** @param {Promise<void>} work */
  async #watch(work) {
    try {
      await work;
    } catch (error) {
      this.#problems.add(String(error));
    }
  }

  /** @param {import('./stages/index.mjs').LoadClient} client @param {() => number} random */
  async #takeTurns(client, random) {
    while (!this.#isOver) {
      const taken = await this.#take(client, random, { waitMs: QUICK_WAIT_MS });
      const isLong = random() < LONG;
      await delay(isLong ? 50 + random() * 350 : 1 + random() * 7);
      if (taken !== undefined) {
        await this.#release(taken);
      }
      await delay(2 + random() * 10);
    }
  }

  /**
   * @param {import('./stages/index.mjs').LoadClient} client
   * @param {() => number} random
   * @param {number} [leaseMs]
   */
  async #keepOne(client, random, leaseMs) {
    const { from, until } = this.#order.keep;
    await delay(from + random() * (until - from));
    while (!this.#isOver) {
      const lease = leaseMs === undefined ? {} : { leaseMs };
      const taken = await this.#take(client, random, { waitMs: KEEPER_WAIT_MS, ...lease });
      if (taken?.hold.signal.aborted === false) {
        await once(taken.hold.signal, 'abort');
      }
      await delay(5);
    }
  }

  /**
   * @param {import('./stages/index.mjs').LoadClient} client
   * @param {() => number} random
   * @param {import('../../dist/index.js').LockAcquireOptions} options
   */
  async #take(client, random, options) {
    const index = Math.floor(random() * this.#order.names.length);
    const name = this.#order.names[index] ?? '';
    const lock = index % FENCED === 0 ? client.getFencedLock(name) : client.getLock(name);
    const askedAt = now();
    try {
      const hold = await lock.acquire(options);
      const token = hold.fencingToken === undefined ? {} : { token: String(hold.fencingToken) };
      const { holderId } = hold;
      const isFixed = options.leaseMs !== undefined;
      const grantedAt = now();
      /** @type {Grant} */
      const grant = { name, client: client.id, holderId, isFixed, askedAt, grantedAt, ...token };
      this.#grants.push(grant);
      this.#live.set(grant, hold);
      this.#sample(grant, hold);
      if (askedAt > this.#promotedAt) {
        this.#promotedAt = Infinity;
        process.send?.({ type: 'regained' });
      }
      return { grant, hold };
    } catch (error) {
      this.#failed(error);
      return undefined;
    }
  }

  /** @param {{ grant: Grant, hold: Hold }} taken */
  async #release({ grant, hold }) {
    if (this.#live.delete(grant)) {
      this.#sample(grant, hold);
      grant.releasedAt = now();
    }
    await hold.release().catch((/** @type {unknown} */ error) => this.#failed(error));
  }

  /** Between the first instant and the last it was held for sure. @param {Grant} grant @param {Hold} hold */
  #sample(grant, hold) {
    const before = now();
    if (hold.isHeld) {
      grant.heldFrom ??= now();
      grant.heldUntil = before;
    }
  }

  /** @param {unknown} error */
  #failed(error) {
    const { code } = /** @type {{ code?: unknown }} */ (error);
    if (!this.#isOver && !EXPECTED.has(String(code))) {
      this.#problems.add(String(error));
    }
  }
}

/** @type {Load | undefined} */
let load;

/** @param {{ type: string, order?: Order }} message */
async function obey({ type, order }) {
  if (type === 'play' && order !== undefined) {
    load = new Load(order);
  } else if (type === 'promoted') {
    load?.promoted();
  } else if (type === 'end') {
    process.send?.({ type: 'ended', ...(await load?.end()) });
  }
}

process.on('message', (message) => {
  void obey(/** @type {Parameters<typeof obey>[0]} */ (message));
});
// Whoever has started this is gone.
process.once('disconnect', () => process.exit(1));
process.send?.({ type: 'ready' });
