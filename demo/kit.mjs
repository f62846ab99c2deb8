// @ts-check
// What a worker works with: the client, a plain Redis connection, the cues of the stage, and a
// notebook that is sent to the stage every 40 ms, or at once where it matters.
import { setImmediate as breathe, setTimeout as sleep } from 'node:timers/promises';
import { now } from './events.mjs';

/** @typedef {Pick<import('../dist/index.js').Hold,
 *   'isHeld' | 'remainingMs' | 'signal' | 'fencingToken' | 'release'>} DemoHold */
/** @typedef {import('./events.mjs').DemoEvent} DemoEvent */

const FLUSH_MS = 40;

export class Kit {
  stopped = false;
  /** @type {Promise<void>} settles when the stage lets the workers go */
  leave;
  #accident = false;
  /** @type {DemoEvent[]} */
  #notebook = [];
  /** @type {Map<number, (accepted: boolean) => void>} */
  #writes = new Map();
  #nextWrite = 0;

  /**
   * @param {import('./worker.mjs').Casting} casting
   * @param {import('../dist/index.js').Client} client
   * @param {import('ioredis').Redis} redis
   */
  constructor(casting, client, redis) {
    this.casting = casting;
    this.client = client;
    this.redis = redis;
    this.leave = new Promise((resolve) => {
      process.on('message', (message) => this.#hear(/** @type {Cue} */ (message), resolve));
    });
    client.on('lost', ({ error }) => this.emit('lost', { message: error.message }));
    client.on('error', ({ error }) => this.emit('trouble', { message: String(error) }));
    setInterval(() => this.flush(), FLUSH_MS).unref();
  }

  /** @typedef {{ cue?: string, answer?: { id: number, accepted: boolean } }} Cue */
  /** @param {Cue} message @param {() => void} letGo */
  #hear({ cue, answer }, letGo) {
    if (answer !== undefined) {
      this.#writes.get(answer.id)?.(answer.accepted);
      this.#writes.delete(answer.id);
    }
    this.#accident ||= cue === 'accident';
    this.stopped ||= cue === 'stop';
    if (cue === 'leave') {
      letGo();
    }
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
   * @template {DemoHold} H
   * @param {() => Promise<H>} take
   * @returns {Promise<DemoHold>}
   */
  async acquire(take) {
    this.emit('asked');
    const hold =
      this.casting.sabotage === 'unlocked' ? noLockAtAll(this.casting.leaseMs) : await take();
    const { fencingToken: token } = hold;
    const detail = { isHeld: hold.isHeld, deadline: deadlineOf(hold) };
    this.emit('held', token === undefined ? detail : { ...detail, token });
    return hold;
  }

  /** @param {DemoHold} hold */
  async release(hold) {
    const { isHeld } = hold;
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
    const id = this.#nextWrite++;
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
    this.emit('at-mercy', { isHeld: hold.isHeld, deadline: deadlineOf(hold) });
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

/** Until when the hold was certain, on the clock of the events. @param {DemoHold} hold */
const deadlineOf = (hold) => now() + BigInt(Math.floor(hold.remainingMs * 1e6));

/** Sabotage `unlocked`: everybody may come in. @param {number} remainingMs @returns {DemoHold} */
function noLockAtAll(remainingMs) {
  return {
    isHeld: true,
    remainingMs,
    signal: new AbortController().signal,
    fencingToken: now(),
    release: () => Promise.resolve(),
  };
}
