// @ts-check
// What a worker works with: the client, a plain Redis connection, the cues of the stage, and a
// notebook that is sent to the stage every 40 ms, or at once where it matters.
import { setImmediate as breathe, setTimeout as sleep } from 'node:timers/promises';
import { now } from './events.mjs';

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
const nothing = () => {};
/** Of all writes of this process. */
let writes = 0;

export class Kit {
  stopped = false;
  /** @type {Promise<void>} settles when the stage lets the workers go */
  leave;
  #accident = false;
  /** @type {DemoEvent[]} */
  #notebook = [];
  /** @type {Map<string, { given: Promise<void>, give: () => void }>} */
  #cues = new Map();
  /** @type {Map<number, (accepted: boolean) => void>} */
  #writes = new Map();

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
  }

  /** Records what the client tells. */
  hearClient() {
    this.client.on('lost', ({ error }) => this.emit('lost', { message: error.message }));
    this.client.on('error', ({ error }) => this.emit('background', { message: String(error) }));
  }

  /** @typedef {{ cue?: string, to?: number, answer?: { id: number, accepted: boolean } }} Cue */
  /** @param {Cue} message */
  #hear({ cue, to, answer }) {
    if (cue !== undefined && to !== this.casting.worker) {
      return;
    }
    if (answer !== undefined) {
      this.#writes.get(answer.id)?.(answer.accepted);
      this.#writes.delete(answer.id);
    }
    this.#accident ||= cue === 'accident';
    this.stopped ||= cue === 'stop';
    if (cue !== undefined) {
      this.#cue(cue).give();
    }
  }

  /** @param {string} name */
  #cue(name) {
    const known = this.#cues.get(name);
    if (known !== undefined) {
      return known;
    }
    let give = nothing;
    /** @type {Promise<void>} */
    const given = new Promise((resolve) => {
      give = resolve;
    });
    const cue = { given, give };
    this.#cues.set(name, cue);
    return cue;
  }

  /** Settles when the stage gives this cue for the first time. @param {string} name */
  cued(name) {
    return this.#cue(name).given;
  }

  /** Both connections are up, so that the start is fair. */
  async connected() {
    await this.redis.ping();
    await this.client.getLock('warm-up').isLocked();
  }

  takeAccident() {
    const due = this.#accident;
    this.#accident = false;
    return due;
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
   * @param {{ mode?: import('./events.mjs').Mode }} [detail]
   */
  async acquire(take, detail = {}) {
    this.emit('asked', detail);
    const hold = this.#locks ? await take() : await noLockAtAll(this.casting.leaseMs);
    const { fencingToken: token, isHeld = true, id, holderId = id } = hold;
    this.emit('held', {
      isHeld,
      ...deadlineOf(hold),
      ...(token === undefined ? {} : { token }),
      ...(holderId === undefined ? {} : { holderId }),
    });
    return hold;
  }

  /**
   * Acquires once more within a hold; of that the record says nothing.
   * @param {DemoHold & { run?: (task: () => Promise<DemoHold>) => Promise<DemoHold> }} hold
   * @param {() => Promise<DemoHold>} take
   */
  async reenter(hold, take) {
    return hold.run === undefined ? await noLockAtAll(this.casting.leaseMs) : await hold.run(take);
  }

  get #locks() {
    return this.casting.sabotage !== 'unlocked';
  }

  /** @param {DemoHold} hold */
  async release(hold) {
    const { isHeld = true } = hold;
    this.emit('released', { isHeld });
    try {
      await hold.release();
    } catch (error) {
      this.emit(isHeld ? 'trouble' : 'release-failed', { message: String(error) });
    }
  }

  /**
   * Asks the guarded store to take a write under this token.
   * @param {bigint} token
   * @param {{ stale?: boolean }} [options]
   */
  async write(token, { stale = false } = {}) {
    const id = writes++;
    /** @type {Promise<boolean>} */
    const answered = new Promise((resolve) => this.#writes.set(id, resolve));
    process.send?.({ write: { id, token } });
    const accepted = await answered;
    this.emit('write', { token, accepted, stale });
    return accepted;
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
    this.emit('at-mercy', { isHeld: hold.isHeld ?? true, ...deadlineOf(hold) });
    this.flush();
    return before;
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
 * @returns {{ deadline?: bigint }}
 */
const deadlineOf = ({ remainingMs }) =>
  remainingMs === undefined ? {} : { deadline: now() + BigInt(Math.floor(remainingMs * 1e6)) };

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
    signal: new AbortController().signal,
    fencingToken: now(),
    release: () => Promise.resolve(),
  };
}
