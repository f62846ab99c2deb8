// @ts-check
// What a worker works with: the client, a plain Redis connection, the store of the stage, its cues, and a
// notebook that is sent to the stage every 40 ms, or at once where it matters.
import { EventEmitter, once } from 'node:events';
import { setImmediate as breathe, setTimeout as sleep } from 'node:timers/promises';
import { called, now } from './events.mjs';

/** @typedef {import('./events.mjs').DemoEvent} DemoEvent */

/**
 * What the demo uses of holds and permits; those of a counting semaphore have nothing but
 * `release`.
 * @typedef {object} DemoHold
 * @property {boolean} [isHeld]
 * @property {number} [remainingMs]
 * @property {AbortSignal} [signal]
 * @property {bigint} [fencingToken]
 * @property {string} [holderId]
 * @property {string} [id]
 * @property {() => Promise<void>} release
 */

const FLUSH_MS = 40;
/** Of all requests of this process to the store. */
let requests = 0;

export class Kit {
  /** @type {Promise<void>} settles when the stage lets the workers go */
  leave;
  #given = new Set();
  #cues = new EventEmitter();
  /** @type {DemoEvent[]} */
  #notebook = [];
  /** @type {Map<number, (answer: number) => void>} */
  #requests = new Map();
  #turn = 0;
  /** @type {import('./events.mjs').Mode} */
  #mode = 'exclusive';

  /**
   * @param {import('./worker.mjs').Casting} casting
   * @param {import('../dist/index.js').Client} client
   * @param {import('ioredis').Redis} redis
   */
  constructor(casting, client, redis) {
    this.casting = casting;
    this.client = client;
    this.redis = redis;
    this.leave = this.cued('leave');
    process.on('message', (message) => this.#hear(/** @type {Cue} */ (message)));
    setInterval(() => this.flush(), FLUSH_MS).unref();
    // The page shows who waits, and for how long.
    client.on('stalled', () => {});
    client.on('error', ({ error }) => this.emit('background', { message: String(error) }));
  }

  /** @typedef {{ cue?: string, answer?: { id: number, answer: number } }} Cue */
  /** @param {Cue} message */
  #hear({ cue, answer }) {
    if (answer !== undefined) {
      this.#requests.get(answer.id)?.(answer.answer);
      this.#requests.delete(answer.id);
    }
    if (cue !== undefined) {
      this.#given.add(cue);
      this.#cues.emit(cue);
    }
  }

  /** Settles when the stage has given this cue. @param {string} name */
  async cued(name) {
    if (!this.#given.has(name)) {
      await once(this.#cues, name);
    }
  }

  get stopped() {
    return this.#given.has('stop');
  }

  /** Both connections are up, so that the start is fair. */
  async connected() {
    await this.redis.ping();
    await this.client.getLock('warm-up').isLocked();
  }

  takeAccident() {
    return this.#given.delete('accident');
  }

  /** @param {string} type @param {Partial<DemoEvent>} [detail] */
  emit(type, detail = {}) {
    this.#notebook.push({ at: now(), worker: this.casting.worker, type, ...detail });
  }

  flush() {
    if (this.#notebook.length > 0 && process.connected) {
      process.send?.({ events: this.#notebook });
      this.#notebook = [];
    }
  }

  /** Works for so long; 0 only lets the event loop go round once. @param {number} ms */
  async work(ms) {
    await (ms === 0 ? breathe() : sleep(ms));
  }

  /**
   * Acquires through `take`, and reports when it asked and when it held.
   * @param {() => Promise<DemoHold>} take
   * @param {import('./events.mjs').Mode} [mode]
   */
  async acquire(take, mode = 'exclusive') {
    const turn = ++this.#turn;
    this.#mode = mode;
    this.emit('asked', { turn, mode });
    const { leaseMs, sabotage } = this.casting;
    const hold = sabotage === 'unlocked' ? await noLockAtAll(leaseMs) : await take();
    const { fencingToken: token, id, holderId = id } = hold;
    this.emit('held', {
      turn,
      mode,
      ...deadlineOf(hold),
      ...(token === undefined ? {} : { token }),
      ...(holderId === undefined ? {} : { holderId }),
    });
    hold.signal?.addEventListener('abort', () => this.emit('told', { turn }));
    return hold;
  }

  /** @param {DemoHold} hold */
  async release(hold) {
    // First the time: the machine may stop a worker anywhere, and what is held later was held before.
    const at = now();
    const { isHeld = true } = hold;
    const turn = this.#turn;
    this.emit('released', { at, turn, mode: this.#mode, isHeld });
    try {
      await hold.release();
      this.emit('done', { turn });
    } catch (error) {
      this.emit('done', { turn, message: String(error) });
      if (isHeld) {
        this.emit('trouble', { message: String(error) });
      }
    }
  }

  /**
   * Makes another call, and reports it.
   * @param {Parameters<typeof called>[0]} given
   * @param {() => Promise<unknown>} make
   */
  async call(given, make) {
    this.emit('call', { call: await called(given, make) });
  }

  /** Reads the counter of the store, works, and writes one more. @param {DemoHold} hold @param {number} workMs */
  async count(hold, workMs) {
    const seen = await this.readStore();
    await this.work(workMs);
    if (hold.isHeld === true) {
      await this.writeStore(hold, seen);
    }
  }

  async readStore() {
    return { readAt: now(), read: await this.#request({}) };
  }

  /** @param {DemoHold} hold @param {{ readAt: number, read: number }} seen */
  async writeStore({ fencingToken: token = 0n }, seen) {
    await this.#request({ write: { token, turn: this.#turn, ...seen } });
  }

  /** @param {Omit<import('./store.mjs').Request, 'id'>} request */
  async #request(request) {
    const id = requests++;
    /** @type {Promise<number>} */
    const answered = new Promise((resolve) => this.#requests.set(id, resolve));
    process.send?.({ request: { id, ...request } });
    return await answered;
  }

  /**
   * Holds, works a little, and tells the stage that the accident may come now.
   * @param {DemoHold} hold
   * @returns {Promise<number>} an instant before the accident
   */
  async atMercy(hold) {
    this.flush();
    await sleep(120);
    const before = performance.now();
    this.emit('at-mercy', { turn: this.#turn, ...deadlineOf(hold) });
    this.flush();
    return before;
  }

  /** The same, and the accident ends this process. @param {DemoHold} hold */
  async awaitShot(hold) {
    await this.atMercy(hold);
    await this.leave;
  }

  /**
   * Keeps the thread busy until a pause of the whole process has come and gone, then returns
   * without giving any timer or callback the chance to run first.
   * @param {number} start an instant before the pause, which may have begun already
   */
  sleepThroughPause(start) {
    const clock = new Int32Array(new SharedArrayBuffer(4));
    for (let last = start; ;) {
      Atomics.wait(clock, 0, 0, 2);
      const next = performance.now();
      if (next - last > this.casting.leaseMs / 2) {
        return;
      }
      if (next - start > 10_000) {
        throw new Error('no pause came');
      }
      last = next;
    }
  }
}

/**
 * Until when the hold was certain, on the clock of the events.
 * @param {DemoHold} hold
 * @returns {{ deadline?: number }}
 */
function deadlineOf(hold) {
  const at = now();
  const { remainingMs } = hold;
  return remainingMs === undefined ? {} : { deadline: at + remainingMs };
}

/**
 * Sabotage `unlocked`: everybody may come in, after a moment that stands for the way to Redis.
 * @param {number} remainingMs
 * @returns {Promise<DemoHold>}
 */
async function noLockAtAll(remainingMs) {
  await sleep(1);
  return {
    isHeld: true,
    remainingMs,
    fencingToken: process.hrtime.bigint(),
    release: () => Promise.resolve(),
  };
}
