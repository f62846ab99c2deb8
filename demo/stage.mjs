// @ts-check
// The stage of one act, in the process that runs the demo: keeps the record, fires the start gun,
// draws the finish line, and waits for events with a limit.
import { EventEmitter, once } from 'node:events';
import { now, ofType, turnsOf } from './events.mjs';
import { Sightings } from './sightings.mjs';
import { TokenStore } from './token-store.mjs';
import { Troupe } from './troupe.mjs';

/** @typedef {import('./events.mjs').DemoEvent} DemoEvent */
/** @typedef {import('./acts/index.mjs').Act} Act */

/**
 * @typedef {object} Production what all acts of one run share
 * @property {string} url
 * @property {string} keyPrefix
 * @property {number} leaseMs
 * @property {number} sprintMs
 * @property {string} sabotage
 * @property {number} patienceMs the longest that anything on stage may take
 * @property {import('../dist/index.js').Client} client
 * @property {import('ioredis').Redis} redis
 * @property {import('./live.mjs').Live} live
 */

export class Stage {
  /** @type {DemoEvent[]} */
  events = [];
  troupe;
  /** @type {number[]} the workers' numbers */
  workers;
  /** Something did not come to pass, and the rest of the act was not played. */
  brokeOff = false;
  #news = new EventEmitter();
  /** @type {Sightings | undefined} */
  #sightings;
  /** @type {Error | undefined} a worker that ended although it should not */
  #failure;
  #live;
  #patienceMs;

  /**
   * @param {Act} act
   * @param {Production} production
   */
  constructor(act, production) {
    const { client, redis, live, patienceMs, ...casting } = production;
    this.act = act;
    this.client = client;
    this.redis = redis;
    this.keyPrefix = production.keyPrefix;
    this.leaseMs = production.leaseMs;
    this.store = new TokenStore({ checksTokens: production.sabotage !== 'unfenced' });
    this.workers = Array.from({ length: act.workers }, (_, index) => index + 1);
    this.#live = live;
    this.#patienceMs = patienceMs;
    this.troupe = new Troupe({
      size: act.workers,
      together: act.together ?? 1,
      casting: { ...casting, act: act.id },
      report: (worker, report) => this.#hear(worker, report),
      fail: (error) => {
        this.#failure ??= error;
        this.#news.emit('news');
      },
    });
  }

  get turns() {
    return turnsOf(this.events);
  }

  /** What was seen of the line that the act has looked at. */
  get sightings() {
    return this.#sightings?.seen ?? [];
  }

  /** @param {number} worker @param {import('./troupe.mjs').Report} report */
  #hear(worker, { events, write }) {
    if (events !== undefined) {
      this.events.push(...events);
      this.#news.emit('news');
    }
    return write && { id: write.id, accepted: this.store.write(worker, write.token) };
  }

  /** @param {string} line */
  announce(line) {
    this.#live.say(this, line);
  }

  /**
   * Records what the stage itself does.
   * @param {string} type
   * @param {number} [worker] whom it befalls
   * @param {string} [message]
   */
  record(type, worker = 0, message) {
    const at = now();
    this.events.push({ at, worker, type, ...(message === undefined ? {} : { message }) });
    return at;
  }

  /**
   * Waits until the record, or what is seen in Redis, fulfils a condition.
   * @param {string} what
   * @param {() => boolean} condition
   */
  async until(what, condition) {
    const signal = AbortSignal.timeout(this.#patienceMs);
    while (!condition()) {
      if (this.#failure !== undefined) {
        throw this.#failure;
      }
      await once(this.#news, 'news', { signal }).catch((error) => {
        throw new Error(`waited in vain for ${what}`, { cause: error });
      });
    }
  }

  /** @param {string} type @param {number} worker @param {bigint} [since] */
  has(type, worker, since = 0n) {
    return ofType(this.events, type, worker).some((event) => event.at > since);
  }

  /** @param {string} type @param {number[]} [workers] */
  #all(type, workers = this.workers) {
    return workers.every((worker) => this.has(type, worker));
  }

  /** The workers come in and take turns, all as quick as they come, for a little while. */
  async sprint() {
    const { look, prepare } = this.act;
    await prepare?.(this);
    if (look !== undefined) {
      this.#sightings = new Sightings(
        async () => await look(this),
        () => this.#news.emit('news'),
      );
    }
    this.troupe.enter();
    await this.#fireStartGun();
    await this.until('the end of the sprint', () => this.#all('sprinted'));
  }

  /** A latch of one, for which every worker waits. */
  async #fireStartGun() {
    const gun = this.client.getCountDownLatch(`${this.act.id}:start-gun`);
    await gun.trySetCount(1);
    this.announce(`${this.workers.length} workers walk to the start`);
    await this.until('all workers at the start', () => this.#all('ready'));
    this.announce('start gun');
    this.record('gun');
    await gun.countDown();
  }

  /**
   * A latch that every worker left counts down, and for which all of them wait.
   * @param {{ without?: number[] }} [options]
   * @returns {Promise<number[]>} who is left
   */
  async drawFinishLine({ without = [] } = {}) {
    const left = this.workers.filter((worker) => !without.includes(worker));
    const line = this.client.getCountDownLatch(`${this.act.id}:finish-line`);
    await line.trySetCount(left.length);
    return left;
  }

  /**
   * Draws the finish line, unless it is there, and lets all cross it who have not yet done so.
   * @param {{ without?: number[] }} [options]
   */
  async crossFinishLine(options) {
    const left = await this.drawFinishLine(options);
    this.announce(`finish line for ${left.length} workers`);
    this.troupe.cue('stop');
    await this.until('all workers over the finish line', () => this.#all('finished', left));
    this.troupe.cue('leave');
    const late = await this.troupe.ended(3_000);
    for (const worker of late) {
      this.record('trouble', worker);
    }
  }

  /** The act cannot go on. What was recorded until now is checked all the same. @param {Error} error */
  async breakOff(error) {
    this.brokeOff = true;
    this.record('trouble', 0, error.message);
    this.announce(`broken off: ${error.message}`);
    await this.troupe.ended(0);
  }

  /** Looks at nothing any more. */
  async close() {
    await this.#sightings?.stop();
  }

  /** What a worker is called: by what it does, where not all do the same. @param {number} worker */
  nameOf(worker) {
    return `${this.act.role?.(worker) ?? 'worker'} ${worker}`;
  }

  /** When the start gun was fired. */
  get gunAt() {
    return ofType(this.events, 'gun')[0]?.at ?? this.events[0]?.at ?? 0n;
  }
}
